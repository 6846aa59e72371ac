import { toMinorVersion } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { ImageEvidence, JoinPrepareEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.prepare;

/** Images are damaged or from another build: a node that boots them stops during its installation. */
export const imagesWrong: Rule<ImageEvidence> = {
  code: 'images-wrong',
  severity: 'warning',
  evaluate(evidence) {
    const cause = joinNames(evidence, 'wrong');
    return cause === '' ? [] : [{ ...words()['images-wrong'], cause }];
  },
};

/** Images are missing. */
export const imagesMissing: Rule<ImageEvidence> = {
  code: 'images-missing',
  severity: 'warning',
  evaluate(evidence) {
    const cause = joinNames(evidence, 'missing');
    const { title, remedy } = words()['images-missing'];
    return cause === '' ? [] : [{ title: title(evidence.imagesDir), cause, remedy: remedy(cause) }];
  },
};

/** No checksum of the images is available. */
export const imagesUnchecked: Rule<ImageEvidence> = {
  code: 'images-unchecked',
  severity: 'note',
  evaluate(evidence) {
    const cause = joinNames(evidence, 'unchecked');
    return cause === '' ? [] : [{ ...words()['images-unchecked'], cause }];
  },
};

/** The images are of another minor version than the cluster. Nodes take the cluster's version when they join. */
export const imagesOlder: Rule<JoinPrepareEvidence> = {
  code: 'images-older',
  severity: 'note',
  evaluate({ clusterVersion, release, wanted }) {
    if (clusterVersion === null || toMinorVersion(clusterVersion) === toMinorVersion(wanted.version)) return [];
    const { title, cause, remedy } = words()['images-older'];
    return [{ title: title(release || wanted.version, clusterVersion), cause, remedy }];
  },
};

function joinNames({ images }: ImageEvidence, wanted: ImageEvidence['images'][number]['state']): string {
  return images
    .filter(({ state }) => state === wanted)
    .map(({ name }) => name)
    .join(', ');
}
