import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';

const words = () => catalogue().diagnosis.hosts;

/** State of a load balancer's pools of 6443 and 22623. */
export interface BalancerEvidence {
  readonly name: string;
  /** `with`: the bootstrap is in a pool. `without`: it is in none. `silent`: it does not show its pools. */
  readonly state: 'with' | 'without' | 'silent';
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** Proof that the bootstrap is out: the balancers' status, or answers through them while its own ports are closed. */
export interface BalancerProof {
  readonly balancers: readonly BalancerEvidence[];
  /** The bootstrap's own 6443 and 22623 are closed. */
  readonly isBootstrapClosed: boolean;
  /** 6443 and 22623 answer through the balancer. */
  readonly answers: boolean;
}

/** What we saw of a bootstrap that should leave the load balancer. */
interface RemovalEvidence {
  /** The short name of its node. */
  readonly bootstrap: string;
  /** What the bootstrap still waits for; null when it is done, or its node is out already. */
  readonly waitsFor: string | null;
  readonly balancers: readonly BalancerEvidence[];
}

const needed: Rule<RemovalEvidence> = {
  code: 'bootstrap-needed',
  severity: 'warning',
  judge: ({ waitsFor }) => (waitsFor === null ? [] : [{ ...words()['bootstrap-needed'], cause: waitsFor }]),
};

const inPool: Rule<RemovalEvidence> = {
  code: 'bootstrap-in-pool',
  severity: 'warning',
  judge({ balancers, bootstrap }) {
    const still = balancers.filter(({ state }) => state === 'with').map(({ name }) => name);
    if (still.length === 0) return [];
    const { title, cause, whatToDo } = words()['bootstrap-in-pool'];
    return [{ title: title(still.join(', '), bootstrap), cause, whatToDo }];
  },
};

/** What keeps the bootstrap in the load balancer. */
export const REMOVAL: readonly Rule<RemovalEvidence>[] = [needed, inPool];

/**
 * Whether the bootstrap is out, where no balancer says that it is in. `out`: the balancers prove it, and its own ports are
 * closed. `still-on`: they prove it, and its machine runs. `no-answer`: nothing answers through them. `unproven`: the
 * balancers show no pools, and the answers may come from the bootstrap.
 */
export function removalProof({
  balancers,
  isBootstrapClosed,
  answers,
}: BalancerProof): 'out' | 'still-on' | 'no-answer' | 'unproven' {
  if (!answers) return 'no-answer';
  if (isBootstrapClosed) return 'out';
  const isTold = balancers.length > 0 && balancers.every(({ state }) => state === 'without');
  const isServed = balancers.every(({ up }) => up.some((each) => each.startsWith('api/')));
  return isTold && isServed ? 'still-on' : 'unproven';
}
