import { canonicalAddress, isAddressInNetwork, parseNetwork } from '../../../design/address.ts';
import type { Design } from '../../../design/model.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { needsAttention } from '../../operators/states.ts';
import { isBootstrapping } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

/** A failed connection inside the cluster. */
export interface FailedConnection {
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
export function getStartupEnd({ cluster }: Evidence, name: string): number | null {
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
