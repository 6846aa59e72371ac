import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { PrepareEvidence } from './evidence.ts';
import { openImages } from './items.ts';

/** Machines will request files that no server has, and stop during their installation. */
export const bootFiles: Rule<PrepareEvidence> = {
  code: 'boot-files-missing',
  severity: 'fatal',
  judge({ images, unserved: all, server, dir, imagesDir, bastionFiles }) {
    // Images that are not here, either, come first: Prepare fetches them, which this must not keep it from.
    const open = openImages(images);
    const unserved = all.filter(({ path }) => !open.some((name) => path.endsWith(`/${name}`)));
    if (unserved.length === 0 || server === null) return [];
    const { title, whatToDo, whatToDoThere } = catalogue().diagnosis.prepare['boot-files-missing'];
    return [
      {
        title: title(unserved.length),
        cause: unserved.map(({ path, detail }) => `${path} (${detail})`).join('; '),
        whatToDo: server === 'other' ? whatToDoThere(dir, imagesDir, bastionFiles) : whatToDo,
      },
    ];
  },
};
