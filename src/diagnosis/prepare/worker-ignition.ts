import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { LaterEvidence } from './evidence.ts';

/** There is a worker.ign that new nodes can use: otherwise Prepare reads it from the cluster, so that it is pending and not wrong. */
export const workerIgnition: Rule<LaterEvidence> = {
  code: 'worker-ignition',
  severity: 'warning',
  judge({ mustFetchIgnition, ignition }) {
    if (!mustFetchIgnition) return [];
    const { untrusted } = catalogue().steps.workerIgnition;
    const { title, whatToDo } = catalogue().diagnosis.prepare['worker-ignition'];
    const [problem] = ignition.problems;
    const cause = problem === undefined ? untrusted : `${problem.title}: ${problem.cause}`;
    return [{ state: 'pending', title, cause, whatToDo }];
  },
};
