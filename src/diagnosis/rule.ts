import { catalogue } from '../text/catalogue.ts';
import type { Finding } from './finding.ts';

/** A rule of diagnosis: one question to the evidence. Pure. */
export interface Rule<Evidence, Code extends string = string> {
  readonly code: Code;
  /** Unless what it says has another. */
  readonly severity: Finding['severity'];
  /** What it has to say, in words; nothing where it does not apply. */
  readonly judge: (evidence: Evidence) => readonly Said[];
}

/** What a rule says of one thing: that it failed, and of the whole site, where it does not say otherwise. */
export type Said = Omit<Finding, 'code' | 'state' | 'severity' | 'subject'> &
  Partial<Pick<Finding, 'state' | 'severity' | 'subject'>>;

/** What the rules say of the evidence, in the order of the rules. */
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

/** A check: one thing that is right, wrong, not so yet, or not to be seen. Its words stand under its code. */
export interface Check<Evidence, Code extends string = string> {
  readonly code: Code;
  readonly severity: Finding['severity'];
  /** What was seen; null where there is nothing to look at. */
  readonly look: (evidence: Evidence) => Seen | null;
}

/** What a check saw. */
export interface Seen {
  readonly state: Finding['state'];
  readonly subject?: string;
  /** What was seen, in words or as it was said. */
  readonly detail?: string;
  /** Words for this case, where those of the check do not fit it. */
  readonly words?: Pick<CheckWords, 'wrong' | 'remedy'>;
}

/** `title` while it is right, `wrong` when it is not, `unseen` why it cannot be seen. */
export interface CheckWords {
  readonly title: string;
  readonly wrong: string;
  readonly remedy: string;
  readonly unseen?: string;
}

/** A check, for the table of its occasion. */
export function check<Evidence, const Code extends string>(
  code: Code,
  severity: Finding['severity'],
  look: Check<Evidence>['look'],
): Check<Evidence, Code> {
  return { code, severity, look };
}

/** The checks of an occasion as rules. @param words those of every check, by its code: the compiler finds a missing one */
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

function worded({ state, subject, detail = '', words }: Seen, own: CheckWords): Said {
  const { wrong, remedy } = words ?? own;
  const title = state === 'failed' ? wrong : own.title;
  return {
    state,
    subject: subject ?? null,
    title: subject === undefined ? title : `${subject}: ${title}`,
    cause: state === 'unknown' ? (own.unseen ?? catalogue().diagnosis.unseen) : detail,
    whatToDo: remedy,
  };
}
