import { cause } from '../cause.ts';
import { waiting } from './requests-wait.ts';

/** The second request of a node is not approved: it is Ready, and oc logs, exec and metrics fail with "tls: internal error". */
export const servingRequestsWait = cause('serving-requests-wait', 'requests', (evidence) =>
  waiting(evidence, 'serving', 'kubelet-serving '),
);
