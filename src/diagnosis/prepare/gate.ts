import type { Finding, Phase } from '../finding.ts';
import type { ServiceCode } from '../hosts/services.ts';

/** Failed checks that a person goes past knowingly. */
export interface Override {
  /** What it is good for: keys of checks (see `checkKey`); one that fails later needs another. */
  readonly checks: readonly string[];
  /** In their own words. */
  readonly reason: string;
  /** The user, and when: ISO 8601, UTC. */
  readonly by: string;
  readonly at: string;
}

/** What Prepare itself makes and serves: checks of it block nothing before it has. */
const MADE_HERE: readonly Phase[] = ['boot-files', 'ignition'];

/** A check of one thing: id and subject. */
export function checkKey({ code, subject }: Pick<Finding, 'code' | 'subject'>): string {
  return subject === null ? code : `${code} ${subject}`;
}

/** The override that a check is under, its own or that of the same question on Hosts; null where none is. */
export function overrideOf(check: Pick<Finding, 'code' | 'subject'>, overrides: readonly Override[]): Override | null {
  const keys = [checkKey(check), ...askedOnHosts(check)];
  return overrides.findLast(({ checks }) => keys.some((key) => checks.includes(key))) ?? null;
}

/** Checks of the site that ask a service what Hosts has asked it: whoever went past it there gives no second reason. */
const ASKED_ON_HOSTS: Readonly<Partial<Record<string, ServiceCode>>> = {
  'dns-server': 'service-silent',
  'dns-api': 'service-dns',
  'dns-api-int': 'service-dns',
  'dns-apps-wildcard': 'service-dns',
  'dns-nodes': 'service-dns',
  'dns-reverse': 'service-reverse',
  'lb-listens': 'service-port',
};

/** The key of the same question on Hosts, which names no server and asks for `test` below a wildcard. */
function askedOnHosts({ code, subject }: Pick<Finding, 'code' | 'subject'>): string[] {
  const asked = ASKED_ON_HOSTS[code];
  if (asked === undefined || subject === null) return [];
  const [name = ''] = subject.split(' @');
  return [checkKey({ code: asked, subject: code === 'dns-apps-wildcard' ? name.replace(/^[^.]+/, 'test') : name })];
}

/**
 * The failed checks that no step goes past: those that block and that nobody has overridden.
 * @param isServed what machines boot with is made and served, so that its checks count as well
 */
export function closedBy(
  phases: readonly { readonly phase: Phase; readonly failed: readonly Finding[] }[],
  overrides: readonly Override[],
  isServed: boolean,
): readonly Finding[] {
  return phases
    .filter(({ phase }) => isServed || !MADE_HERE.includes(phase))
    .flatMap(({ failed }) => failed)
    .filter((found) => found.severity === 'fatal' && overrideOf(found, overrides) === null);
}

const FEWEST_WORDS = 3;
const FEWEST_LETTERS = 12;
const MOST_LETTERS = 300;

/** Whether a text can be a reason: a sentence of a few words, and not a key that was held. */
export function isReason(text: string): boolean {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letters = words.join('').length;
  // Languages without blanks between words have one long one.
  const hasWords = new Set(words).size >= FEWEST_WORDS || (/[\p{Lo}]/u.test(text) && letters >= FEWEST_LETTERS);
  return hasWords && letters >= FEWEST_LETTERS && text.length <= MOST_LETTERS;
}
