import { MINUTE } from '../../../ports/clock.ts';
import { cause, unwellFor } from '../cause.ts';

/** The version operator tries again for as long. */
const LONG = 5 * MINUTE;

/** The version operator cannot fetch or verify the release that it is to apply. */
export const releaseNotLoaded = cause('release-not-loaded', 'operatorIssues', (evidence) =>
  unwellFor(evidence, 'ClusterVersion', LONG).map(({ name, message }) => ({
    likelihood: 'certain' as const,
    subject: '',
    symptom: `ClusterVersion ${name}: ${message}`,
    command: 'oc adm upgrade; oc get pods -n openshift-cluster-version',
  })),
);
