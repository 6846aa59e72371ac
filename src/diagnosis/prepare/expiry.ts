import { HOUR, MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { PrepareEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.prepare;

/** The documentation's advice: the first rotation of the certificates comes 16 to 22 hours after they were made. */
const EXPIRES_SOON = 12 * HOUR;

/** How old ignition files are, by how long their certificates last still. @param left milliseconds */
export function ageOf(left: number): 'fresh' | 'old' | 'expired' {
  return left <= 0 ? 'expired' : left < EXPIRES_SOON ? 'old' : 'fresh';
}

/** The certificates in the ignition files have expired; the nodes of a running cluster got them in time. */
export const ignitionExpired: Rule<PrepareEvidence> = {
  code: 'ignition-expired',
  severity: 'warning',
  judge({ directory: { expiresAt }, isAlive, now }) {
    if (expiresAt === null || ageOf(expiresAt - now) !== 'expired') return [];
    const { title, whatToDo, whatToDoAlive } = words()['ignition-expired'];
    const said = { title, cause: new Date(expiresAt).toISOString() };
    return [isAlive ? { ...said, severity: 'note', whatToDo: whatToDoAlive } : { ...said, whatToDo }];
  },
};

/** The certificates in the ignition files expire before the last machine may be up. */
export const ignitionExpires: Rule<PrepareEvidence> = {
  code: 'ignition-expires',
  severity: 'warning',
  judge({ directory: { expiresAt }, now }) {
    if (expiresAt === null || ageOf(expiresAt - now) !== 'old') return [];
    const left = expiresAt - now;
    const { title, cause, whatToDo } = words()['ignition-expires'];
    return [{ title: title(lifeOf(left)), cause, whatToDo }];
  },
};

/** The remaining time in words; never negative. @param left milliseconds */
export function lifeOf(left: number): string {
  const minutes = Math.max(0, Math.floor(left / MINUTE));
  return catalogue().steps.prepare.hours(Math.floor(minutes / 60), minutes % 60);
}
