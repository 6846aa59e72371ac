import { catalogue } from '../../i18n/catalogue.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';
import type { Rule } from '../rule.ts';
import type { PrepareEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.prepare;

/**
 * Recommended by the documentation: the first rotation of the certificates comes 16 to 22 hours after their creation.
 */
const EXPIRES_SOON = 12 * HOUR;

/**
 * Classifies ignition files by the remaining lifetime of their certificates.
 * @param left milliseconds
 */
export function classifyAge(left: number): 'fresh' | 'old' | 'expired' {
  return left <= 0 ? 'expired' : left < EXPIRES_SOON ? 'old' : 'fresh';
}

/** The certificates in the ignition files have expired; the nodes of a running cluster got them in time. */
export const ignitionExpired: Rule<PrepareEvidence> = {
  code: 'ignition-expired',
  severity: 'warning',
  evaluate({ directory: { expiresAt }, isClusterUp, now }) {
    if (expiresAt === null || classifyAge(expiresAt - now) !== 'expired') return [];
    const { title, remedy, remedyClusterUp } = words()['ignition-expired'];
    const base = { title, cause: new Date(expiresAt).toISOString() };
    return [isClusterUp ? { ...base, severity: 'note', remedy: remedyClusterUp } : { ...base, remedy }];
  },
};

/** The certificates in the ignition files may expire before the last machine is up. */
export const ignitionExpires: Rule<PrepareEvidence> = {
  code: 'ignition-expires',
  severity: 'warning',
  evaluate({ directory: { expiresAt }, now }) {
    if (expiresAt === null || classifyAge(expiresAt - now) !== 'old') return [];
    const left = expiresAt - now;
    const { title, cause, remedy } = words()['ignition-expires'];
    return [{ title: title(formatRemainingTime(left)), cause, remedy }];
  },
};

/**
 * Formats the remaining time; a negative one as zero.
 * @param left milliseconds
 */
export function formatRemainingTime(left: number): string {
  const minutes = Math.max(0, Math.floor(left / MINUTE));
  return catalogue().steps.prepare.hours(Math.floor(minutes / 60), minutes % 60);
}
