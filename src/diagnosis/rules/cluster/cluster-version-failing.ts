import { MINUTE } from '../../../platform/clock.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/** "Multiple errors" and "Could not update" pass within ten minutes. */
const GRACE_PERIOD = 10 * MINUTE;

/** The Cluster Version Operator cannot apply the release. */
export const clusterVersionFailing = diagnosticRule('version-failing', 'operatorIssues', ({ cluster, now }) => {
  const version = cluster?.version ?? null;
  if (version === null || !version.failing || now - (version.since ?? now) < GRACE_PERIOD) return [];
  return [
    { likelihood: 'possible', subject: '', symptom: version.message, command: 'oc get clusterversion version -o yaml' },
  ];
});
