import type { Finding } from '../finding.ts';
import { check } from '../rule.ts';
import type { JoiningNode } from './evidence.ts';

/** The file on the DHCP server has its entry. */
export const dhcp = check('join-dhcp', 'fatal', ({ name: subject, dhcp: seen }: JoiningNode) =>
  seen === 'none' ? null : { state: stateOf(seen), subject },
);

/** The files of the load balancers have it in their pools. */
export const balancer = check('join-balancer', 'warning', ({ name: subject, balancer: seen }: JoiningNode) =>
  seen === 'none' ? null : { state: stateOf(seen), subject },
);

function stateOf(seen: 'there' | 'missing' | null): Finding['state'] {
  if (seen === null) return 'unknown';
  return seen === 'missing' ? 'failed' : 'ok';
}
