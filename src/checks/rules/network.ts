import { isAddressInNetwork, parseNetwork, toCanonicalAddress } from '../../design/address.ts';
import { getNodeFqdn, runsEtcd } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { MINUTE } from '../../platform/clock.ts';
import { quoteShellCommand } from '../../platform/shell-quoting.ts';
import { parseLeasedAddress } from '../boot/dhcp-log.ts';
import { listUnroutablePorts } from '../bootstrap/evidence.ts';
import { needsAttention } from '../operators.ts';
import {
  createDiagnosticRule,
  createSymptom,
  isBootstrapping,
  matchLogLines,
  type Symptom,
  symptomsFromFailedChecks,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence, ObservedMachine } from './evidence.ts';
import { listOpenPorts, listStalledJoins } from './machines.ts';

/** A machine probes a new address for some seconds (RFC 5227), and declines it if another machine answers. */
const PROBE_PERIOD = MINUTE / 2;

/** Two machines use the address of one node. */
export const duplicateIpAddress = createDiagnosticRule('address-taken-twice', 'network', (evidence) => [
  ...symptomsFromFailedChecks(evidence, 'ip-conflict'),
  ...listArpConflictSymptoms(evidence),
  ...listDeclinedAddressSymptoms(evidence),
  ...listSharedAddressSymptoms(evidence),
  ...listAnswerWhileOffSymptoms(evidence),
  ...symptomsFromLines(
    matchLogLines(evidence, /duplicate address|address conflict|IP address conflict/i).slice(-1),
    'likely',
  ),
]);

/** Lists conflicts that the neighbour table of a service host shows. */
function listArpConflictSymptoms(evidence: Evidence): Symptom[] {
  const reportedSubjects = new Set(symptomsFromFailedChecks(evidence, 'ip-conflict').map(({ subject }) => subject));
  return evidence.machines.flatMap(({ name, address, mac, conflictingMac }): Symptom[] => {
    if (conflictingMac === null || reportedSubjects.has(`${name} ${address}`)) return [];
    const evidenceText = `ARP: ${address} is ${conflictingMac}; ${name} has ${mac}`;
    return [createSymptom('certain', name, evidenceText, `ping -c 1 ${address}; ip neigh show ${address}`)];
  });
}

/**
 * Lists addresses that a machine declined because they are in use (RFC 2131, 4.4.1), or that dhcpd found in use before
 * an offer. The conflict is over if the address was leased again later.
 */
function listDeclinedAddressSymptoms({ design, lines, now }: Evidence): Symptom[] {
  const lastLeaseIndexByAddress = new Map<string, number>();
  for (const [index, { source, text, at }] of lines.entries()) {
    const leasedAddress = source === 'dhcp' ? parseLeasedAddress(text) : null;
    if (leasedAddress !== null && (at === null || now - at > PROBE_PERIOD))
      lastLeaseIndexByAddress.set(leasedAddress, index);
  }
  return lines.flatMap(({ source, text }, index) => {
    const declineMatch =
      source === 'dhcp'
        ? /(?:DHCPDECLINE of|Abandoning IP address) ([\d.]+)|DHCP4_DECLINE.*?((?:\d+\.){3}\d+)/.exec(text)
        : null;
    const declinedAddress = declineMatch?.[1] ?? declineMatch?.[2];
    if (declinedAddress === undefined || (lastLeaseIndexByAddress.get(declinedAddress) ?? -1) > index) return [];
    const node = design?.nodes.find(({ ip }) => ip.includes(declinedAddress));
    const command = `sudo arping -D -c 3 ${declinedAddress}; ip neigh show ${declinedAddress}`;
    return [createSymptom('certain', node?.name ?? declinedAddress, text, command)];
  });
}

function listSharedAddressSymptoms({ cluster }: Evidence): Symptom[] {
  const nodes = cluster?.nodes ?? [];
  // Indexed by address: a bundle may hold thousands of nodes.
  const nodesByAddress = Map.groupBy(
    nodes.flatMap((node) => node.addresses.map((address) => ({ address, node }))),
    ({ address }) => address,
  );
  return nodes.flatMap(({ name, addresses }) => {
    const sameAddressNodes = addresses.flatMap((address) => nodesByAddress.get(address) ?? []);
    const otherNode = sameAddressNodes.find(({ node }) => node.name > name)?.node;
    if (otherNode === undefined) return [];
    const command = 'oc get nodes -o wide';
    const evidenceText = `${name} ${addresses.join(', ')}; ${otherNode.name} ${otherNode.addresses.join(', ')}`;
    return [createSymptom('certain', name, evidenceText, command)];
  });
}

/** Lists machines that are not powered on, while others are, and at whose address a host answers. */
function listAnswerWhileOffSymptoms(evidence: Evidence): Symptom[] {
  const { machines } = evidence;
  if (machines.every(({ poweredOnAt }) => poweredOnAt === null)) return [];
  return machines.flatMap((machine): Symptom[] => {
    const { name, address, poweredOnAt, hasJoined } = machine;
    const ports = listOpenPorts(evidence, name);
    if (poweredOnAt !== null || hasJoined || ports.length === 0) return [];
    const command = `ping -c 1 ${address}; ip neigh show ${address}`;
    return [createSymptom('possible', name, `${address} port ${ports.join(', ')} open, and ${name} is off`, command)];
  });
}

/** Addresses that may belong to the cluster itself while its networks are unknown (RFC 1918, RFC 6598, RFC 4193). */
const PRIVATE_ADDRESS =
  /(?:dial \S+|\/\/|ping|host) \[?(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1|f[cd][0-9a-f]{2}:|fe80:)/i;

/** The address that a program connects to, in its message. */
const TARGET_ADDRESS =
  /(?:dial \S+ |\/\/|ping |host )(?:\[([0-9a-f:]+)\]|(\d+\.\d+\.\d+\.\d+)|([0-9a-f:]*::[0-9a-f:]*))/gi;

/** Nodes get another gateway for the machine network than the design has. */
export const gatewayWrong = createDiagnosticRule('gateway-wrong', 'network', (evidence) => {
  const wrongRouters = listWrongRouterSymptoms(evidence);
  if (wrongRouters.length > 0) return wrongRouters;
  // If the file of the DHCP server cannot be read, its own offer shows the gateway.
  const gatewayOffers = symptomsFromFailedChecks(evidence, 'dhcp-gateway');
  if (gatewayOffers.length > 0) return gatewayOffers;
  const lines = matchLogLines(
    evidence,
    /(?:connect|dial|ping).*(?:network is unreachable|no route to host)|^ip route: no default route|failed to get default gateway interface|Default gateway interface found: null/i,
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

function listWrongRouterSymptoms({ design, files }: Evidence) {
  if (design === null) return [];
  const plannedGateways = design.networks.machine.flatMap(({ gateway }) => gateway ?? []);
  return files.flatMap(({ host, kind, path, text }) => {
    if ((kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') || plannedGateways.length === 0) return [];
    return parseRouters(kind, text).flatMap((address) =>
      plannedGateways.includes(address)
        ? []
        : [
            createSymptom(
              'certain',
              host,
              `${path} on ${host}: routers ${address}`,
              `ssh ${host} grep -n routers ${path}`,
            ),
          ],
    );
  });
}

function parseRouters(kind: 'isc-dhcpd' | 'kea-dhcp4', text: string): string[] {
  const lines =
    kind === 'isc-dhcpd'
      ? text.matchAll(/^\s*option\s+routers\s+([\d., ]+);/gm)
      : text.matchAll(/"name":\s*"routers"[^}]*?"data":\s*"([\d., ]+)"/g);
  return [...new Set([...lines].flatMap(([, list = '']) => list.split(',').map((element) => element.trim())))];
}

function isWithinCluster(evidence: Evidence, text: string): boolean {
  const { design } = evidence;
  if (design === null) return PRIVATE_ADDRESS.test(text);
  const targets = [...text.matchAll(TARGET_ADDRESS)].flatMap(([, ...addresses]) =>
    addresses.filter((candidate) => candidate !== undefined),
  );
  return targets.some((address) => isMachineAddress(design, address) || isPodOrServiceAddress(design, address));
}

/**
 * Minimum MTU of a node. OVN-Kubernetes needs 100 bytes for its tunnel, and IPv6 needs 1,280 bytes inside it: 1,380,
 * rounded up.
 */
const MIN_MTU = 1400;
/** A single slow answer may come from a slow server. */
const MIN_SLOW_ANSWERS = 3;
/** A lost packet makes a machine repeat a download once or twice. */
const MIN_DOWNLOADS = 3;

/** Small packets pass, and large ones do not: connections open, and hang at the first large answer. */
export const mtuTooSmall = createDiagnosticRule('mtu-too-small', 'network', (evidence) => {
  const dhcpSymptoms = evidence.files.flatMap(({ host, kind, path, text }) => {
    const isDhcp = kind === 'isc-dhcpd' || kind === 'kea-dhcp4';
    const match = !isDhcp ? null : /interface-mtu"?[\s,]*(?:"data":\s*")?\s*(\d+)/.exec(text);
    if (match === null || Number(match[1]) >= MIN_MTU) return [];
    const evidenceText = `${path} on ${host}: interface-mtu ${match[1]}`;
    return [createSymptom('certain', host, evidenceText, `ssh ${host} grep -n mtu ${path}`)];
  });
  const address = evidence.design?.endpoints.apiInt[0] ?? 'API-INT';
  const command = `ping -M do -s 1472 -c 3 ${address}`;
  const mtuErrors = matchLogLines(
    evidence,
    /[Mm]essage too long|frag(?:mentation)? needed|packet too big|mtu[ =]+\d+.*(?:too small|less than|smaller)/i,
  );
  const slowAnswers = matchLogLines(
    evidence,
    /(?:timeout|exceeded.*while) awaiting (?:response )?headers|TLS handshake timeout/,
    MIN_SLOW_ANSWERS,
  );
  return [
    ...dhcpSymptoms,
    ...symptomsFromLines(mtuErrors.slice(-1), 'likely', command),
    ...symptomsFromLines(slowAnswers.slice(-1), 'possible', command),
    ...listLargeAnswerSymptoms(evidence),
    ...listRepeatedDownloadSymptoms(evidence),
  ];
});

/** Lists the machines if each goes silent at its first large answer over TLS, although the port answers from here. */
function listLargeAnswerSymptoms(evidence: Evidence): Symptom[] {
  const stalledMachines = listStalledJoins(evidence);
  const hasJoinedControlPlane = evidence.machines.some((machine) => runsEtcd(machine) && machine.hasJoined);
  if (hasJoinedControlPlane || stalledMachines.length < 2) return [];
  const { loadBalancer } = evidence.design?.services ?? {};
  const [balancer] = loadBalancer?.servers ?? [];
  return stalledMachines.map(({ name, address }) => {
    const evidenceText = `${name} started from its disk and does not join; api-int:22623 is open from here`;
    // The large packets flow from the load balancer to the machine, which answers a ping even before it has its
    // configuration.
    const ping = `ping -M do -s 1472 -c 3 ${address}`;
    const command = balancer === undefined ? ping : `ssh ${balancer.ip[0] ?? balancer.name} ${ping}`;
    return createSymptom('possible', name, evidenceText, command);
  });
}

/**
 * Lists machines that fetch their first large file again and again, after small files that arrived completely. That
 * file is the boot script if the network card itself runs iPXE, else the kernel.
 */
function listRepeatedDownloadSymptoms({ machines }: Evidence): Symptom[] {
  return machines.flatMap(({ name, address, requests, hasJoined }): Symptom[] => {
    const lastRequest = requests.at(-1);
    const fetchCount = requests.filter(({ path, status }) => path === lastRequest?.path && status < 400).length;
    if (
      hasJoined ||
      lastRequest === undefined ||
      fetchCount < MIN_DOWNLOADS ||
      !isFirstLargeFile(lastRequest.path, requests)
    )
      return [];
    const evidenceText = `${name}: ${lastRequest.path} ${fetchCount}×, and nothing after it`;
    return [createSymptom('possible', name, evidenceText, `ping -M do -s 1472 -c 3 ${address}`)];
  });
}

function isFirstLargeFile(file: string, requests: ObservedMachine['requests']): boolean {
  if (/^\/images\/.*kernel/.test(file)) return true;
  return file.startsWith('/boot.ipxe') && requests.every(({ path }) => path === file);
}

/** A failed connection inside the cluster. */
interface FailedConnection {
  readonly address: string;
  readonly port: number;
  readonly reporter: string;
  readonly text: string;
  /** Ms; null if unknown. A message of an operator counts as current. */
  readonly at: number | null;
  /** Whether an operator has reported it for longer than is normal. */
  readonly isReportedByOperator: boolean;
}

/** The pods and ports of a node are up soon after it is Ready again. */
const STARTUP_PERIOD = 5 * MINUTE;

/** Messages about no answer, or about a firewall that rejects. A refused connection is another fault: no listener. */
const CONNECTION_FAILURES = [
  /dial tcp \[?([0-9a-f.:]+?)\]?:(\d+): (?:connect: )?(?:i\/o timeout|no route to host|connection timed out)/gi,
  /https?:\/\/\[?([0-9a-f.:]+?)\]?:(\d+)\/\S*.{0,200}?(?:context deadline exceeded|Client\.Timeout|i\/o timeout|no route to host)/gi,
];

/** Lists failed connections between nodes and pods, as logs and operators report them. */
function listFailedConnections(evidence: Evidence): FailedConnection[] {
  const operatorReports = (isBootstrapping(evidence) ? [] : (evidence.cluster?.operators ?? []))
    .filter(needsAttention)
    .map(({ name, message }) => ({ reporter: name, text: message, at: evidence.now, isReportedByOperator: true }));
  const lines = evidence.lines.map(({ host, source, text, at }) => ({
    reporter: host ?? source,
    text,
    at,
    isReportedByOperator: false,
  }));
  return [...operatorReports, ...lines].flatMap((report) => {
    const matches = CONNECTION_FAILURES.flatMap((pattern) => [...report.text.matchAll(pattern)]);
    return matches.map(([, address = '', port = '']) => ({ ...report, address, port: Number(port) }));
  });
}

/** Returns the time at which a Ready Node has finished its start, ms; null if it is not Ready, or unknown. */
function getStartupEndMs({ cluster }: Evidence, name: string): number | null {
  const node = cluster?.nodes?.find((candidate) => candidate.name === name && candidate.isReady);
  return node?.readySince == null ? null : node.readySince + STARTUP_PERIOD;
}

/** Whether an address is in the machine networks. */
function isMachineAddress({ networks }: Design, address: string): boolean {
  return networks.machine.some(({ cidr }) => isInCidr(address, cidr));
}

/** Whether an address is in the networks of pods and services. */
function isPodOrServiceAddress({ networks }: Design, address: string): boolean {
  return [...networks.cluster.map(({ cidr }) => cidr), ...networks.service].some((cidr) => isInCidr(address, cidr));
}

function isInCidr(address: string, cidr: string): boolean {
  const network = parseNetwork(cidr);
  return network !== null && toCanonicalAddress(address) !== null && isAddressInNetwork(address, network);
}

const UNSUPPORTED_NETWORK_TYPE =
  /networkType\b.{0,80}(?:not supported|unsupported|[Ii]nvalid value|unknown)|unknown network type|network type \S+ is not supported|(?:invalid for|unsupported) network type/;

/** This release does not support the configured network type: no pod network starts, and no node becomes Ready. */
export const networkTypeUnsupported = createDiagnosticRule('network-type-unsupported', 'network', (evidence) => [
  ...(evidence.cluster?.operators ?? [])
    .filter(({ name, message }) => name === 'network' && UNSUPPORTED_NETWORK_TYPE.test(message))
    .map(
      ({ name, message }): Symptom =>
        createSymptom(
          'certain',
          name,
          message,
          'oc get network.config cluster -o yaml; oc describe clusteroperator network',
        ),
    ),
  ...symptomsFromLines(
    matchLogLines(evidence, UNSUPPORTED_NETWORK_TYPE).slice(-1),
    'certain',
    'grep -n networkType install-config.yaml.* | tail',
  ),
]);

/** The cluster's own networks overlap with the machine network, or with another network that nodes must reach. */
export const networksOverlap = createDiagnosticRule('networks-overlap', 'network', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /\b(?:cidrs?|networks?|subnets?|ip address(?:es)?)\b.*\boverlap/i).slice(-1),
    'likely',
    'oc get network.config cluster -o yaml; ip route',
  ),
);

/** This machine has no route to the machines of the cluster, so their state is unknown. */
export const noRouteToCluster = createDiagnosticRule(
  'no-way-from-here',
  'network',
  ({ ports }) => {
    // If an endpoint has addresses of both families, one that can be probed is enough.
    const unroutablePorts = listUnroutablePorts(ports, ({ host }) => host);
    const firstPortByAddress = new Map(
      unroutablePorts.toReversed().map((unroutablePort) => [unroutablePort.address, unroutablePort]),
    );
    return [...firstPortByAddress.values()]
      .toReversed()
      .map(({ address, port, detail = '' }) =>
        createSymptom('certain', address, detail || `${address}:${port}`, `ip route get ${address}`),
      );
  },
  true,
);

/** A restarting pod is briefly unreachable. */
const MIN_OCCURRENCES = 3;

/**
 * Nodes are Ready, but pods on different nodes do not reach each other: the tunnel packets between nodes (Geneve, UDP
 * 6081; VXLAN, UDP 4789, with OpenShift SDN) are dropped, or too large for the network.
 */
export const podNetworkBlocked = createDiagnosticRule('pod-network-blocked', 'network', (evidence) => {
  const { design, cluster } = evidence;
  if (design === null) return [];
  const startupEnds = (cluster?.nodes ?? []).flatMap(({ name }) => getStartupEndMs(evidence, name) ?? []);
  if (startupEnds.length < 2) return [];
  const failedConnections = listFailedConnections(evidence)
    .filter(({ address }) => isPodOrServiceAddress(design, address))
    .filter(({ at }) => at === null || at > Math.max(...startupEnds));
  const operatorConnections = failedConnections.filter(({ isReportedByOperator }) => isReportedByOperator);
  const [firstOperatorConnection = failedConnections[0]] = operatorConnections;
  // Several operators that report it, or one program that reports it repeatedly.
  const isRepeated =
    failedConnections.length >= MIN_OCCURRENCES ||
    new Set(operatorConnections.map(({ reporter }) => reporter)).size > 1;
  if (firstOperatorConnection === undefined || !isRepeated) return [];
  const port = design.networks.type === 'OpenShiftSDN' ? 4789 : 6081;
  const [node, otherNode] = (cluster?.nodes ?? []).map(({ name }) => name);
  return [
    createSymptom(
      operatorConnections.length > 0 ? 'likely' : 'possible',
      '',
      `${firstOperatorConnection.reporter}: ${firstOperatorConnection.text}`,
      quoteShellCommand`oc debug node/${node ?? ''} -- chroot /host sh -c ${`ping -M do -s 1372 -c 3 ${otherNode}; timeout 20 tcpdump -c 5 -ni any udp port ${port}`}`,
    ),
  ];
});

/** The pods of the network start within minutes of the node. */
const GRACE_PERIOD = 15 * MINUTE;

/** Nodes joined, but their pod network does not start: overlapping networks, MTU, or images that cannot be pulled. */
export const podNetworkNotReady = createDiagnosticRule('network-not-ready', 'network', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, notReadySince, message }) =>
        !isReady &&
        now - (notReadySince ?? now) > GRACE_PERIOD &&
        /cni config uninitialized|NetworkPluginNotReady|No CNI configuration/.test(message),
    )
    .map(({ name, message }) =>
      createSymptom(
        'possible',
        name,
        message,
        quoteShellCommand`oc get pods -n openshift-ovn-kubernetes -o wide --field-selector spec.nodeName=${name}`,
      ),
    ),
);

/** Ports of the load balancer, DNS and SSH: other rules cover them. */
const PORTS_OF_OTHER_RULES: ReadonlySet<number> = new Set([22, 53, 80, 443, 6443, 22623]);

/** A node works, but another one gets no answer from one of its ports: a firewall is in between. */
export const portBlockedBetweenNodes = createDiagnosticRule('node-port-closed', 'network', (evidence) => {
  const { design } = evidence;
  if (design === null) return [];
  const failedConnections = listFailedConnections(evidence).filter(({ port }) => !PORTS_OF_OTHER_RULES.has(port));
  return design.nodes.flatMap((node): Symptom[] => {
    const startupEnd = getStartupEndMs(evidence, getNodeFqdn(design, node));
    const otherNode = design.nodes.find(({ name, role }) => name !== node.name && role !== 'bootstrap') ?? node;
    // A restarting machine answers on none of its ports for a while.
    if (startupEnd === null) return [];
    const nodeConnections = failedConnections.filter(
      ({ address, at }) => node.ip.includes(address) && (at === null || at > startupEnd),
    );
    return [...new Set(nodeConnections.map(({ port }) => port))].flatMap((port): Symptom[] => {
      const portConnections = nodeConnections.filter((nodeConnection) => nodeConnection.port === port);
      const [firstPortConnection] = portConnections;
      if (firstPortConnection === undefined || portConnections.length < MIN_OCCURRENCES) return [];
      const command = quoteShellCommand`oc debug node/${getNodeFqdn(design, otherNode)} -- chroot /host nc -vz ${firstPortConnection.address} ${String(port)}`;
      return [
        createSymptom('likely', node.name, `${firstPortConnection.reporter}: ${firstPortConnection.text}`, command),
      ];
    });
  });
});
