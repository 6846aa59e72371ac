import { catalogue } from '../i18n/catalogue.ts';
import { systemClock } from '../platform/clock.ts';
import { getOwnLocation } from '../platform/process-location.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { Liveness, Owner } from './owner.ts';

const words = () => catalogue().holder;

/**
 * Describes the holder of a directory in one line without a full stop. The names come from another process and are
 * sanitised.
 */
export function describeOwner(owner: Owner | null, liveness: Liveness = 'alive'): string {
  if (owner === null) return words().newerFormat;
  const { since, program, pid } = owner;
  const holder = words().owner(describePeer(owner), formatLocalTime(since), sanitizeName(program) ?? '', pid);
  if (liveness === 'alive') return holder;
  const isOtherHost = owner.boot !== getOwnLocation().boot;
  return `${holder}; ${isOtherHost ? words().otherHost(sanitizeLine(owner.host, 80)) : words().otherNamespace}`;
}

/** Describes the sender of a request, sanitised: "bob from 10.0.0.7 on pts/4". */
export function describePeer({ user, from, tty }: Pick<Owner, 'user' | 'from' | 'tty'>): string {
  return words().peer(sanitizeName(user) ?? '', sanitizeName(from), sanitizeName(tty));
}

const sanitizeName = (text: string | null) => (text === null ? null : sanitizeLine(text, 60));

/** Formats a time (ms since the epoch) in local time: the time of day for today, with the date for any other day. */
export function formatLocalTime(at: number): string {
  const date = formatDate(at);
  return words().since(date === formatDate(systemClock.now()) ? null : date, at);
}

/** Formats the local date: `2026-11-22`. */
function formatDate(at: number): string {
  const date = new Date(at);
  const padTwo = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`;
}
