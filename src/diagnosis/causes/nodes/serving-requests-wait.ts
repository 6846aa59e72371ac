import { MINUTE } from '../../../ports/clock.ts';
import { cause } from '../cause.ts';
import { isGood } from './requests-wait.ts';

const LONG = 5 * MINUTE;

/** The second request of a node is not approved: it is Ready, and oc logs, exec and metrics fail with "tls: internal error". */
export const servingRequestsWait = cause('serving-requests-wait', 'requests', ({ cluster, now }) =>
  (cluster?.requests ?? [])
    .filter(
      ({ verdict, kind, requestedAt }) => isGood(verdict) && kind === 'serving' && now - (requestedAt ?? now) > LONG,
    )
    .map(({ name, node, verdict }) => ({
      likelihood: verdict === 'unjudged' ? ('likely' as const) : ('certain' as const),
      subject: node ?? name,
      symptom: `${name} kubelet-serving ${node ?? ''} Pending`,
      command: verdict === 'unjudged' ? 'oc get csr' : 'upi-wizard csr list',
    })),
);
