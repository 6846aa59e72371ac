import { catalogue } from '../../i18n/catalogue.ts';
import { formatEvidence } from './stages.ts';
import { stuckRule } from './stuck-rule.ts';

const words = () => catalogue().diagnosis.bootstrap;

/** The bootstrap node cannot pull the release image. */
export const releaseImageStuck = stuckRule('release-image', (evidence) => [
  {
    cause: formatEvidence('release-image', evidence),
    remedy: words()['release-image'].remedy(evidence.machine.address),
  },
]);

/** bootkube does not progress. */
export const bootkubeStuck = stuckRule('bootkube', (evidence) => [
  { cause: formatEvidence('bootkube', evidence), remedy: words().bootkube.remedy(evidence.machine.address) },
]);
