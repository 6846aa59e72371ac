import type { RealSite, SiteDiagnosis, SiteFinding, SiteOptions } from '../support/real-site.ts';

/** The kinds of fault: what goes wrong on sites that others built. */
const KINDS = {
  1: 'asked from the bastion, where nodes stand elsewhere',
  2: 'something answers, and not what it should',
  3: 'programs resolve otherwise than a DNS query',
  4: 'virtual addresses',
  5: 'clocks',
  6: 'right file, old process',
  7: 'silence that proves nothing',
  8: 'large answers that hang',
  9: 'remedies that must mend',
  10: 'a cut line, and what hosts says',
} as const;
type Kind = keyof typeof KINDS;

/** Recognizes the true cause: a pattern in the texts of a finding (id, subject, title, evidence, remedy). */
interface Expectation {
  /** The ids that may name it; all of them if they are missing. */
  readonly ids?: readonly string[];
  readonly pattern: RegExp;
}

/** A fault that is planted on the real site. */
export interface SiteFault {
  /** Unique, in lower case with hyphens. */
  readonly id: string;
  readonly kind: Kind;
  /** The deed, in words. */
  readonly title: string;
  /** Breaks the site through `site.change` and its relatives, which `site.restore` reverts. */
  plant(site: RealSite): Promise<void>;
  readonly expects: Expectation;
  /** The installed file that the fault changes: `host-files` alone names it with this. */
  readonly file?: RegExp;
  /** Findings that are true consequences of the fault: first among the failures, they count as a symptom. */
  readonly symptoms?: RegExp;
  /** The first cause that `diagnose` must name, if it is asked; `same`: that of `check`. */
  readonly diagnose?: Expectation | 'same';
  /** Asks in another way than with `check`: `hosts verify`, for one. */
  ask?(site: RealSite): Promise<readonly SiteFinding[]>;
  /** Why no command of a remedy fixes it: the repair is at a machine or a page that no command reaches. */
  readonly byHand?: string;
}

/** A site that is different and right: no check may fail. */
export interface HealthyVariant {
  readonly id: string;
  readonly title: string;
  readonly options?: SiteOptions;
  prepare?(site: RealSite): Promise<void>;
}

/**
 * FIRST: the first failed line names the true cause. FILE: only the comparison of a file names it. LATER: named, not
 * first. SYMPTOM: a consequence is named. MISSED: nothing fails. MISLEADING: something else is blamed first. FALSE: a
 * failure on a healthy site.
 */
export const SCORES = ['FIRST', 'FILE', 'LATER', 'SYMPTOM', 'MISSED', 'MISLEADING', 'FALSE'] as const;
export type Score = (typeof SCORES)[number];

/** All texts of a finding in one line: `id subject: title, evidence, remedy`. */
function describeFinding({ id, subject, title, evidence, remedy }: SiteFinding): string {
  return [id, `${subject ?? ''}:`, title, evidence, remedy].join(' ').replaceAll(/\s+/g, ' ');
}

/** All texts of a diagnosis in one line. */
function describeDiagnosis({ rule, subjects, title, cause, whatToDo, evidence }: SiteDiagnosis): string {
  return [rule, `${subjects.join(' ')}:`, title, cause, whatToDo, ...evidence].join(' ').replaceAll(/\s+/g, ' ');
}

export function listFailed(findings: readonly SiteFinding[]): SiteFinding[] {
  return findings.filter(({ result }) => result === 'failed');
}

/** Scores the failed findings of a planted fault. */
export function scoreCheck({ expects, file, symptoms }: SiteFault, findings: readonly SiteFinding[]): Score {
  const failed = listFailed(findings);
  const isCause = (finding: SiteFinding) =>
    (expects.ids?.includes(finding.id) ?? finding.id !== 'host-files') &&
    expects.pattern.test(describeFinding(finding));
  const isFile = (finding: SiteFinding) =>
    finding.id === 'host-files' && file !== undefined && file.test(describeFinding(finding));
  const [first] = failed;
  if (first === undefined) return 'MISSED';
  if (isCause(first)) return 'FIRST';
  const isSymptom = symptoms?.test(describeFinding(first)) ?? false;
  // The comparison of a file is printed before the checks of its service.
  if (isFile(first)) return failed.some(isCause) ? 'LATER' : 'FILE';
  if (!isSymptom) return 'MISLEADING';
  return failed.some(isCause) ? 'LATER' : failed.some(isFile) ? 'FILE' : 'SYMPTOM';
}

/** Scores what `diagnose` found, in its order. */
export function scoreDiagnosis({ expects, diagnose, symptoms }: SiteFault, found: readonly SiteDiagnosis[]): Score {
  const { ids, pattern } = diagnose === undefined || diagnose === 'same' ? { pattern: expects.pattern } : diagnose;
  const isCause = (each: SiteDiagnosis) => (ids?.includes(each.rule) ?? true) && pattern.test(describeDiagnosis(each));
  const [first] = found;
  if (first === undefined) return 'MISSED';
  if (isCause(first)) return 'FIRST';
  if (found.some(isCause)) return 'LATER';
  return symptoms?.test(describeDiagnosis(first)) ? 'SYMPTOM' : 'MISLEADING';
}
