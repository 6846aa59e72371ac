import { MINUTE } from '../../../ports/clock.ts';
import { cause } from '../cause.ts';
import type { RequestSeen } from '../evidence.ts';

/** Long enough for a person to come back to the screen that approves them. */
const LONG = 5 * MINUTE;

/** Nodes asked to join, the request is good, and nobody approved it. */
export const requestsWait = cause('requests-wait', 'requests', ({ cluster, now }) =>
  (cluster?.requests ?? [])
    .filter(
      ({ verdict, kind, requestedAt }) => isGood(verdict) && kind === 'client' && now - (requestedAt ?? now) > LONG,
    )
    .map(({ name, node, verdict }) => ({
      likelihood: verdict === 'unjudged' ? ('likely' as const) : ('certain' as const),
      subject: node ?? name,
      symptom: `${name} system:node:${node ?? ''} Pending`,
      command: verdict === 'unjudged' ? 'oc get csr' : 'upi-wizard csr list',
    })),
);

/** It fits the design, or nobody knows what is planned. */
export function isGood(verdict: RequestSeen['verdict']): boolean {
  return verdict === 'expected' || verdict === 'unjudged';
}
