import { canonicalAddress, isAddressInNetwork, parseNetwork } from '../../design/address.ts';
import { nodeFqdn } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { MINUTE } from '../../platform/clock.ts';
import { shellCommand } from '../../platform/shell-quoting.ts';
import { findUnroutablePorts } from '../bootstrap/evidence.ts';
import { needsAttention } from '../operators.ts';
import { diagnosticRule, isBootstrapping, matchLogLines, type Symptom, symptomsFromLines } from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';

/** A failed connection inside the cluster. */
interface FailedConnection {
  readonly address: string;
  readonly port: number;
  readonly reporter: string;
  readonly text: string;
  /** Ms; null if unknown. A message of an operator counts as current. */
  readonly at: number | null;
  /** An operator reports it, and has for longer than is normal. */
  readonly isOperator: boolean;
}

/** The pods and ports of a node are up soon after it is Ready again. */
const STARTUP_PERIOD = 5 * MINUTE;

/** No answer, or a firewall that rejects. A port without a listener refuses the connection, which is another fault. */
const CONNECTION_FAILURES = [
  /dial tcp \[?([0-9a-f.:]+?)\]?:(\d+): (?:connect: )?(?:i\/o timeout|no route to host|connection timed out)/gi,
  /https?:\/\/\[?([0-9a-f.:]+?)\]?:(\d+)\/\S*.{0,200}?(?:context deadline exceeded|Client\.Timeout|i\/o timeout|no route to host)/gi,
];

/** Failed connections between nodes and pods, as reported by logs and operators. */
export function listFailedConnections(evidence: Evidence): FailedConnection[] {
  const fromOperators = (isBootstrapping(evidence) ? [] : (evidence.cluster?.operators ?? []))
    .filter(needsAttention)
    .map(({ name, message }) => ({ reporter: name, text: message, at: evidence.now, isOperator: true }));
  const lines = evidence.lines.map(({ host, source, text, at }) => ({
    reporter: host ?? source,
    text,
    at,
    isOperator: false,
  }));
  return [...fromOperators, ...lines].flatMap((one) => {
    const found = CONNECTION_FAILURES.flatMap((pattern) => [...one.text.matchAll(pattern)]);
    return found.map(([, address = '', port = '']) => ({ ...one, address, port: Number(port) }));
  });
}

/** When a Ready Node has finished its start, ms; null if it is not Ready, or unknown. */
function getStartupEnd({ cluster }: Evidence, name: string): number | null {
  const node = cluster?.nodes?.find((each) => each.name === name && each.isReady);
  return node?.readySince == null ? null : node.readySince + STARTUP_PERIOD;
}

/** Whether an address is in the machine networks. */
export function isMachineAddress({ networks }: Design, address: string): boolean {
  return networks.machine.some(({ cidr }) => isInCidr(address, cidr));
}

/** Whether an address is in the networks of pods and services. */
export function isPodOrServiceAddress({ networks }: Design, address: string): boolean {
  return [...networks.cluster.map(({ cidr }) => cidr), ...networks.service].some((cidr) => isInCidr(address, cidr));
}

function isInCidr(address: string, cidr: string): boolean {
  const network = parseNetwork(cidr);
  return network !== null && canonicalAddress(address) !== null && isAddressInNetwork(address, network);
}

const UNSUPPORTED =
  /networkType\b.{0,80}(?:not supported|unsupported|[Ii]nvalid value|unknown)|unknown network type|network type \S+ is not supported|(?:invalid for|unsupported) network type/;

/** This release does not support the configured network type: no pod network starts, and no node becomes Ready. */
export const networkTypeUnsupported = diagnosticRule('network-type-unsupported', 'network', (evidence) => [
  ...(evidence.cluster?.operators ?? [])
    .filter(({ name, message }) => name === 'network' && UNSUPPORTED.test(message))
    .map(
      ({ name, message }): Symptom => ({
        likelihood: 'certain',
        subject: name,
        symptom: message,
        command: 'oc get network.config cluster -o yaml; oc describe clusteroperator network',
      }),
    ),
  ...symptomsFromLines(
    matchLogLines(evidence, UNSUPPORTED).slice(-1),
    'certain',
    'grep -n networkType install-config.yaml.* | tail',
  ),
]);

/** The cluster's own networks overlap with the machine network, or with something that nodes must reach. */
export const networksOverlap = diagnosticRule('networks-overlap', 'network', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /\b(?:cidrs?|networks?|subnets?|ip address(?:es)?)\b.*\boverlap/i).slice(-1),
    'likely',
    'oc get network.config cluster -o yaml; ip route',
  ),
);

/** This machine has no route to the machines of the cluster, so their state is unknown. */
export const noRouteToCluster = diagnosticRule(
  'no-way-from-here',
  'network',
  ({ ports }) => {
    // If an endpoint has addresses of both families, one that can be probed is enough.
    const unroutable = findUnroutablePorts(ports, ({ host }) => host);
    const first = new Map(unroutable.toReversed().map((each) => [each.address, each]));
    return [...first.values()].toReversed().map(({ address, port, detail = '' }) => ({
      likelihood: 'certain' as const,
      subject: address,
      symptom: detail || `${address}:${port}`,
      command: `ip route get ${address}`,
    }));
  },
  true,
);

/** A restarting pod is briefly unreachable. */
const MIN_OCCURRENCES = 3;

/**
 * Nodes are Ready, but pods on different nodes do not reach each other: the tunnel packets between nodes (Geneve, UDP
 * 6081; VXLAN, UDP 4789, with OpenShift SDN) are dropped, or too large for the network.
 */
export const podNetworkBlocked = diagnosticRule('pod-network-blocked', 'network', (evidence) => {
  const { design, cluster } = evidence;
  if (design === null) return [];
  const startupEnds = (cluster?.nodes ?? []).flatMap(({ name }) => getStartupEnd(evidence, name) ?? []);
  if (startupEnds.length < 2) return [];
  const failed = listFailedConnections(evidence)
    .filter(({ address }) => isPodOrServiceAddress(design, address))
    .filter(({ at }) => at === null || at > Math.max(...startupEnds));
  const byOperators = failed.filter(({ isOperator }) => isOperator);
  const [first = failed[0]] = byOperators;
  // Several operators that report it, or one program that reports it repeatedly.
  const isOften = failed.length >= MIN_OCCURRENCES || new Set(byOperators.map(({ reporter }) => reporter)).size > 1;
  if (first === undefined || !isOften) return [];
  const port = design.networks.type === 'OpenShiftSDN' ? 4789 : 6081;
  return [
    {
      likelihood: byOperators.length > 0 ? 'likely' : 'possible',
      subject: '',
      symptom: `${first.reporter}: ${first.text}`,
      command: `oc debug node/NODE -- chroot /host sh -c 'ping -M do -s 1372 -c 3 OTHER-NODE; timeout 20 tcpdump -c 5 -ni any udp port ${port}'`,
    },
  ];
});

/** The pods of the network start within minutes of the node. */
const GRACE_PERIOD = 15 * MINUTE;

/** Nodes joined, but their pod network does not start: overlapping networks, MTU, or images that cannot be pulled. */
export const podNetworkNotReady = diagnosticRule('network-not-ready', 'network', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, notReadySince, message }) =>
        !isReady &&
        now - (notReadySince ?? now) > GRACE_PERIOD &&
        /cni config uninitialized|NetworkPluginNotReady|No CNI configuration/.test(message),
    )
    .map(({ name, message }) => ({
      likelihood: 'possible' as const,
      subject: name,
      symptom: message,
      command: shellCommand`oc get pods -n openshift-ovn-kubernetes -o wide --field-selector spec.nodeName=${name}`,
    })),
);

/** Ports of the load balancer, DNS and SSH: other rules cover them. */
const COVERED_BY_OTHER_RULES: ReadonlySet<number> = new Set([22, 53, 80, 443, 6443, 22623]);

/** A node works, but another one gets no answer from one of its ports: a firewall is in between. */
export const portBlockedBetweenNodes = diagnosticRule('node-port-closed', 'network', (evidence) => {
  const { design } = evidence;
  if (design === null) return [];
  const failed = listFailedConnections(evidence).filter(({ port }) => !COVERED_BY_OTHER_RULES.has(port));
  return design.nodes.flatMap((node): Symptom[] => {
    const since = getStartupEnd(evidence, nodeFqdn(design, node));
    // A restarting machine answers on none of its ports for a while.
    if (since === null) return [];
    const own = failed.filter(({ address, at }) => node.ip.includes(address) && (at === null || at > since));
    return [...new Set(own.map(({ port }) => port))].flatMap((port): Symptom[] => {
      const all = own.filter((each) => each.port === port);
      const [first] = all;
      if (first === undefined || all.length < MIN_OCCURRENCES) return [];
      const command = `oc debug node/NODE -- chroot /host nc -vz ${first.address} ${port}`;
      return [{ likelihood: 'likely', subject: node.name, symptom: `${first.reporter}: ${first.text}`, command }];
    });
  });
});
