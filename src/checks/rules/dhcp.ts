import { addressToNumber, parseNetwork } from '../../design/address.ts';
import { listServiceHosts } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatTimeOfDay, MINUTE } from '../../platform/clock.ts';
import { type BootEvidence, bootUnknownMac } from '../boot/checks.ts';
import { DHCP_LOG_COMMAND, parseLeasedAddress } from '../boot/dhcp-log.ts';
import { symptomsFromBootMessages } from './boot-messages.ts';
import { type ConfigFile, type DhcpSetting, getFileSettings } from './dhcp-config.ts';
import {
  allChecksPassed,
  createDiagnosticRule,
  createSymptom,
  listMissingMachines,
  matchLogLines,
  type Symptom,
  symptomsFromFailedChecks,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine, ObservedMachine } from './evidence.ts';

const BOOT_OPTIONS = new Set(['next-server', 'filename', 'boot-file-name', 'tftp-server-name', 'server-hostname']);
const REQUIRED_BOOT_OPTIONS = new Set(['next-server', 'filename', 'boot-file-name']);
/** A slow boot program requests its script within this time. */
const GRACE_PERIOD = 10 * MINUTE;

/** The DHCP server directs firmware to another server or boot program than the generated configuration does. */
export const dhcpBootOptionsWrong = createDiagnosticRule('dhcp-boot-wrong', 'boot', (evidence) => [
  ...symptomsFromFailedChecks(evidence, 'dhcp-boot'),
  ...listWrongSettingSymptoms(evidence, BOOT_OPTIONS, REQUIRED_BOOT_OPTIONS),
  ...listMisdirectedMachineSymptoms(evidence),
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

function listMisdirectedMachineSymptoms(evidence: Evidence): Symptom[] {
  const { design } = evidence;
  if (design?.services.boot.kind !== 'ipxe' || !allChecksPassed(evidence, 'tftp')) return [];
  const { server } = design.services.dhcp;
  return listLeaseOnlyMachines(evidence).map(({ name, address }) =>
    createSymptom(
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
  ...listWrongSettingSymptoms(evidence, LEASE_OPTIONS, REQUIRED_LEASE_OPTIONS),
  ...listUnknownMachineSymptoms(evidence),
  ...listMissingNameServerSymptoms(evidence),
  ...listShortLeaseSymptoms(evidence),
  ...listOutdatedSettingSymptoms(evidence),
]);

/** Fewer failed lookups prove nothing: some come before the network is up. Ignition tries eight times in seconds. */
const MIN_FAILED_LOOKUPS = 3;
/** A lookup at another server, or an answer of a server that Ignition found. */
const OTHER_SERVER_ANSWER =
  /lookup \S+ on (?!\[::1\]|127\.0\.0\.1)\[?[0-9a-f.:]+\]?:53: |\bGET result: |\bGET error: (?!.*\blookup )/;

/**
 * Lists machines without a name server from DHCP or a static configuration: their programs query the machine itself
 * (okd-project/okd#507, #897, #380; redhat-cop/ocp4-helpernode#228).
 */
function listMissingNameServerSymptoms(evidence: Evidence): Symptom[] {
  const lines = matchLogLines(
    evidence,
    /lookup \S+ on (?:\[::1\]|127\.0\.0\.1):53: .*connection refused|^resolv\.conf: no name server/,
  ).filter(({ source }) => source !== 'openshift-install');
  const getMachine = ({ host, source }: EvidenceLine) => host ?? source;
  // A lookup at another server since then: the machine has got its name servers.
  const hasLaterAnswer = (line: EvidenceLine) =>
    evidence.lines
      .slice(evidence.lines.indexOf(line) + 1)
      .some((laterLine) => getMachine(laterLine) === getMachine(line) && OTHER_SERVER_ANSWER.test(laterLine.text));
  const lastingGroups = [...Map.groupBy(lines, getMachine).values()].filter(
    (machineLines) =>
      machineLines.slice(-1).every((last) => !hasLaterAnswer(last)) &&
      (machineLines.length >= MIN_FAILED_LOOKUPS || machineLines.some(({ text }) => text.startsWith('resolv.conf: '))),
  );
  return lastingGroups.flatMap((machineLines) =>
    symptomsFromLines(machineLines.slice(-1), 'certain', 'cat /etc/resolv.conf; nmcli device show | grep DNS'),
  );
}

/** A machine that gets on with the settings that it has shows it within this time after the correction. */
const CORRECTION_TIME = 10 * MINUTE;
/** A machine without a sign for this long was stuck before the correction: it does not get on. */
const STUCK_TIME = 25 * MINUTE;
/** A lease that a machine took or renewed: the checks of the wizard only get offers. */
const LEASE = /DHCPACK|LEASE_ALLOC/;

/**
 * Finds machines that requested nothing since the files of their DHCP or name server were put in place: they still have
 * the settings from before. Knows a machine's last start only from the log of the DHCP server.
 */
function listOutdatedSettingSymptoms(evidence: Evidence): Symptom[] {
  const { design, now, lines, ports, filesInstalledAt = {} } = evidence;
  if (design === null) return [];
  const { dns, dhcp } = design.services;
  const [last] = [...dns.servers.map(({ name }) => name), dhcp.server ?? '']
    .map((host) => ({ host, at: filesInstalledAt[host] ?? 0 }))
    .toSorted((a, b) => b.at - a.at);
  if (last === undefined) return [];
  const minSilence = now - last.at < CORRECTION_TIME ? STUCK_TIME : 0;
  const isServing = (name: string) =>
    ports.some(({ host, port, state }) => host === name && port === 6443 && state === 'open');
  const outdatedMachines = listMissingMachines(evidence).flatMap((machine) => {
    const leaseTimes = lines.flatMap(({ source, text, at }) =>
      source === 'dhcp' && at !== null && LEASE.test(text) && text.toLowerCase().includes(machine.mac) ? [at] : [],
    );
    const lastSignAt = Math.max(machine.lastRequest?.at ?? 0, ...leaseTimes);
    return leaseTimes.length > 0 && lastSignAt < last.at && now - lastSignAt >= minSilence && !isServing(machine.name)
      ? [{ ...machine, lastSignAt }]
      : [];
  });
  // Nodes wait for the bootstrap node, whatever their settings are.
  const isBootstrapAwaited = evidence.machines.some(
    ({ name, role, hasJoined }) => role === 'bootstrap' && !hasJoined && !isServing(name),
  );
  if (isBootstrapAwaited && !outdatedMachines.some(({ role }) => role === 'bootstrap')) return [];
  const { title, symptom, cause, remedy } = catalogue().diagnosis.causes['dhcp-options-wrong'].outdated;
  return outdatedMachines.map(({ name, address, lastSignAt }) => {
    const command = `ssh core@${address} 'ip route; cat /etc/resolv.conf; hostname'`;
    const text = symptom(name, formatTimeOfDay(lastSignAt), last.host, formatTimeOfDay(last.at));
    return { ...createSymptom('likely', name, text, command), title, meaning: cause, remedy: remedy(last.host) };
  });
}

/**
 * Minimum lease time. Machines wait for each other longer than this. A system that cannot renew a shorter lease loses
 * its address meanwhile (okd-project/okd#294).
 */
const MIN_LEASE_SECONDS = 900;

function listShortLeaseSymptoms({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text, plannedText }): Symptom[] => {
    if (kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') return [];
    const [actualTime, plannedTime] = [parseLeaseTime(text), parseLeaseTime(plannedText)];
    if (
      actualTime === null ||
      plannedTime === null ||
      actualTime.seconds >= Math.min(MIN_LEASE_SECONDS, plannedTime.seconds)
    )
      return [];
    const evidenceText = `${path} on ${host}: ${actualTime.text}; planned ${plannedTime.text}`;
    return [createSymptom('possible', host, evidenceText, `ssh ${host} grep -nE 'lease-time|lifetime' ${path}`)];
  });
}

function parseLeaseTime(text: string): { text: string; seconds: number } | null {
  const match = /^\s*default-lease-time\s+(\d+)/m.exec(text) ?? /"valid-lifetime"\s*:\s*(\d+)/.exec(text);
  return match === null ? null : { text: match[0].trim(), seconds: Number(match[1]) };
}

/** Lists machines that the server rejects: its file lacks the machine, or has another MAC address for it. */
function listUnknownMachineSymptoms({ lines, machines }: Evidence): Symptom[] {
  const waitingMachines = machines.filter(
    ({ stage, hasJoined, poweredOnAt }) => stage === 'off' && !hasJoined && poweredOnAt !== null,
  );
  const refusals = lines.filter(({ source, text }) => source === 'dhcp' && /no free leases|unknown client/i.test(text));
  return waitingMachines.flatMap(({ name, mac }): Symptom[] => {
    const line = refusals.findLast(({ text }) => text.toLowerCase().includes(mac));
    const command = `${DHCP_LOG_COMMAND} | grep -i ${mac}`;
    return line === undefined ? [] : [createSymptom('certain', name, line.text, command)];
  });
}

const RANGE_PATTERNS = {
  'isc-dhcpd': /^\s*range\s+(?:dynamic-bootp\s+)?([\d.]+)(?:\s+([\d.]+))?\s*;/gm,
  'kea-dhcp4': /"pool"\s*:\s*"\s*([\d.]+)\s*(?:-\s*([\d.]+)|\/(\d+))\s*"/g,
} as const;
/** Maximum number of addresses that are listed for one range. */
const MAX_ADDRESSES = 4;

/** The DHCP server leases out addresses that belong to nodes, service hosts or the endpoints. */
export const dhcpPoolOverlaps = createDiagnosticRule('dhcp-pool-overlaps', 'boot', (evidence) => [
  ...listOverlappingRangeSymptoms(evidence),
  ...symptomsFromLines(
    matchLogLines(evidence, /Dynamic and static leases present for/).slice(-1),
    'certain',
    `${DHCP_LOG_COMMAND} | grep 'Dynamic and static'`,
  ),
]);

function listOverlappingRangeSymptoms({ design, files }: Evidence): Symptom[] {
  if (design === null) return [];
  const reservedAddresses = listReservedAddresses(design);
  return files.flatMap(({ host, kind, path, text, plannedText }): Symptom[] => {
    if (kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') return [];
    const plannedRanges = new Set(parseRanges(kind, plannedText).map(({ range }) => range));
    return parseRanges(kind, text).flatMap(({ range, first, last }): Symptom[] => {
      const conflicts = reservedAddresses.filter(({ number }) => number >= first && number <= last);
      // A range that the design itself has is intended.
      if (plannedRanges.has(range) || conflicts.length === 0) return [];
      const addressTexts = conflicts.slice(0, MAX_ADDRESSES).map(({ name, address }) => `${name} ${address}`);
      const evidenceText = `${path} on ${host}: ${range}: ${addressTexts.join(', ')}${conflicts.length > MAX_ADDRESSES ? ', …' : ''}`;
      const command = `ssh ${host} grep -nE 'range|pool' ${path}`;
      return [createSymptom('likely', host, evidenceText, command)];
    });
  });
}

function parseRanges(
  kind: keyof typeof RANGE_PATTERNS,
  text: string,
): { range: string; first: bigint; last: bigint }[] {
  // A range in a comment has no effect.
  const plainText = text.replaceAll(/^\s*(?:#|\/\/).*$/gm, '');
  return [...plainText.matchAll(RANGE_PATTERNS[kind])].flatMap(([range, firstText = '', lastText, prefix]) => {
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
  const rogueSymptoms = listRogueServerOffers(evidence).map(
    ({ server, text }): Symptom => createSymptom('certain', server, text, command),
  );
  const mismatchSymptoms = evidence.mismatchedRequests.map(
    ({ node, clientAddress, path }): Symptom =>
      createSymptom('likely', node, `${path} requested by ${clientAddress}`, command),
  );
  return [...symptomsFromFailedChecks(evidence, 'dhcp-foreign'), ...rogueSymptoms, ...mismatchSymptoms];
});

/**
 * Lists the accepted offers of servers outside the design. A request names its server in brackets (ISC dhcpd:
 * "DHCPREQUEST for A (S) from M"). A request does not count if its machine got a lease from our server later.
 */
function listRogueServerOffers({ design, lines }: Evidence) {
  if (design === null) return [];
  const serviceHostAddresses = listServiceHosts(design).flatMap(({ ip }) => ip);
  const texts = lines.filter(({ source }) => source === 'dhcp').map(({ text }) => text);
  return texts.flatMap((text, index) => {
    const server = parseServerAddress(text);
    if (server === null || serviceHostAddresses.includes(server)) return [];
    const [mac] = MAC.exec(text) ?? [];
    const isLaterLease = (laterText: string) =>
      mac !== undefined &&
      laterText.includes(mac) &&
      (parseLeasedAddress(laterText) !== null || serviceHostAddresses.includes(parseServerAddress(laterText) ?? ''));
    return texts.slice(index + 1).some(isLaterLease) ? [] : [{ server, text }];
  });
}

function parseServerAddress(text: string): string | null {
  const [, server = null] =
    /DHCPREQUEST for \S+ \(([\d.]+)\)/.exec(text) ?? /server[- ]identifier[ =:]+([\d.]+)/i.exec(text) ?? [];
  return server;
}

/** A machine is silent, and an unknown MAC address requests an address. */
export const wrongMac = createDiagnosticRule('wrong-mac', 'boot', (evidence) => [
  ...bootUnknownMac.run(deriveBootEvidence(evidence)).map(({ subject, title, evidence: designTexts }) => {
    const line = evidence.lines.findLast(
      ({ source, text }) => source === 'dhcp' && evidence.unknownMacs.some((mac) => text.toLowerCase().includes(mac)),
    );
    const command = `${DHCP_LOG_COMMAND} | grep -iE 'no free leases|unknown client|DISCOVER'`;
    const symptomText = line?.text ?? title;
    return { ...createSymptom('likely', subject, symptomText, command), evidence: [symptomText, ...designTexts] };
  }),
  ...symptomsFromBootMessages(evidence, 'wrong-mac'),
]);

const IPXE_SCRIPT = /\.ipxe$/;

/**
 * Lists settings of these names that differ from the generated files of the DHCP servers, as certain symptoms.
 * @param requiredNames names of settings that machines cannot do without: only these count when they are missing
 */
function listWrongSettingSymptoms(
  { files }: Evidence,
  names: ReadonlySet<string>,
  requiredNames: ReadonlySet<string>,
): Symptom[] {
  return files.flatMap((file) => {
    if (file.kind !== 'isc-dhcpd' && file.kind !== 'kea-dhcp4') return [];
    const { actualSettings, plannedSettings } = getFileSettings(file);
    // A file without readable settings has another fault.
    if (actualSettings.length === 0) return [];
    const listValues = (settings: readonly DhcpSetting[], { machine, name, condition }: DhcpSetting) => {
      const sameNameSettings = settings.filter((setting) => setting.machine === machine && setting.name === name);
      const sameConditionSettings = sameNameSettings.filter(
        (sameNameSetting) => sameNameSetting.condition === condition,
      );
      // A condition that is worded differently may mean the same.
      return (sameConditionSettings.length > 0 ? sameConditionSettings : sameNameSettings).map(({ value }) => value);
    };
    const isPresent = (plannedSetting: DhcpSetting) => {
      const values = actualSettings
        .filter(({ machine, name }) => machine === plannedSetting.machine && name === plannedSetting.name)
        .map(({ value }) => value);
      // A firmware type that no machine has may lack its program. Without its script, iPXE loads itself forever.
      return IPXE_SCRIPT.test(plannedSetting.value) ? values.includes(plannedSetting.value) : values.length > 0;
    };
    const wrongValueSymptoms = actualSettings
      .filter(
        (actualSetting) =>
          names.has(actualSetting.name) && plannedSettings.some(({ machine }) => machine === actualSetting.machine),
      )
      .filter(
        (actualSetting) =>
          listValues(plannedSettings, actualSetting).length > 0 &&
          !listValues(plannedSettings, actualSetting).includes(actualSetting.value),
      )
      .map((actualSetting) =>
        createSettingSymptom(
          file,
          actualSetting,
          `${actualSetting.name} ${actualSetting.value}; planned ${listValues(plannedSettings, actualSetting).join(', ')}`,
        ),
      );
    const missingSettingSymptoms = plannedSettings
      .filter((plannedSetting) => requiredNames.has(plannedSetting.name) && !isPresent(plannedSetting))
      .map((plannedSetting) =>
        createSettingSymptom(file, plannedSetting, `no ${plannedSetting.name}; planned ${plannedSetting.value}`),
      );
    return [...wrongValueSymptoms, ...missingSettingSymptoms];
  });
}

function createSettingSymptom({ host, path }: ConfigFile, { machine, name }: DhcpSetting, detail: string): Symptom {
  const machinePrefix = machine === '' ? '' : `${machine}: `;
  const evidenceText = `${path} on ${host}: ${machinePrefix}${detail}`;
  return createSymptom('certain', machine || host, evidenceText, `ssh ${host} grep -n ${name} ${path}`);
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
