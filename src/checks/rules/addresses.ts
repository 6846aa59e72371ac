import { MINUTE } from '../../platform/clock.ts';
import { parseLeasedAddress } from '../boot/dhcp-log.ts';
import {
  diagnosticRule,
  matchLogLines,
  type Symptom,
  symptomsFromFailedChecks,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';
import { listStalledJoins } from './machines.ts';
import { isMachineAddress, isPodOrServiceAddress, listFailedConnections } from './node-network.ts';
import { listOpenPorts } from './reachability.ts';

/** A machine probes the network for its new address for some seconds (RFC 5227), and then declines it. */
const PROBE_PERIOD = MINUTE / 2;

/** Two machines use the address of one node. */
export const duplicateIpAddress = diagnosticRule('address-taken-twice', 'network', (evidence) => [
  ...symptomsFromFailedChecks(evidence, 'ip-conflict'),
  ...findArpConflicts(evidence),
  ...findDeclinedAddresses(evidence),
  ...findNodesWithSameAddress(evidence),
  ...findAnswersWhileOff(evidence),
  ...symptomsFromLines(
    matchLogLines(evidence, /duplicate address|address conflict|IP address conflict/i).slice(-1),
    'likely',
  ),
]);

/** Conflicts that the neighbour table of a service host shows. */
function findArpConflicts(evidence: Evidence): Symptom[] {
  const reported = new Set(symptomsFromFailedChecks(evidence, 'ip-conflict').map(({ subject }) => subject));
  return evidence.machines.flatMap(({ name, address, mac, conflictingMac }): Symptom[] => {
    if (conflictingMac === null || reported.has(`${name} ${address}`)) return [];
    const symptom = `ARP: ${address} is ${conflictingMac}; ${name} has ${mac}`;
    return [
      { likelihood: 'certain', subject: name, symptom, command: `ping -c 1 ${address}; ip neigh show ${address}` },
    ];
  });
}

/**
 * A machine that finds its address in use declines it (RFC 2131, 4.4.1); dhcpd probes an address of a range before it
 * offers it. The conflict is over once the machine has kept the address since.
 */
function findDeclinedAddresses({ design, lines, now }: Evidence): Symptom[] {
  const lastLease = new Map<string, number>();
  for (const [index, { source, text, at }] of lines.entries()) {
    const leased = source === 'dhcp' ? parseLeasedAddress(text) : null;
    if (leased !== null && (at === null || now - at > PROBE_PERIOD)) lastLease.set(leased, index);
  }
  return lines.flatMap(({ source, text }, index) => {
    const address =
      source === 'dhcp'
        ? /(?:DHCPDECLINE of|Abandoning IP address) ([\d.]+)|DHCP4_DECLINE.*?((?:\d+\.){3}\d+)/.exec(text)
        : null;
    const declined = address?.[1] ?? address?.[2];
    if (declined === undefined || (lastLease.get(declined) ?? -1) > index) return [];
    const node = design?.nodes.find(({ ip }) => ip.includes(declined));
    const command = `sudo arping -D -c 3 ${declined}; ip neigh show ${declined}`;
    return [{ likelihood: 'certain' as const, subject: node?.name ?? declined, symptom: text, command }];
  });
}

function findNodesWithSameAddress({ cluster }: Evidence): Symptom[] {
  const nodes = cluster?.nodes ?? [];
  // Indexed by address: a bundle may hold thousands of nodes.
  const byAddress = Map.groupBy(
    nodes.flatMap((node) => node.addresses.map((address) => ({ address, node }))),
    ({ address }) => address,
  );
  return nodes.flatMap(({ name, addresses }) => {
    const sharing = addresses.flatMap((address) => byAddress.get(address) ?? []);
    const other = sharing.find(({ node }) => node.name > name)?.node;
    if (other === undefined) return [];
    const command = 'oc get nodes -o wide';
    const symptom = `${name} ${addresses.join(', ')}; ${other.name} ${other.addresses.join(', ')}`;
    return [{ likelihood: 'certain' as const, subject: name, symptom, command }];
  });
}

/** A host answers at the address of a machine that is not powered on, while others are. */
function findAnswersWhileOff(evidence: Evidence): Symptom[] {
  const { machines } = evidence;
  if (machines.every(({ poweredOnAt }) => poweredOnAt === null)) return [];
  return machines.flatMap((machine): Symptom[] => {
    const { name, address, poweredOnAt, hasJoined } = machine;
    const ports = listOpenPorts(evidence, name);
    if (poweredOnAt !== null || hasJoined || ports.length === 0) return [];
    const command = `ping -c 1 ${address}; ip neigh show ${address}`;
    return [
      {
        likelihood: 'possible',
        subject: name,
        symptom: `${address} port ${ports.join(', ')} open, and ${name} is off`,
        command,
      },
    ];
  });
}

/** Addresses that may belong to the cluster itself while its networks are unknown (RFC 1918, RFC 6598, RFC 4193). */
const PRIVATE_ADDRESS =
  /(?:dial \S+|\/\/|ping|host) \[?(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1|f[cd][0-9a-f]{2}:|fe80:)/i;

/** Nodes get another gateway for the machine network than the design has. */
export const gatewayWrong = diagnosticRule('gateway-wrong', 'network', (evidence) => {
  const wrong = findWrongRouters(evidence);
  if (wrong.length > 0) return wrong;
  // If the file of the DHCP server cannot be read, its own offer shows the gateway.
  const offered = symptomsFromFailedChecks(evidence, 'dhcp-gateway');
  if (offered.length > 0) return offered;
  const lines = matchLogLines(
    evidence,
    /(?:connect|dial|ping).*(?:network is unreachable|no route to host)|^ip route: no default route/i,
  ).filter(
    // No router is involved between the machines of a network, nor between their pods.
    ({ text }) => !/:(?:6443|22623)\b/.test(text) && !isWithinCluster(evidence, text),
  );
  return symptomsFromLines(
    lines.slice(-1),
    'likely',
    'ip route; ping -c 3 "$(ip route | awk \'/^default/ {print $3}\')"',
  );
});

function findWrongRouters({ design, files }: Evidence) {
  if (design === null) return [];
  const planned = design.networks.machine.flatMap(({ gateway }) => gateway ?? []);
  return files.flatMap(({ host, kind, path, text }) => {
    if ((kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') || planned.length === 0) return [];
    return parseRouters(kind, text).flatMap((address) =>
      planned.includes(address)
        ? []
        : [
            {
              likelihood: 'certain' as const,
              subject: host,
              symptom: `${path} on ${host}: routers ${address}`,
              command: `ssh ${host} grep -n routers ${path}`,
            },
          ],
    );
  });
}

function parseRouters(kind: 'isc-dhcpd' | 'kea-dhcp4', text: string): string[] {
  const lines =
    kind === 'isc-dhcpd'
      ? text.matchAll(/^\s*option\s+routers\s+([\d., ]+);/gm)
      : text.matchAll(/"name":\s*"routers"[^}]*?"data":\s*"([\d., ]+)"/g);
  return [...new Set([...lines].flatMap(([, list = '']) => list.split(',').map((each) => each.trim())))];
}

function isWithinCluster(evidence: Evidence, text: string): boolean {
  const { design } = evidence;
  if (design === null) return PRIVATE_ADDRESS.test(text);
  const failed = listFailedConnections({
    ...evidence,
    cluster: null,
    lines: [{ source: '', host: null, text, at: null }],
  });
  return failed.some(({ address }) => isMachineAddress(design, address) || isPodOrServiceAddress(design, address));
}

/** OVN-Kubernetes needs 100 bytes for its tunnels; with less than this even its smallest packets do not fit (IPv6: 1280). */
const MIN_MTU = 1400;
/** A single one may be a slow server. */
const MIN_OCCURRENCES = 3;

/** Small packets pass, and large ones do not: connections open, and hang at the first large answer. */
export const mtuTooSmall = diagnosticRule('mtu-too-small', 'network', (evidence) => {
  const fromDhcp = evidence.files.flatMap(({ host, kind, path, text }) => {
    const isDhcp = kind === 'isc-dhcpd' || kind === 'kea-dhcp4';
    const found = !isDhcp ? null : /interface-mtu"?[\s,]*(?:"data":\s*")?\s*(\d+)/.exec(text);
    if (found === null || Number(found[1]) >= MIN_MTU) return [];
    const symptom = `${path} on ${host}: interface-mtu ${found[1]}`;
    return [{ likelihood: 'certain' as const, subject: host, symptom, command: `ssh ${host} grep -n mtu ${path}` }];
  });
  const address = evidence.design?.endpoints.apiInt[0] ?? 'API-INT';
  const command = `ping -M do -s 1472 -c 3 ${address}`;
  const explicit = matchLogLines(
    evidence,
    /[Mm]essage too long|frag(?:mentation)? needed|packet too big|mtu[ =]+\d+.*(?:too small|less than|smaller)/i,
  );
  const slow = matchLogLines(
    evidence,
    /(?:timeout|exceeded.*while) awaiting (?:response )?headers|TLS handshake timeout/,
    MIN_OCCURRENCES,
  );
  return [
    ...fromDhcp,
    ...symptomsFromLines(explicit.slice(-1), 'likely', command),
    ...symptomsFromLines(slow.slice(-1), 'possible', command),
    ...findLargeAnswerStalls(evidence),
    ...findRepeatedDownloads(evidence),
  ];
});

/** Every machine goes silent at the first large answer over TLS, although the same port answers from here. */
function findLargeAnswerStalls(evidence: Evidence): Symptom[] {
  const stalled = listStalledJoins(evidence);
  const hasOne = evidence.machines.some(({ role, hasJoined }) => role === 'control-plane' && hasJoined);
  if (hasOne || stalled.length < 2) return [];
  const { loadBalancer } = evidence.design?.services ?? {};
  const [balancer] = loadBalancer?.servers ?? [];
  return stalled.map(({ name, address }) => {
    const symptom = `${name} started from its disk and does not join; api-int:22623 is open from here`;
    // The large packets flow from the load balancer to the machine, which answers a ping even before it has its
    // configuration.
    const ping = `ping -M do -s 1472 -c 3 ${address}`;
    const command = balancer === undefined ? ping : `ssh ${balancer.ip[0] ?? balancer.name} ${ping}`;
    return { likelihood: 'possible', subject: name, symptom, command };
  });
}

/** A machine starts to fetch the first large file again and again, after small files that arrived whole. */
function findRepeatedDownloads({ machines }: Evidence): Symptom[] {
  return machines.flatMap(({ name, address, requests, hasJoined }): Symptom[] => {
    const last = requests.at(-1);
    const times = requests.filter(({ path, status }) => path === last?.path && status < 400).length;
    if (hasJoined || last === undefined || times < MIN_OCCURRENCES || !/^\/images\/.*kernel/.test(last.path)) return [];
    const symptom = `${name}: ${last.path} ${times}×, and nothing after it`;
    return [{ likelihood: 'possible', subject: name, symptom, command: `ping -M do -s 1472 -c 3 ${address}` }];
  });
}
