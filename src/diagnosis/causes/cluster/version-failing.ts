import { MINUTE } from '../../../ports/clock.ts';
import { cause } from '../cause.ts';

/** "Multiple errors" and "Could not update" pass within ten minutes. */
const LONG = 10 * MINUTE;

/** The version operator cannot apply the release. */
export const versionFailing = cause('version-failing', 'operatorIssues', ({ cluster, now }) => {
  const version = cluster?.version ?? null;
  if (version === null || !version.failing || now - (version.since ?? now) < LONG) return [];
  return [
    { likelihood: 'possible', subject: '', symptom: version.message, command: 'oc get clusterversion version -o yaml' },
  ];
});
