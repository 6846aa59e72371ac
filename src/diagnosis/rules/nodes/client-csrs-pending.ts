import { MINUTE } from '../../../platform/clock.ts';
import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';
import type { Evidence, ReviewedCsr } from '../evidence.ts';

/** Enough time for the user to return to the screen that approves them. */
const GRACE_PERIOD = 5 * MINUTE;

/** Nodes sent valid CSRs to join, which are not approved. */
export const clientCsrsPending = diagnosticRule('requests-wait', 'requests', (evidence) =>
  symptomsFromPendingCsrs(evidence, 'client', 'system:node:'),
);

/**
 * Valid CSRs of a kind that are not approved, as symptoms.
 * @param about text of `oc get csr` before the name of the node
 */
export function symptomsFromPendingCsrs(
  { cluster, now }: Evidence,
  wanted: ReviewedCsr['kind'],
  about: string,
): Symptom[] {
  return (cluster?.requests ?? [])
    .filter(
      ({ verdict, kind, requestedAt }) =>
        isAcceptable(verdict) && kind === wanted && now - (requestedAt ?? now) > GRACE_PERIOD,
    )
    .map(({ name, node, verdict }) => ({
      likelihood: verdict === 'unjudged' ? ('likely' as const) : ('certain' as const),
      subject: node ?? name,
      symptom: `${name} ${about}${node ?? ''} Pending`,
      command: verdict === 'unjudged' ? 'oc get csr' : 'upi-wizard csr list',
    }));
}

/** The CSR fits the design, or the design is unknown. */
function isAcceptable(verdict: ReviewedCsr['verdict']): boolean {
  return verdict === 'expected' || verdict === 'unjudged';
}
