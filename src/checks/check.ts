import { addInstallDirectories, addInstallDirectory, catalogue, replaceProgramName } from '../i18n/catalogue.ts';
import type { UserError } from '../i18n/user-error.ts';

/** `fatal`: the next step cannot work. `warning`: it may be intended. `note`: for information. */
export type Severity = 'fatal' | 'warning' | 'note';

/** Certainty of a fault: `certain` proves it, `likely` usually means it, `possible` may also have another cause. */
export const LIKELIHOODS = ['certain', 'likely', 'possible'] as const;
export type Likelihood = (typeof LIKELIHOODS)[number];

/** The phases of `upi-wizard check`, in the order in which they run. */
export const CHECK_PHASES = [
  'start',
  'hosts',
  'dns',
  'dhcp',
  'load-balancer',
  'boot-files',
  'ignition',
  'before-boot',
] as const;
export type CheckPhase = (typeof CHECK_PHASES)[number];

/**
 * The phase of a check. A phase outside CHECK_PHASES is the step in which the check runs, or a task in the background.
 */
type Phase =
  | CheckPhase
  | ('generate' | 'boot' | 'bootstrap' | 'join' | 'operators' | 'infra' | 'report' | 'jobs' | 'diagnosis');

/** A check: one condition of which the evidence shows whether it holds. Its id selects its texts. */
export interface Check<Evidence, Id extends string = string, Results = CheckResults> {
  readonly id: Id;
  readonly phase: Phase;
  readonly severity: Severity;
  /** Its results, one for each subject; null or none if it does not apply. */
  readonly run: (evidence: Evidence) => Results;
}

type CheckResults = CheckResult | readonly CheckResult[] | null;

/** The result of a check on one subject. */
export interface CheckResult {
  /** `pending`: not yet, and expected to resolve on its own. `unknown`: not observable from here. */
  readonly state: 'ok' | 'failed' | 'pending' | 'unknown';
  /** A node's name, an operator, a request; left out for the whole site. */
  readonly subject?: string;
  /** Replaces the severity of the check in this case. */
  readonly severity?: Severity;
  readonly likelihood?: Likelihood;
  /** The observations, as text or quoted. */
  readonly evidence?: readonly string[];
  /** A complete command that shows the evidence or repairs the fault. */
  readonly command?: string;
  /** Texts for this case, if those of the check do not fit. */
  readonly title?: string;
  readonly remedy?: string;
  readonly meaning?: string;
  /** Lines of a file that show the same fault: a failure about a name in them is not a second fault. */
  readonly mentions?: readonly string[];
  /** The MAC address that was observed instead of the one in the design. */
  readonly detectedMac?: string;
}

/** A result with its own texts, of a check that has none. */
type ResultWithTexts = CheckResult & Required<Pick<CheckResult, 'title' | 'remedy'>>;

/**
 * `title` while the check is ok, `wrong` when it failed, `unknown` the reason that it is unknown, `meaning` the
 * consequence.
 */
interface CheckWords {
  readonly title: string;
  readonly wrong: string;
  readonly remedy: string;
  readonly unknown?: string;
  readonly meaning?: string;
}

/** Creates a function that creates the checks of a phase, for a table of checks. */
export function createCheckFactory<Evidence>(phase: Phase) {
  return <const Id extends string, Results extends CheckResults>(
    id: Id,
    severity: Severity,
    run: (evidence: Evidence) => Results,
  ): Check<Evidence, Id, Results> => ({ id, phase, severity, run });
}

/** Runs checks whose results have their own texts. The findings are in the order of the checks. */
export function runChecks<Evidence>(
  checks: readonly Check<Evidence, string, ResultWithTexts | readonly ResultWithTexts[] | null>[],
  evidence: Evidence,
): Finding[];
/**
 * Runs the checks on the evidence. The findings are in the order of the checks.
 * @param words texts of every check by its id: the compiler reports a missing one
 */
export function runChecks<Evidence, Id extends string>(
  checks: readonly Check<Evidence, Id>[],
  evidence: Evidence,
  words: Readonly<Record<NoInfer<Id>, CheckWords>>,
): Finding[];
export function runChecks<Evidence>(
  checks: readonly Check<Evidence>[],
  evidence: Evidence,
  words: Readonly<Partial<Record<string, CheckWords>>> = {},
): Finding[] {
  return checks.flatMap((check) =>
    [check.run(evidence) ?? []].flat().map((result) => toFinding(check, result, words[check.id])),
  );
}

/** Adds texts to the result of a check. The subject precedes a title of the check, but not one of the result. */
export function toFinding(
  { id, severity: checkSeverity }: Pick<Check<never>, 'id' | 'severity'>,
  { state, subject, severity = checkSeverity, evidence = [], command, ...texts }: CheckResult,
  words?: CheckWords,
): Finding {
  const title = (state === 'failed' ? words?.wrong : words?.title) ?? '';
  const cause = evidence.join('; ');
  const meaning = texts.meaning ?? words?.meaning;
  const { mentions, detectedMac } = texts;
  return {
    state,
    severity,
    subject: subject ?? null,
    title: texts.title ?? (subject === undefined ? title : `${subject}: ${title}`),
    cause: state === 'unknown' && words ? (words.unknown ?? (cause || catalogue().diagnosis.notObservable)) : cause,
    remedy: texts.remedy ?? words?.remedy ?? '',
    ...(meaning === undefined ? {} : { meaning }),
    ...(command === undefined ? {} : { command }),
    ...(mentions === undefined ? {} : { mentions }),
    ...(detectedMac === undefined ? {} : { detectedMac }),
    code: id,
  };
}

/**
 * The result of a check with its texts, or an error. `title` names it, `cause` is the evidence, `remedy` the next thing
 * to do.
 */
export interface Finding extends UserError {
  readonly state: CheckResult['state'];
  readonly severity: Severity;
  /** Null for the whole site. */
  readonly subject: string | null;
  /** How certain the diagnosis is of the finding; left out for the result of a check. */
  readonly likelihood?: Likelihood;
  /** The conclusion from the finding, or the consequence while it persists. */
  readonly meaning?: string;
  /** A complete command that shows the evidence or repairs the fault. */
  readonly command?: string;
  readonly mentions?: readonly string[];
  readonly detectedMac?: string;
  /** The failure that explains this one (see causes/rules.ts); left out for an independent one. */
  readonly causedBy?: { readonly id: string; readonly subject: string | null };
}

/** Puts the subject before the text, unless the text begins with it. */
export const prefixSubject = (subject: string | null, text: string): string =>
  subject === null || text.startsWith(`${subject} `) ? text : `${subject}: ${text}`;

/** Builds the JSON document of findings, in their order. Fields that do not apply are null. */
export function buildCheckDocument(findings: readonly Finding[], phase: CheckPhase) {
  return {
    checks: findings.map(({ code, title, state, severity, subject, cause, remedy, meaning, command, causedBy }) => ({
      id: code,
      title,
      phase,
      subject,
      result: state,
      severity,
      evidence: cause === '' ? null : cause,
      meaning: meaning ?? null,
      remedy: state === 'ok' || remedy === '' ? null : addInstallDirectories(remedy),
      command: command === undefined ? null : addInstallDirectory(command),
      causedBy: causedBy ?? null,
    })),
  };
}

/** Converts a user error to a finding of the whole site. */
export function convertErrorToFinding(userError: UserError, severity: Severity = 'fatal'): Finding {
  return { ...userError, state: 'failed', severity, subject: null };
}

/**
 * Formats failed findings as the lines of a page, in their order.
 * @param isRanked their order is final: they have numbers
 */
export function formatFindings(findings: readonly Finding[], isRanked: boolean): string[] {
  const { symptomLabel, remedyLabel } = catalogue().diagnose;
  return findings.flatMap(({ title, cause, remedy, command }, index) => [
    ...(index === 0 ? [] : ['']),
    isRanked ? `${index + 1}. ${title}` : `- ${title}`,
    ...(cause === '' ? [] : [`   ${symptomLabel}: ${cause}`]),
    ...(remedy === '' ? [] : [`   ${remedyLabel}: ${remedy}`]),
    ...(command === undefined ? [] : [`     $ ${replaceProgramName(command)}`]),
  ]);
}
