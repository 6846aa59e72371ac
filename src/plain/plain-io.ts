import { type Finding, findingOf } from '../diagnosis/finding.ts';
import type { StepId } from '../steps/contract.ts';
import { asTrouble } from '../text/trouble.ts';
import { findingLines } from './told-lines.ts';

/** Where to write the lines, and whom to ask before something dangerous. */
export interface PlainIo {
  readonly print: (line: string) => void;
  /** A step that is not done yet, or was the last: this is where somebody who comes later goes on. */
  readonly at?: (step: StepId) => void;
  /** True to go on. Answers by itself where there is no person. */
  readonly confirm: () => Promise<boolean>;
  /** Whether somebody types this word, for what may be lost; left out: nobody is asked. */
  readonly typeWord?: (word: string) => Promise<boolean>;
  /** The reason to go past these failed checks; null: nobody gives one. */
  readonly reason?: (failed: readonly Finding[]) => Promise<string | null>;
}

/** How a step ended. */
export interface StepResult {
  readonly end: 'done' | 'stuck' | 'declined';
  readonly findings: readonly Finding[];
  /** Of a step that is stuck: the checks that a reason would go past. */
  readonly overridable?: readonly Finding[];
}

/** Says why a step stopped. */
export function failed(error: unknown, io: PlainIo): StepResult {
  const finding = findingOf(asTrouble(error));
  printFindings([finding], io);
  return { end: 'stuck', findings: [finding] };
}

/** Says what was found, in lines. */
export function printFindings(findings: readonly Finding[], io: PlainIo): void {
  for (const line of findings.flatMap(findingLines)) io.print(line);
}

/** Whether a step cannot go on with it. */
export const isFatal = (finding: Finding) => finding.severity === 'fatal';
