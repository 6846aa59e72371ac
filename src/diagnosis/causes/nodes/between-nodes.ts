import { canonicalAddress, isInside, parseNetwork } from '../../../design/address.ts';
import type { Design } from '../../../design/model.ts';
import { MINUTE } from '../../../ports/clock.ts';
import { needsAttention } from '../../operators/states.ts';
import { isBootstrapping } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** Somebody in the cluster got no connection to an address of the cluster. */
export interface Lost {
  readonly address: string;
  readonly port: number;
  readonly who: string;
  readonly text: string;
  /** Ms; null: nobody says. What an operator says, it says now. */
  readonly at: number | null;
  /** An operator says so, and has for longer than is normal. */
  readonly isOperator: boolean;
}

/** A node that is Ready again has its pods and ports soon after. */
const START = 5 * MINUTE;

/** No answer, or a firewall that rejects: a port that nobody has is refused, which is another matter. */
const LOST = [
  /dial tcp \[?([0-9a-f.:]+?)\]?:(\d+): (?:connect: )?(?:i\/o timeout|no route to host|connection timed out)/gi,
  /https?:\/\/\[?([0-9a-f.:]+?)\]?:(\d+)\/\S*.{0,200}?(?:context deadline exceeded|Client\.Timeout|i\/o timeout|no route to host)/gi,
];

/** Connections between nodes and pods that came to nothing, as logs and operators tell of them. */
export function lostConnections(evidence: Evidence): Lost[] {
  const said = (isBootstrapping(evidence) ? [] : (evidence.cluster?.operators ?? []))
    .filter(needsAttention)
    .map(({ name, message }) => ({ who: name, text: message, at: evidence.now, isOperator: true }));
  const lines = evidence.lines.map(({ host, source, text, at }) => ({
    who: host ?? source,
    text,
    at,
    isOperator: false,
  }));
  return [...said, ...lines].flatMap((one) => {
    const found = LOST.flatMap((pattern) => [...one.text.matchAll(pattern)]);
    return found.map(([, address = '', port = '']) => ({ ...one, address, port: Number(port) }));
  });
}

/** Since when a Node is Ready, with what its start takes; null: it is not, or nobody knows. */
export function settledSince({ cluster }: Evidence, name: string): number | null {
  const node = cluster?.nodes?.find((each) => each.name === name && each.isReady);
  return node?.readySince == null ? null : node.readySince + START;
}

/** Whether an address is of the machines, or of the cluster's own networks. */
export function isOfMachines({ networks }: Design, address: string): boolean {
  return networks.machine.some(({ cidr }) => isIn(address, cidr));
}

/** The networks of pods and services. */
export function isOfPods({ networks }: Design, address: string): boolean {
  return [...networks.cluster.map(({ cidr }) => cidr), ...networks.service].some((cidr) => isIn(address, cidr));
}

function isIn(address: string, cidr: string): boolean {
  const network = parseNetwork(cidr);
  return network !== null && canonicalAddress(address) !== null && isInside(address, network);
}
