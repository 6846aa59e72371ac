import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { PrepareEvidence } from './evidence.ts';

/** Machines will ask for files that nobody serves, and stop in the middle. */
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
