import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Rule } from '../rule.ts';
import type { BootEvidence } from './evidence.ts';

/**
 * Writing the disk and the first reboot need no request; a refused request that repeats does not recover on its own.
 */
const GRACE_PERIOD = 10 * MINUTE;

/** The boot server refused a machine's last request, and no other followed. */
export const bootRequestRefused: Rule<BootEvidence> = {
  code: 'boot-stuck',
  severity: 'fatal',
  evaluate: ({ machines, now }) =>
    machines.flatMap(({ name, poweredOnAt, lastRequest }) => {
      if (lastRequest === null || lastRequest.status < 400) return [];
      if (poweredOnAt === null || now - poweredOnAt < GRACE_PERIOD) return [];
      const { title, cause, remedy } = catalogue().diagnosis.boot['boot-stuck'];
      const { path, status } = lastRequest;
      return [{ subject: name, title: title(name, path), cause: cause(path, status), remedy }];
    }),
};
