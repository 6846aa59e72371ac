import { MINUTE } from '../../../platform/clock.ts';
import { canRemoveBootstrap, diagnosticRule } from '../diagnostic-rule.ts';

/** A restarting member is back sooner. */
const GRACE_PERIOD = 10 * MINUTE;

/** etcd runs with one member less than it should; if another one fails, the API stops. */
export const etcdMemberUnhealthy = diagnosticRule('etcd-member-lost', 'operatorIssues', (evidence) =>
  (canRemoveBootstrap(evidence) ? (evidence.cluster?.operators ?? []) : [])
    .filter(
      ({ name, degraded, since }) =>
        name === 'etcd' && degraded && evidence.now - (since ?? evidence.now) > GRACE_PERIOD,
    )
    // `No unhealthy members found` also appears beside other faults.
    .filter(({ message }) => /\d+ of \d+ members are available|UnhealthyMembers|is unhealthy/.test(message))
    .map(({ message }) => ({
      likelihood: 'certain' as const,
      subject: 'etcd',
      symptom: message,
      command: 'oc get pods -n openshift-etcd -o wide; oc get nodes',
    })),
);
