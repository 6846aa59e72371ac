import { addressToNumber, parseNetwork } from '../../design/address.ts';
import { listServiceHosts } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { MINUTE } from '../../platform/clock.ts';
import { type BootEvidence, bootUnknownMac } from '../boot/checks.ts';
import { parseLeasedAddress } from '../boot/dhcp-log.ts';
import { symptomsFromBootMessages } from './boot-messages.ts';
import { type ConfigFile, type DhcpSetting, getSettings } from './dhcp-config.ts';
import {
  allChecksPassed,
  createDiagnosticRule,
  listMissingMachines,
  matchLogLines,
  type Symptom,
  symptomsFromFailedChecks,
  symptomsFromLines,
  toSymptom,
} from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine, ObservedMachine } from './evidence.ts';

const BOOT_OPTIONS = new Set(['next-server', 'filename', 'boot-file-name', 'tftp-server-name', 'server-hostname']);
const REQUIRED_BOOT_OPTIONS = new Set(['next-server', 'filename', 'boot-file-name']);
/** A slow boot program requests its script within this time. */
const GRACE_PERIOD = 10 * MINUTE;

/** The DHCP server directs firmware to another server or boot program than the generated configuration does. */
export const dhcpBootOptionsWrong = createDiagnosticRule('dhcp-boot-wrong', 'boot', (evidence) => [
  ...symptomsFromFailedChecks(evidence, 'dhcp-boot'),
  ...findWrongSettings(evidence, BOOT_OPTIONS, REQUIRED_BOOT_OPTIONS),
  ...findMisdirectedMachines(evidence),
  ...symptomsFromBootMessages(evidence, 'dhcp-boot-wrong'),
]);

/**
 * Lists the powered-on machines if every one of them has its lease and none has sent a request for a while; empty
 * otherwise.
 */
export function listLeaseOnlyMachines(evidence: Evidence): ObservedMachine[] {
  const { now, isRequestLogComplete = true } = evidence;
  if (!isRequestLogComplete) return [];
  const missingMachines = listMissingMachines(evidence);
  const isStuck = ({ stage, requests, poweredOnAt }: ObservedMachine) =>
    stage === 'lease' && requests.length === 0 && now - (poweredOnAt ?? now) >= GRACE_PERIOD;
  return missingMachines.length > 1 && missingMachines.every(isStuck) ? missingMachines : [];
}

function findMisdirectedMachines(evidence: Evidence): Symptom[] {
  const { design } = evidence;
  if (design?.services.boot.kind !== 'ipxe' || !allChecksPassed(evidence, 'tftp')) return [];
  const { server } = design.services.dhcp;
  return listLeaseOnlyMachines(evidence).map(({ name, address }) =>
    toSymptom(
      'likely',
      name,
      `${name} ${address}: has its lease, no request to the boot server`,
      `ssh ${server ?? 'DHCP-SERVER'} grep -nE 'next-server|filename|boot-file-name' /etc/dhcp/dhcpd.conf /etc/kea/kea-dhcp4.conf`,
    ),
  );
}

const LEASE_OPTIONS = new Set([
  ...['domain-name-servers', 'domain-name', 'domain-search', 'host-name', 'hostname', 'ntp-servers', 'subnet-mask'],
  ...['fixed-address', 'ip-address', 'hardware ethernet', 'hw-address'],
]);
/** Settings that every machine needs from the server. A host name can also come from a reverse record. */
const REQUIRED_LEASE_OPTIONS = new Set(['fixed-address', 'ip-address', 'domain-name-servers']);

/** The DHCP server gives machines another address, name server, domain or host name than planned. */
export const dhcpOptionsWrong = createDiagnosticRule('dhcp-options-wrong', 'boot', (evidence) => [
  ...symptomsFromFailedChecks(evidence, 'dhcp-leases'),
  ...findWrongSettings(evidence, LEASE_OPTIONS, REQUIRED_LEASE_OPTIONS),
  ...findUnknownMachines(evidence),
  ...findMachinesWithoutNameServer(evidence),
  ...findShortLeases(evidence),
]);

/** Fewer failed lookups prove nothing: some come before the network is up. Ignition tries eight times in seconds. */
const MIN_LOOKUPS = 3;
/** A lookup at another server, or an answer of a server that Ignition found. */
const OTHER_SERVER =
  /lookup \S+ on (?!\[::1\]|127\.0\.0\.1)\[?[0-9a-f.:]+\]?:53: |\bGET result: |\bGET error: (?!.*\blookup )/;

/**
 * Finds machines without a name server from DHCP or a static configuration: their programs query the machine itself
 * (okd-project/okd#507, #897, #380; redhat-cop/ocp4-helpernode#228).
 */
function findMachinesWithoutNameServer(evidence: Evidence): Symptom[] {
  const lines = matchLogLines(
    evidence,
    /lookup \S+ on (?:\[::1\]|127\.0\.0\.1):53: .*connection refused|^resolv\.conf: no name server/,
  ).filter(({ source }) => source !== 'openshift-install');
  const getMachine = ({ host, source }: EvidenceLine) => host ?? source;
  // A lookup at another server since then: the machine has got its name servers.
  const isOver = (line: EvidenceLine) =>
    evidence.lines
      .slice(evidence.lines.indexOf(line) + 1)
      .some((laterLine) => getMachine(laterLine) === getMachine(line) && OTHER_SERVER.test(laterLine.text));
  const lastingGroups = [...Map.groupBy(lines, getMachine).values()].filter(
    (machineLines) =>
      machineLines.slice(-1).every((last) => !isOver(last)) &&
      (machineLines.length >= MIN_LOOKUPS || machineLines.some(({ text }) => text.startsWith('resolv.conf: '))),
  );
  return lastingGroups.flatMap((machineLines) =>
    symptomsFromLines(machineLines.slice(-1), 'certain', 'cat /etc/resolv.conf; nmcli device show | grep DNS'),
  );
}

/**
 * Minimum lease time. Machines wait for each other longer than this. A system that cannot renew a shorter lease loses
 * its address meanwhile (okd-project/okd#294).
 */
const MIN_LEASE_SECONDS = 900;

function findShortLeases({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text, planned }): Symptom[] => {
    if (kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') return [];
    const [actualTime, plannedTime] = [parseLeaseTime(text), parseLeaseTime(planned)];
    if (
      actualTime === null ||
      plannedTime === null ||
      actualTime.seconds >= Math.min(MIN_LEASE_SECONDS, plannedTime.seconds)
    )
      return [];
    const evidenceText = `${path} on ${host}: ${actualTime.text}; planned ${plannedTime.text}`;
    return [toSymptom('possible', host, evidenceText, `ssh ${host} grep -nE 'lease-time|lifetime' ${path}`)];
  });
}

function parseLeaseTime(text: string): { text: string; seconds: number } | null {
  const match = /^\s*default-lease-time\s+(\d+)/m.exec(text) ?? /"valid-lifetime"\s*:\s*(\d+)/.exec(text);
  return match === null ? null : { text: match[0].trim(), seconds: Number(match[1]) };
}

/** Finds machines that the server rejects: its file lacks the machine, or has another MAC address for it. */
function findUnknownMachines({ lines, machines }: Evidence): Symptom[] {
  const waitingMachines = machines.filter(
    ({ stage, hasJoined, poweredOnAt }) => stage === 'off' && !hasJoined && poweredOnAt !== null,
  );
  const refusals = lines.filter(({ source, text }) => source === 'dhcp' && /no free leases|unknown client/i.test(text));
  return waitingMachines.flatMap(({ name, mac }): Symptom[] => {
    const line = refusals.findLast(({ text }) => text.toLowerCase().includes(mac));
    const command = `journalctl -u dhcpd -u kea-dhcp4 | grep -i ${mac}`;
    return line === undefined ? [] : [toSymptom('certain', name, line.text, command)];
  });
}

const RANGES = {
  'isc-dhcpd': /^\s*range\s+(?:dynamic-bootp\s+)?([\d.]+)(?:\s+([\d.]+))?\s*;/gm,
  'kea-dhcp4': /"pool"\s*:\s*"\s*([\d.]+)\s*(?:-\s*([\d.]+)|\/(\d+))\s*"/g,
} as const;
/** Maximum number of addresses that are listed for one range. */
const MAX_ADDRESSES = 4;

/** The DHCP server leases out addresses that belong to nodes, service hosts or the endpoints. */
export const dhcpPoolOverlaps = createDiagnosticRule('dhcp-pool-overlaps', 'boot', (evidence) => [
  ...findOverlappingRanges(evidence),
  ...symptomsFromLines(
    matchLogLines(evidence, /Dynamic and static leases present for/).slice(-1),
    'certain',
    'journalctl -u dhcpd -u isc-dhcp-server | grep "Dynamic and static"',
  ),
]);

function findOverlappingRanges({ design, files }: Evidence): Symptom[] {
  if (design === null) return [];
  const reservedAddresses = listReservedAddresses(design);
  return files.flatMap(({ host, kind, path, text, planned }): Symptom[] => {
    if (kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') return [];
    const plannedRanges = new Set(parseRanges(kind, planned).map(({ range }) => range));
    return parseRanges(kind, text).flatMap(({ range, first, last }): Symptom[] => {
      const conflicts = reservedAddresses.filter(({ number }) => number >= first && number <= last);
      // A range that the design itself has is intended.
      if (plannedRanges.has(range) || conflicts.length === 0) return [];
      const addressTexts = conflicts.slice(0, MAX_ADDRESSES).map(({ name, address }) => `${name} ${address}`);
      const evidenceText = `${path} on ${host}: ${range}: ${addressTexts.join(', ')}${conflicts.length > MAX_ADDRESSES ? ', …' : ''}`;
      const command = `ssh ${host} grep -nE 'range|pool' ${path}`;
      return [toSymptom('likely', host, evidenceText, command)];
    });
  });
}

function parseRanges(kind: keyof typeof RANGES, text: string): { range: string; first: bigint; last: bigint }[] {
  // A range in a comment has no effect.
  const plainText = text.replaceAll(/^\s*(?:#|\/\/).*$/gm, '');
  return [...plainText.matchAll(RANGES[kind])].flatMap(([range, firstText = '', lastText, prefix]) => {
    const network = prefix === undefined ? null : parseNetwork(`${firstText}/${prefix}`);
    const [first, last] =
      network === null
        ? [addressToNumber(firstText), addressToNumber(lastText ?? firstText)]
        : [network.first, network.last];
    return first === null || last === null ? [] : [{ range: range.trim().replaceAll(/\s+/g, ' '), first, last }];
  });
}

function listReservedAddresses(design: Design): { name: string; address: string; number: bigint }[] {
  const { api, apiInt, ingress } = design.endpoints;
  const reservedHosts = [
    ...design.nodes.map(({ name, ip }) => ({ name, ip })),
    ...listServiceHosts(design).map(({ name, ip }) => ({ name, ip })),
    ...[...new Set([...api, ...apiInt])].map((address) => ({ name: 'api', ip: [address] })),
    ...ingress.map((address) => ({ name: '*.apps', ip: [address] })),
  ];
  return reservedHosts.flatMap(({ name, ip }) =>
    ip.flatMap((address) => {
      const number = address.includes(':') ? null : addressToNumber(address);
      return number === null ? [] : [{ name, address, number }];
    }),
  );
}

const MAC = /(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/i;

/** A DHCP server that is not ours answers on the machine network, and is sometimes faster. */
export const rogueDhcpServer = createDiagnosticRule('foreign-dhcp', 'boot', (evidence) => {
  const command = 'sudo nmap --script broadcast-dhcp-discover';
  const rogueSymptoms = findRogueServers(evidence).map(
    ({ server, text }): Symptom => toSymptom('certain', server, text, command),
  );
  const mismatchSymptoms = evidence.mismatchedRequests.map(
    ({ node, from, path }): Symptom => toSymptom('likely', node, `${path} requested by ${from}`, command),
  );
  return [...symptomsFromFailedChecks(evidence, 'dhcp-foreign'), ...rogueSymptoms, ...mismatchSymptoms];
});

/**
 * Finds the accepted offers of servers outside the design. A request names its server in brackets (ISC dhcpd:
 * "DHCPREQUEST for A (S) from M"). A request does not count if its machine got a lease from our server later.
 */
function findRogueServers({ design, lines }: Evidence) {
  if (design === null) return [];
  const serviceHostAddresses = listServiceHosts(design).flatMap(({ ip }) => ip);
  const texts = lines.filter(({ source }) => source === 'dhcp').map(({ text }) => text);
  return texts.flatMap((text, index) => {
    const server = parseServerAddress(text);
    if (server === null || serviceHostAddresses.includes(server)) return [];
    const [mac] = MAC.exec(text) ?? [];
    const isOver = (laterText: string) =>
      mac !== undefined &&
      laterText.includes(mac) &&
      (parseLeasedAddress(laterText) !== null || serviceHostAddresses.includes(parseServerAddress(laterText) ?? ''));
    return texts.slice(index + 1).some(isOver) ? [] : [{ server, text }];
  });
}

function parseServerAddress(text: string): string | null {
  const [, server = null] =
    /DHCPREQUEST for \S+ \(([\d.]+)\)/.exec(text) ?? /server[- ]identifier[ =:]+([\d.]+)/i.exec(text) ?? [];
  return server;
}

/** A machine is silent, and an unknown MAC address requests an address. */
export const wrongMac = createDiagnosticRule('wrong-mac', 'boot', (evidence) => [
  ...bootUnknownMac.run(deriveBootEvidence(evidence)).map(({ subject, title, evidence: designFacts }) => {
    const line = evidence.lines.findLast(
      ({ source, text }) => source === 'dhcp' && evidence.unknownMacs.some((mac) => text.toLowerCase().includes(mac)),
    );
    const command = 'journalctl -u dhcpd -u kea-dhcp4 | grep -iE "no free leases|unknown client|DISCOVER"';
    const symptomText = line?.text ?? title;
    return { ...toSymptom('likely', subject, symptomText, command), evidence: [symptomText, ...designFacts] };
  }),
  ...symptomsFromBootMessages(evidence, 'wrong-mac'),
]);

const IPXE_SCRIPT = /\.ipxe$/;

/**
 * Finds settings of these names that differ from the generated files of the DHCP servers, as certain symptoms.
 * @param requiredNames names of settings that machines cannot do without: only these count when they are missing
 */
function findWrongSettings(
  { files }: Evidence,
  names: ReadonlySet<string>,
  requiredNames: ReadonlySet<string>,
): Symptom[] {
  return files.flatMap((file) => {
    if (file.kind !== 'isc-dhcpd' && file.kind !== 'kea-dhcp4') return [];
    const { actual, planned } = getSettings(file);
    // A file without readable settings has another fault.
    if (actual.length === 0) return [];
    const listValues = (list: readonly DhcpSetting[], { machine, name, condition }: DhcpSetting) => {
      const sameName = list.filter((each) => each.machine === machine && each.name === name);
      const sameCondition = sameName.filter((each) => each.condition === condition);
      // A condition that is worded differently may mean the same.
      return (sameCondition.length > 0 ? sameCondition : sameName).map(({ value }) => value);
    };
    const isPresent = (each: DhcpSetting) => {
      const values = actual
        .filter(({ machine, name }) => machine === each.machine && name === each.name)
        .map(({ value }) => value);
      // A firmware type that no machine has may lack its program. Without its script, iPXE loads itself forever.
      return IPXE_SCRIPT.test(each.value) ? values.includes(each.value) : values.length > 0;
    };
    const wrongValueSymptoms = actual
      .filter((each) => names.has(each.name) && planned.some(({ machine }) => machine === each.machine))
      .filter((each) => listValues(planned, each).length > 0 && !listValues(planned, each).includes(each.value))
      .map((each) =>
        createSymptom(file, each, `${each.name} ${each.value}; planned ${listValues(planned, each).join(', ')}`),
      );
    const missingSettingSymptoms = planned
      .filter((each) => requiredNames.has(each.name) && !isPresent(each))
      .map((each) => createSymptom(file, each, `no ${each.name}; planned ${each.value}`));
    return [...wrongValueSymptoms, ...missingSettingSymptoms];
  });
}

function createSymptom({ host, path }: ConfigFile, { machine, name }: DhcpSetting, detail: string): Symptom {
  const machinePrefix = machine === '' ? '' : `${machine}: `;
  const evidenceText = `${path} on ${host}: ${machinePrefix}${detail}`;
  return toSymptom('certain', machine || host, evidenceText, `ssh ${host} grep -n ${name} ${path}`);
}

/** Derives the evidence for the boot checks. Machines that have joined are left out: they send no more requests. */
export function deriveBootEvidence({
  now,
  design,
  machines,
  unknownMacs,
  isRequestLogComplete = true,
}: Evidence): BootEvidence {
  const pendingMachines = machines.filter(({ hasJoined }) => !hasJoined);
  return {
    now,
    boot: design?.services.boot.kind ?? 'iso',
    machines: pendingMachines,
    unknownMacs,
    isRequestLogComplete,
  };
}
