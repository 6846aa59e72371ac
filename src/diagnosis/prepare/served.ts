import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { PrepareEvidence } from './evidence.ts';

/** Machines will request files that no server has, and stop during their installation. */
export const bootFiles: Rule<PrepareEvidence> = {
  code: 'boot-files-missing',
  severity: 'fatal',
  judge({ unserved, server, dir, imagesDir, bastionFiles }) {
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
