import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { BootEvidence } from './evidence.ts';

/** Writing the disk and the first reboot need no request; a failed request that repeats does not recover by itself. */
const STUCK_FOR = 10 * MINUTE;

/** The boot server refused a machine's last request, and no other followed. */
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
