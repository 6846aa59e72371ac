import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { ImageEvidence, LaterEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.prepare;

/** Images are damaged, or from another build: a node that boots from them stops during its installation. */
export const imagesWrong: Rule<ImageEvidence> = {
  code: 'images-wrong',
  severity: 'warning',
  judge(evidence) {
    const cause = named(evidence, 'wrong');
    return cause === '' ? [] : [{ ...words()['images-wrong'], cause }];
  },
};

/** Images are missing. */
export const imagesMissing: Rule<ImageEvidence> = {
  code: 'images-missing',
  severity: 'warning',
  judge(evidence) {
    const cause = named(evidence, 'missing');
    const { title, whatToDo } = words()['images-missing'];
    return cause === '' ? [] : [{ title: title(evidence.imagesDir), cause, whatToDo: whatToDo(cause) }];
  },
};

/** No checksum of the images is available. */
export const imagesUnchecked: Rule<ImageEvidence> = {
  code: 'images-unchecked',
  severity: 'note',
  judge(evidence) {
    const cause = named(evidence, 'unchecked');
    return cause === '' ? [] : [{ ...words()['images-unchecked'], cause }];
  },
};

/** The images are of another minor version than the cluster: nodes take its version when they join. */
export const imagesOlder: Rule<LaterEvidence> = {
  code: 'images-older',
  severity: 'note',
  judge({ clusterVersion, release, wanted }) {
    if (clusterVersion === null || minorOf(clusterVersion) === minorOf(wanted.version)) return [];
    const { title, cause, whatToDo } = words()['images-older'];
    return [{ title: title(release || wanted.version, clusterVersion), cause, whatToDo }];
  },
};

function named({ images }: ImageEvidence, wanted: ImageEvidence['images'][number]['state']): string {
  return images
    .filter(({ state }) => state === wanted)
    .map(({ name }) => name)
    .join(', ');
}

function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
