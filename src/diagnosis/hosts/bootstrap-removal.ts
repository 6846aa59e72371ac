import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';

const words = () => catalogue().diagnosis.hosts;

/** State of a load balancer's pools for 6443 and 22623. */
export interface BalancerEvidence {
  readonly name: string;
  /**
   * `with`: the bootstrap is in a pool. `without`: it is in none. `silent`: the load balancer does not report its
   * pools.
   */
  readonly state: 'with' | 'without' | 'silent';
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/**
 * Evidence that the bootstrap is removed: the load balancers' status, or answers through them while the bootstrap's own
 * ports are closed.
 */
export interface BalancerProof {
  readonly balancers: readonly BalancerEvidence[];
  /** The bootstrap's own ports 6443 and 22623 are closed. */
  readonly isBootstrapClosed: boolean;
  /** 6443 and 22623 answer through the load balancer. */
  readonly isAnswering: boolean;
}

/** Evidence about a bootstrap that should be removed from the load balancer. */
interface RemovalEvidence {
  /** Short name of the bootstrap node. */
  readonly bootstrap: string;
  /** The condition that keeps the bootstrap necessary; null if it is complete or its node is already removed. */
  readonly waitsFor: string | null;
  readonly balancers: readonly BalancerEvidence[];
}

const bootstrapNeeded: Rule<RemovalEvidence> = {
  code: 'bootstrap-needed',
  severity: 'warning',
  evaluate: ({ waitsFor }) => (waitsFor === null ? [] : [{ ...words()['bootstrap-needed'], cause: waitsFor }]),
};

const bootstrapInPool: Rule<RemovalEvidence> = {
  code: 'bootstrap-in-pool',
  severity: 'warning',
  evaluate({ balancers, bootstrap }) {
    const remaining = balancers.filter(({ state }) => state === 'with').map(({ name }) => name);
    if (remaining.length === 0) return [];
    const { title, cause, remedy } = words()['bootstrap-in-pool'];
    return [{ title: title(remaining.join(', '), bootstrap), cause, remedy }];
  },
};

/** Rules that keep the bootstrap in the load balancer. */
export const REMOVAL_RULES: readonly Rule<RemovalEvidence>[] = [bootstrapNeeded, bootstrapInPool];

/**
 * Assesses whether the bootstrap is removed, if no load balancer reports it in a pool. `out`: proven, and its own ports
 * are closed. `still-on`: proven by the load balancers, but its machine still runs. `no-answer`: nothing answers
 * through the load balancers. `unproven`: the load balancers report no pools, and the answers may come from the
 * bootstrap.
 */
export function assessRemoval({
  balancers,
  isBootstrapClosed,
  isAnswering,
}: BalancerProof): 'out' | 'still-on' | 'no-answer' | 'unproven' {
  if (!isAnswering) return 'no-answer';
  if (isBootstrapClosed) return 'out';
  const isReported = balancers.length > 0 && balancers.every(({ state }) => state === 'without');
  const isServed = balancers.every(({ up }) => up.some((each) => each.startsWith('api/')));
  return isReported && isServed ? 'still-on' : 'unproven';
}
