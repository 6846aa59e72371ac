import { catalogue } from '../text/catalogue.ts';
import type { Finding } from './finding.ts';

/** A rule of diagnosis: judges one thing by the evidence. Pure. */
export interface Rule<Evidence, Code extends string = string> {
  readonly code: Code;
  /** The default for its findings. */
  readonly severity: Finding['severity'];
  /** Its findings, in words; empty where it does not apply. */
  readonly judge: (evidence: Evidence) => readonly Said[];
}

/** A finding of a rule. Defaults: state `failed`, for the whole site. */
export type Said = Omit<Finding, 'code' | 'state' | 'severity' | 'subject'> &
  Partial<Pick<Finding, 'state' | 'severity' | 'subject'>>;

/** The findings of the rules on the evidence, in the order of the rules. */
export function judge<Evidence>(rules: readonly Rule<Evidence>[], evidence: Evidence): Finding[] {
  return rules.flatMap((rule) =>
    rule.judge(evidence).map(
      (said): Finding => ({
        state: 'failed',
        severity: rule.severity,
        subject: null,
        ...said,
        code: rule.code,
      }),
    ),
  );
}

/** A check: one thing that is right, wrong, pending or not visible. Its code names its words. */
export interface Check<Evidence, Code extends string = string> {
  readonly code: Code;
  readonly severity: Finding['severity'];
  /** What the evidence shows; null where there is nothing to check. */
  readonly look: (evidence: Evidence) => Seen | null;
}

/** What a check saw. */
export interface Seen {
  readonly state: Finding['state'];
  readonly subject?: string;
  /** What we saw, in words or quoted. */
  readonly detail?: string;
  /** Where this case weighs more, or less, than the check's default. */
  readonly severity?: Finding['severity'];
  /** A command, whole, that shows the same or puts it right. */
  readonly command?: string;
  /** Words for this case, where those of the check do not fit. */
  readonly words?: Pick<CheckWords, 'wrong' | 'remedy'>;
}

/** `title` while it is right, `wrong` when it is not, `unseen` why it is not visible, `meaning` what it is about. */
export interface CheckWords {
  readonly title: string;
  readonly wrong: string;
  readonly remedy: string;
  readonly unseen?: string;
  readonly meaning?: string;
}

/** A check, for the table of its occasion. */
export function check<Evidence, const Code extends string>(
  code: Code,
  severity: Finding['severity'],
  look: Check<Evidence>['look'],
): Check<Evidence, Code> {
  return { code, severity, look };
}

/** The checks of an occasion as rules. @param words of every check, by its code: the compiler finds a missing one */
export function checkRules<Evidence, Code extends string>(
  checks: readonly Check<Evidence, Code>[],
  words: () => Readonly<Record<NoInfer<Code>, CheckWords>>,
): readonly Rule<Evidence, Code>[] {
  return checks.map(({ code, severity, look }) => ({
    code,
    severity,
    judge(evidence) {
      const seen = look(evidence);
      return seen === null ? [] : [worded(seen, words()[code])];
    },
  }));
}

/** What a check saw, in its words. */
export function worded({ state, subject, detail = '', severity, command, words }: Seen, own: CheckWords): Said {
  const { wrong, remedy } = words ?? own;
  const { meaning } = own;
  const title = state === 'failed' ? wrong : own.title;
  return {
    state,
    subject: subject ?? null,
    title: subject === undefined ? title : `${subject}: ${title}`,
    cause: state === 'unknown' ? (own.unseen ?? (detail || catalogue().diagnosis.unseen)) : detail,
    whatToDo: remedy,
    ...(severity === undefined ? {} : { severity }),
    ...(meaning === undefined ? {} : { meaning }),
    ...(command === undefined ? {} : { command }),
  };
}
