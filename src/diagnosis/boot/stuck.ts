import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { BootEvidence } from './evidence.ts';

/** Writing the disk and the first reboot need no request; a failed one that is repeated does not get better by itself. */
const STUCK_FOR = 10 * MINUTE;

/** The last thing that a machine asked for was refused, and it asks for nothing else. */
export const stuck: Rule<BootEvidence> = {
  code: 'boot-stuck',
  severity: 'fatal',
  judge: ({ machines, now }) =>
    machines.flatMap(({ name, poweredOnAt, lastRequest }) => {
      if (lastRequest === null || lastRequest.status < 400) return [];
      if (poweredOnAt === null || now - poweredOnAt < STUCK_FOR) return [];
      const { title, cause, whatToDo } = catalogue().diagnosis.boot['boot-stuck'];
      const { path, status } = lastRequest;
      return [{ subject: name, title: title(name, path), cause: cause(path, status), whatToDo }];
    }),
};
