import type { CheckPhase, Finding } from '../check.ts';
import type { ServiceCode } from '../service-hosts.ts';

/** The user's deliberate decision to continue despite failed checks. */
export interface Override {
  /** Keys of the covered checks (see `getCheckKey`); a check that fails later needs another override. */
  readonly checks: readonly string[];
  /** The user's own reason. */
  readonly reason: string;
  /** The user, and the time: ISO 8601, UTC. */
  readonly by: string;
  readonly at: string;
}

/** Phases that check the files which Prepare creates and serves: before that, their checks block nothing. */
const PREPARED_PHASES: readonly CheckPhase[] = ['boot-files', 'ignition'];

/** Returns the key of a check on one object: id and subject. */
export function getCheckKey({ code, subject }: Pick<Finding, 'code' | 'subject'>): string {
  return subject === null ? code : `${code} ${subject}`;
}

/** Finds the override that covers a check, directly or through the equivalent check on Hosts; null if none does. */
export function findOverride(
  check: Pick<Finding, 'code' | 'subject'>,
  overrides: readonly Override[],
): Override | null {
  const coveringKeys = [getCheckKey(check), ...listEquivalentKeys(check)];
  return overrides.findLast(({ checks }) => coveringKeys.some((key) => checks.includes(key))) ?? null;
}

/** Site checks that repeat a check on Hosts: an override there needs no second reason. */
const EQUIVALENT_HOST_CHECKS: Readonly<Partial<Record<string, ServiceCode>>> = {
  'dns-server': 'service-silent',
  'dns-api': 'service-dns',
  'dns-api-int': 'service-dns',
  'dns-apps-wildcard': 'service-dns',
  'dns-nodes': 'service-dns',
  'dns-reverse': 'service-reverse',
  'lb-listens': 'service-port',
};

/** Lists the keys of the equivalent check on Hosts, which names no server and queries `test` below a wildcard. */
function listEquivalentKeys({ code, subject }: Pick<Finding, 'code' | 'subject'>): string[] {
  const equivalentCode = EQUIVALENT_HOST_CHECKS[code];
  if (equivalentCode === undefined || subject === null) return [];
  const [name = ''] = subject.split(' @');
  return [
    getCheckKey({
      code: equivalentCode,
      subject: code === 'dns-apps-wildcard' ? name.replace(/^[^.]+/, 'test') : name,
    }),
  ];
}

/**
 * Lists the failed checks that block all steps: fatal ones without an override.
 * @param areBootFilesServed whether the boot files are created and served, so that their checks count as well
 */
export function listUnoverriddenFailures(
  phases: readonly { readonly phase: CheckPhase; readonly failedFindings: readonly Finding[] }[],
  overrides: readonly Override[],
  areBootFilesServed: boolean,
): readonly Finding[] {
  return phases
    .filter(({ phase }) => areBootFilesServed || !PREPARED_PHASES.includes(phase))
    .flatMap(({ failedFindings }) => failedFindings)
    .filter((finding) => finding.severity === 'fatal' && findOverride(finding, overrides) === null);
}

const MIN_REASON_WORDS = 3;
const MIN_REASON_LETTERS = 12;
const MAX_REASON_LENGTH = 300;

/** Whether a text is acceptable as a reason: a sentence of a few words, not a repeated key. */
export function isValidReason(text: string): boolean {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letterCount = words.join('').length;
  // Languages without blanks between words have one long word.
  const hasEnoughWords =
    new Set(words).size >= MIN_REASON_WORDS || (/[\p{Lo}]/u.test(text) && letterCount >= MIN_REASON_LETTERS);
  return hasEnoughWords && letterCount >= MIN_REASON_LETTERS && text.length <= MAX_REASON_LENGTH;
}
