import { cause, cluesOf } from '../cause.ts';
import type { CheckAnswer, Evidence } from '../evidence.ts';

/** A node takes its name from the PTR record of its address, where DHCP does not give it one. */
export const ptrMissing = cause('ptr-missing', 'dns', (evidence) =>
  cluesOf(
    wrongReverse(evidence).filter((each) => !isLocalhost(each) && !isWithoutDot(each)),
    'certain',
  ),
);

/** The reverse names that are not as designed. */
export function wrongReverse({ checks }: Evidence): CheckAnswer[] {
  return checks.filter(({ code, state }) => code === 'dns-reverse' && state === 'failed');
}

/** An address whose name makes a node call itself localhost: another cause with the same check. */
export function isLocalhost({ names = [] }: CheckAnswer): boolean {
  return names.some((name) => /^localhost(?:\.|$)/.test(name));
}

/** The name that was given has the reverse zone's own name behind it: another cause with the same check. */
export function isWithoutDot({ names = [] }: CheckAnswer): boolean {
  return names.some((name) => /\.(?:in-addr|ip6)\.arpa\.?$/i.test(name));
}
