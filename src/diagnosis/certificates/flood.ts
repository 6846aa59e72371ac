import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { Rule } from '../rule.ts';
import type { CertificateEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.certificates['request-flood'];

/** We report the end of a flood for this long. */
const TOLD_FOR = 10 * MINUTE;

/** Automatic approval stopped because of too many requests; afterwards, that it resumed. */
export const flood: Rule<CertificateEvidence> = {
  code: 'request-flood',
  severity: 'warning',
  judge({ flood: seen, now }) {
    if (seen === null) return [];
    const { since, until, pending, limit } = seen;
    if (until === null) {
      const { title, cause, whatToDo } = words();
      return [{ title: title(timeOfDay(since)), cause: cause(pending, limit), whatToDo }];
    }
    if (now - until > TOLD_FOR) return [];
    const { title, cause, whatToDo } = words().over;
    return [{ severity: 'note', title: title(timeOfDay(until)), cause: cause(timeOfDay(since)), whatToDo }];
  },
};
