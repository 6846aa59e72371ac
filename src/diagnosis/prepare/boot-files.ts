import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { PrepareEvidence } from './evidence.ts';
import { listImagesToFetch } from './items.ts';

/** Machines will request files that no server has, and stop during their installation. */
export const bootFiles: Rule<PrepareEvidence> = {
  code: 'boot-files-missing',
  severity: 'fatal',
  evaluate({ images, unserved: allUnserved, server, dir, imagesDir, bastionFiles }) {
    // Missing images are left out: Prepare fetches them first, and this fatal finding must not block that.
    const toFetch = listImagesToFetch(images);
    const unserved = allUnserved.filter(({ path }) => !toFetch.some((name) => path.endsWith(`/${name}`)));
    if (unserved.length === 0 || server === null) return [];
    const { title, remedy, remedyOtherServer } = catalogue().diagnosis.prepare['boot-files-missing'];
    return [
      {
        title: title(unserved.length),
        cause: unserved.map(({ path, detail }) => `${path} (${detail})`).join('; '),
        remedy: server === 'other' ? remedyOtherServer(dir, imagesDir, bastionFiles) : remedy,
      },
    ];
  },
};
