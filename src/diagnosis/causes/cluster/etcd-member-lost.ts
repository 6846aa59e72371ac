import { MINUTE } from '../../../ports/clock.ts';
import { cause, hasBootstrapped } from '../cause.ts';

/** A member that starts anew is back sooner. */
const LONG = 10 * MINUTE;

/** etcd runs with a member less than it should; one more, and the API stands still. */
export const etcdMemberLost = cause('etcd-member-lost', 'operatorIssues', (evidence) =>
  (hasBootstrapped(evidence) ? (evidence.cluster?.operators ?? []) : [])
    .filter(({ name, degraded, since }) => name === 'etcd' && degraded && evidence.now - (since ?? evidence.now) > LONG)
    // `No unhealthy members found` stands beside other troubles.
    .filter(({ message }) => /\d+ of \d+ members are available|UnhealthyMembers|is unhealthy/.test(message))
    .map(({ message }) => ({
      likelihood: 'certain' as const,
      subject: 'etcd',
      symptom: message,
      command: 'oc get pods -n openshift-etcd -o wide; oc get nodes',
    })),
);
