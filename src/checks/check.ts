import { catalogue } from '../i18n/catalogue.ts';
import type { UserError } from '../i18n/user-error.ts';

/** A rule of diagnosis: evaluates one aspect of the evidence. Pure. */
export interface Rule<Evidence, Code extends string = string> {
  readonly code: Code;
  /** Default severity of its findings. */
  readonly severity: Finding['severity'];
  /** Its findings; empty if it does not apply. */
  readonly evaluate: (evidence: Evidence) => readonly FindingInput[];
}

/** A rule's finding. Defaults: state `failed`, subject null (the whole site). */
export type FindingInput = Omit<Finding, 'code' | 'state' | 'severity' | 'subject'> &
  Partial<Pick<Finding, 'state' | 'severity' | 'subject'>>;

/** Evaluates the rules on the evidence; the findings are in the order of the rules. */
export function evaluateRules<Evidence>(rules: readonly Rule<Evidence>[], evidence: Evidence): Finding[] {
  return rules.flatMap((rule) =>
    rule.evaluate(evidence).map(
      (input): Finding => ({
        state: 'failed',
        severity: rule.severity,
        subject: null,
        ...input,
        code: rule.code,
      }),
    ),
  );
}

/** A check: one condition that is ok, failed, pending or unknown. Its code selects its texts. */
export interface Check<Evidence, Code extends string = string> {
  readonly code: Code;
  readonly severity: Finding['severity'];
  /** The result on the evidence; null if the check does not apply. */
  readonly evaluate: (evidence: Evidence) => CheckResult | null;
}

/** The result of a check. */
export interface CheckResult {
  readonly state: Finding['state'];
  readonly subject?: string;
  /** The observation, as text or quoted. */
  readonly detail?: string;
  /** Replaces the check's default severity in this case. */
  readonly severity?: Finding['severity'];
  /** A complete command that shows the same or repairs it. */
  readonly command?: string;
  /** Texts for this case, if those of the check do not fit. */
  readonly words?: Pick<CheckWords, 'wrong' | 'remedy'>;
}

/**
 * `title` while the check is ok, `wrong` when it failed, `unseen` the reason that it is unknown, `meaning` the
 * consequence.
 */
interface CheckWords {
  readonly title: string;
  readonly wrong: string;
  readonly remedy: string;
  readonly unseen?: string;
  readonly meaning?: string;
}

/** Creates a check for a table of checks. */
export function check<Evidence, const Code extends string>(
  code: Code,
  severity: Finding['severity'],
  evaluate: Check<Evidence>['evaluate'],
): Check<Evidence, Code> {
  return { code, severity, evaluate };
}

/**
 * Converts checks to rules.
 * @param words texts of every check by its code: the compiler reports a missing one
 */
export function checkRules<Evidence, Code extends string>(
  checks: readonly Check<Evidence, Code>[],
  words: () => Readonly<Record<NoInfer<Code>, CheckWords>>,
): readonly Rule<Evidence, Code>[] {
  return checks.map(({ code, severity, evaluate }) => ({
    code,
    severity,
    evaluate(evidence) {
      const result = evaluate(evidence);
      return result === null ? [] : [toFinding(result, words()[code])];
    },
  }));
}

/** Converts the result of a check to a finding with its texts. */
export function toFinding(
  { state, subject, detail = '', severity, command, words }: CheckResult,
  own: CheckWords,
): FindingInput {
  const { wrong, remedy } = words ?? own;
  const { meaning } = own;
  const title = state === 'failed' ? wrong : own.title;
  return {
    state,
    subject: subject ?? null,
    title: subject === undefined ? title : `${subject}: ${title}`,
    cause: state === 'unknown' ? (own.unseen ?? (detail || catalogue().diagnosis.notObservable)) : detail,
    remedy: remedy,
    ...(severity === undefined ? {} : { severity }),
    ...(meaning === undefined ? {} : { meaning }),
    ...(command === undefined ? {} : { command }),
  };
}

/**
 * The result of a check before an action, or a symptom with its likely cause. `title` names it, `cause` is the
 * observation, `remedy` the next thing to do.
 */
export interface Finding extends UserError {
  /** `pending`: not yet, and expected to resolve on its own. `unknown`: not observable from here. */
  readonly state: 'ok' | 'failed' | 'pending' | 'unknown';
  /** `fatal`: the next step cannot work. `warning`: it may be intended. `note`: for information. */
  readonly severity: 'fatal' | 'warning' | 'note';
  /** The object of the finding: a node's name, an operator, a request; null for the whole site. */
  readonly subject: string | null;
  /** The conclusion from the finding, or the consequence while it persists. */
  readonly meaning?: string;
  /** A complete command that shows the same or repairs it. */
  readonly command?: string;
}

/**
 * The phases of checks, in this order: before the installation begins, of the service hosts and of each service, of the
 * boot files, and before power-on.
 */
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

/** Builds the JSON document of findings, in their order. Fields that do not apply are null. */
export function buildCheckDocument(findings: readonly Finding[], phase: CheckPhase) {
  return {
    checks: findings.map(({ code, title, state, severity, subject, cause, remedy, meaning, command }) => ({
      id: code,
      title,
      phase,
      subject,
      result: state,
      severity,
      evidence: cause === '' ? null : cause,
      meaning: meaning ?? null,
      remedy: state === 'ok' || remedy === '' ? null : remedy,
      command: command ?? null,
    })),
  };
}

/** Converts a user error to a finding of the whole site. */
export function findingFromError(userError: UserError, severity: Finding['severity'] = 'fatal'): Finding {
  return { ...userError, state: 'failed', severity, subject: null };
}

/** Lists the failed findings, fatal ones first. `unknown` does not count as failed. */
export function listProblems(findings: readonly Finding[]): Finding[] {
  return findings
    .filter(({ state }) => state === 'failed')
    .sort((a, b) => Number(b.severity === 'fatal') - Number(a.severity === 'fatal'));
}
