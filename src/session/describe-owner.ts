import { systemClock } from '../ports/clock.ts';
import { ownPlace } from '../ports/machine-identity.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { Liveness, Owner } from './owner.ts';

const words = () => catalogue().holder;

/** Who holds a directory, in one line without a full stop. The names are those of another process: made safe to show. */
export function describeOwner(owner: Owner | null, liveness: Liveness = 'alive'): string {
  if (owner === null) return words().newerFormat;
  const { since, program, pid } = owner;
  const who = words().who(describeGuest(owner), whenOf(since), safe(program) ?? '', pid);
  if (liveness === 'alive') return who;
  const isOtherHost = owner.boot !== ownPlace().boot;
  return `${who}; ${isOtherHost ? words().elsewhere(sanitizeLine(owner.host, 80)) : words().otherNamespace}`;
}

/** Who asks a holder, in words that are safe to show: "bob from 10.0.0.7 on pts/4". */
export function describeGuest({ user, from, tty }: Pick<Owner, 'user' | 'from' | 'tty'>): string {
  return words().guest(safe(user) ?? '', safe(from), safe(tty));
}

const safe = (text: string | null) => (text === null ? null : sanitizeLine(text, 60));

/** A time (ms of the machine's clock) of today by its hour, and any other with its date. */
export function whenOf(at: number): string {
  const day = dayOf(at);
  return words().since(day === dayOf(systemClock.now()) ? null : day, at);
}

/** The date of the local time: `2026-11-22`. */
function dayOf(at: number): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
