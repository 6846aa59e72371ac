import { diagnosticRule } from '../diagnostic-rule.ts';
import { symptomsFromPendingCsrs } from './client-csrs-pending.ts';

/**
 * The serving CSR of a node is not approved: the node is Ready, but oc logs, exec and metrics fail with "tls: internal
 * error".
 */
export const servingCsrsPending = diagnosticRule('serving-requests-wait', 'requests', (evidence) =>
  symptomsFromPendingCsrs(evidence, 'serving', 'kubelet-serving '),
);
