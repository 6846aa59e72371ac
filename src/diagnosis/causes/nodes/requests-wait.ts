import { MINUTE } from '../../../ports/clock.ts';
import { type Clue, cause } from '../cause.ts';
import type { Evidence, RequestSeen } from '../evidence.ts';

/** Long enough for a person to come back to the screen that approves them. */
const LONG = 5 * MINUTE;

/** Nodes asked to join, the request is good, and nobody approved it. */
export const requestsWait = cause('requests-wait', 'requests', (evidence) =>
  waiting(evidence, 'client', 'system:node:'),
);

/** The good requests of a kind that nobody approved, as clues. @param about what `oc get csr` says of them, before the node */
export function waiting({ cluster, now }: Evidence, wanted: RequestSeen['kind'], about: string): Clue[] {
  return (cluster?.requests ?? [])
    .filter(({ verdict, kind, requestedAt }) => isGood(verdict) && kind === wanted && now - (requestedAt ?? now) > LONG)
    .map(({ name, node, verdict }) => ({
      likelihood: verdict === 'unjudged' ? ('likely' as const) : ('certain' as const),
      subject: node ?? name,
      symptom: `${name} ${about}${node ?? ''} Pending`,
      command: verdict === 'unjudged' ? 'oc get csr' : 'upi-wizard csr list',
    }));
}

/** It fits the design, or nobody knows what is planned. */
function isGood(verdict: RequestSeen['verdict']): boolean {
  return verdict === 'expected' || verdict === 'unjudged';
}
