import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { JoinPrepareEvidence } from './evidence.ts';

/**
 * A worker.ign exists that new nodes can use. Otherwise Prepare reads it from the cluster, so the state is pending, not
 * failed.
 */
export const workerIgnition: Rule<JoinPrepareEvidence> = {
  code: 'worker-ignition',
  severity: 'warning',
  evaluate({ mustFetchIgnition, ignition }) {
    if (!mustFetchIgnition) return [];
    const { untrusted } = catalogue().steps.workerIgnition;
    const { title, remedy } = catalogue().diagnosis.prepare['worker-ignition'];
    const [problem] = ignition.problems;
    const cause = problem === undefined ? untrusted : `${problem.title}: ${problem.cause}`;
    return [{ state: 'pending', title, cause, remedy }];
  },
};
