import { MINUTE } from '../../../platform/clock.ts';
import { diagnosticRule, unhealthyLongerThan } from '../diagnostic-rule.ts';

/** The Cluster Version Operator retries for this long. */
const GRACE_PERIOD = 5 * MINUTE;

/** The Cluster Version Operator cannot fetch or verify the release that it is to apply (ReleaseAccepted=False). */
export const releaseNotAccepted = diagnosticRule('release-not-loaded', 'operatorIssues', (evidence) =>
  unhealthyLongerThan(evidence, 'ClusterVersion', GRACE_PERIOD).map(({ name, message }) => ({
    likelihood: 'certain' as const,
    subject: '',
    symptom: `ClusterVersion ${name}: ${message}`,
    command: 'oc adm upgrade; oc get pods -n openshift-cluster-version',
  })),
);
