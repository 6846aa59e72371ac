import type { Finding } from '../finding.ts';
import { check } from '../rule.ts';
import type { JoinCandidate } from './evidence.ts';

/** The DHCP server's file has an entry for the node. */
export const dhcpEntry = check('join-dhcp', 'fatal', ({ name: subject, dhcp: entry }: JoinCandidate) =>
  entry === 'none' ? null : { state: toState(entry), subject },
);

/** The load balancers' files have the node in their pools. */
export const balancerEntry = check('join-balancer', 'warning', ({ name: subject, balancer: entry }: JoinCandidate) =>
  entry === 'none' ? null : { state: toState(entry), subject },
);

function toState(entry: 'there' | 'missing' | null): Finding['state'] {
  if (entry === null) return 'unknown';
  return entry === 'missing' ? 'failed' : 'ok';
}
