import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import { formatTimeOfDay } from '../../platform/time-of-day.ts';
import type { Rule } from '../rule.ts';
import type { CertificateEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.certificates['request-flood'];

/** How long the end of a flood is reported. */
const REPORT_PERIOD = 10 * MINUTE;

/** Automatic approval stopped because of too many requests. Afterwards a note reports that it resumed. */
export const requestFlood: Rule<CertificateEvidence> = {
  code: 'request-flood',
  severity: 'warning',
  evaluate({ flood: current, now }) {
    if (current === null) return [];
    const { since, until, pending, limit } = current;
    if (until === null) {
      const { title, cause, remedy } = words();
      return [{ title: title(formatTimeOfDay(since)), cause: cause(pending, limit), remedy }];
    }
    if (now - until > REPORT_PERIOD) return [];
    const { title, cause, remedy } = words().resumption;
    return [{ severity: 'note', title: title(formatTimeOfDay(until)), cause: cause(formatTimeOfDay(since)), remedy }];
  },
};
