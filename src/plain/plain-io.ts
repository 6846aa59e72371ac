import { type Finding, findingFromError } from '../checks/check.ts';
import { toUserError } from '../i18n/user-error.ts';
import type { StepId } from '../steps/contract.ts';
import { formatFinding } from './output-lines.ts';

/** Output of lines, and confirmations before dangerous actions. */
export interface PlainIo {
  readonly print: (line: string) => void;
  /** Called with a step that is not done yet, or was the last: a later session continues there. */
  readonly onCurrentStep?: (step: StepId) => void;
  /** True to continue. Answers without asking if there is no user. */
  readonly confirm: () => Promise<boolean>;
  /** Whether the user types this word to confirm a possible loss; absent: nothing is asked. */
  readonly confirmWord?: (word: string) => Promise<boolean>;
  /** The reason for overriding these failed checks; null: none is given. */
  readonly requestOverrideReason?: (failed: readonly Finding[]) => Promise<string | null>;
}

export interface StepResult {
  readonly end: 'done' | 'stuck' | 'declined';
  readonly findings: readonly Finding[];
  /** For a stuck step: the checks that a reason can override. */
  readonly overridable?: readonly Finding[];
}

/** Reports why a step stopped. */
export function reportFailure(error: unknown, io: PlainIo): StepResult {
  const finding = findingFromError(toUserError(error));
  printFindings([finding], io);
  return { end: 'stuck', findings: [finding] };
}

/** Prints findings as lines. */
export function printFindings(findings: readonly Finding[], io: PlainIo): void {
  for (const line of findings.flatMap(formatFinding)) io.print(line);
}

/** Whether the finding stops the step. */
export const isFatal = (finding: Finding) => finding.severity === 'fatal';
