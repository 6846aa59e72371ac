import { catalogue } from '../../text/catalogue.ts';
import { evidenceLine } from './stages.ts';
import { stuckRule } from './stuck.ts';

const words = () => catalogue().diagnosis.bootstrap;

/** The bootstrap node cannot pull the release image. */
export const releaseImage = stuckRule('release-image', (evidence) => [
  {
    cause: evidenceLine('release-image', evidence),
    whatToDo: words()['release-image'].whatToDo(evidence.machine.address),
  },
]);

/** bootkube does not progress. */
export const bootkube = stuckRule('bootkube', (evidence) => [
  { cause: evidenceLine('bootkube', evidence), whatToDo: words().bootkube.whatToDo(evidence.machine.address) },
]);
