import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Finding, findingFromError } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatProse, separateCommands } from '../i18n/prose.ts';
import { toUserError } from '../i18n/user-error.ts';
import { wrapBeside } from '../platform/text.ts';
import type { StepId } from '../steps/contract.ts';
import type { Intent } from '../wizard/intents.ts';

/** Lines that the user types, in order. They are queued until they are taken. */
export interface LineInput {
  /** Resolves when a line is available or the input has ended. */
  readonly waitForLine: () => Promise<void>;
  /** Takes the next line from the queue; null if none is available. */
  readonly take: () => string | null;
  readonly hasEnded: () => boolean;
  readonly close: () => void;
}

/** Reads lines without editing them: screen readers and serial consoles rely on the terminal's own line editing. */
export function createLineInput(input: Readable): LineInput {
  const lines: string[] = [];
  const waiters = new Set<() => void>();
  let hasEnded = false;
  const wake = () => {
    for (const notify of waiters) notify();
    waiters.clear();
  };
  const reader = createInterface({ input, terminal: false });
  reader.on('line', (line) => {
    lines.push(line);
    wake();
  });
  reader.on('close', () => {
    hasEnded = true;
    wake();
  });
  return {
    waitForLine: () =>
      lines.length > 0 || hasEnded ? Promise.resolve() : new Promise<void>((resolve) => void waiters.add(resolve)),
    take: () => lines.shift() ?? null,
    hasEnded: () => hasEnded && lines.length === 0,
    close: () => reader.close(),
  };
}

const words = () => catalogue().plain;

/** Splits printed text into lines. Each command gets a separate line, which is never wrapped. */
export const toOutputLines = (line: string): string[] => separateCommands(line).split('\n');

/** The indent of a command that stands alone, without backticks (`words().command`). */
const COMMAND_HEAD = /^ {6}/;

/**
 * Splits printed text into lines of at most `columns` cells, with the rest of a sentence below its start. A command is
 * never broken.
 */
export function wrapOutput(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    const [head = ''] = /^ */.exec(line) ?? [];
    return formatProse(line.slice(head.length), head).flatMap((part) => {
      if (part.isCommand || COMMAND_HEAD.test(part.text)) return [part.text];
      const [indent = ''] = /^ */.exec(part.text) ?? [];
      return wrapBeside(indent, part.text.slice(indent.length), columns);
    });
  });
}

/** Formats a finding with its cause, its remedy, and the command that shows or fixes it. */
export function formatFinding({ severity, title, cause, remedy, command }: Finding): string[] {
  return [
    words().finding(severity, title),
    ...(cause === '' ? [] : toOutputLines(words().cause(cause))),
    ...(remedy === '' ? [] : toOutputLines(words().remedy(remedy))),
    ...(command === undefined ? [] : [words().command(command)]),
  ];
}

/** Formats the manual instructions of a plan, in which commands are indented. */
export function formatInstructions(instructions: readonly string[]): string[] {
  return instructions.flatMap((text) =>
    text.startsWith('  ') ? [words().command(text.trim())] : toOutputLines(words().instruction(text)),
  );
}

/** Output of lines, and confirmations before dangerous actions. */
export interface PlainIo {
  readonly print: (line: string) => void;
  /** Called with each step that is not done yet, and at the end with the last step: a later session continues there. */
  readonly onCurrentStep?: (step: StepId) => void;
  /** Requests a confirmation; true to continue. Returns at once if there is no user. */
  readonly confirm: () => Promise<boolean>;
  /** Asks the user to type `word` to confirm a possible loss; true if it was typed. Absent: nothing is asked. */
  readonly confirmWord?: (word: string) => Promise<boolean>;
  /** Requests the reason for overriding these failed checks; null if the user gives none. */
  readonly requestOverrideReason?: (failedChecks: readonly Finding[]) => Promise<string | null>;
}

export interface StepResult {
  readonly end: 'done' | 'stuck' | 'declined';
  readonly findings: readonly Finding[];
  /** For a stuck step: the checks that a reason can override. */
  readonly overridableChecks?: readonly Finding[];
}

/** Reports why a step stopped. */
export function reportFailure(error: unknown, io: PlainIo): StepResult {
  const finding = findingFromError(toUserError(error));
  printFindings([finding], io);
  return { end: 'stuck', findings: [finding] };
}

/** A key of the full screens in parentheses, after the name of its action. */
const SCREEN_KEY = / \([A-Za-z]\)(?=[ ,.;:])/g;

/** Removes the keys of the screens from a text: plain lines have no keys. */
export const removeScreenKeys = (text: string): string => text.replaceAll(SCREEN_KEY, '');

/** Prints findings as lines. */
export function printFindings(findings: readonly Finding[], io: PlainIo): void {
  for (const line of findings.flatMap(formatFinding)) io.print(removeScreenKeys(line));
}

/** Whether the finding stops the step. */
export const isFatal = (finding: Finding) => finding.severity === 'fatal';

/** The effect of selecting a menu item. */
type MenuAction =
  | { readonly kind: 'do'; readonly intents: readonly Intent[] }
  | { readonly kind: 'print'; readonly lines: () => readonly string[] }
  /** Opens another menu to select from. */
  | { readonly kind: 'pick'; readonly items: () => readonly MenuItem[] }
  /** Continues as before. */
  | { readonly kind: 'nothing' };

export interface MenuItem {
  readonly label: string;
  /** The letter for it on the full screens, as their texts name it; null if there is none. */
  readonly letter: string | null;
  readonly action: MenuAction;
}

/** The next request for input. */
export type Prompt =
  /** Something runs: no input is needed. Enter opens the menu. */
  | { readonly kind: 'wait'; readonly message: string | null }
  | {
      readonly kind: 'menu';
      readonly title: readonly string[];
      readonly items: readonly MenuItem[];
      /** The user asked for this list: all of it is printed, however long it is. */
      readonly isRequested?: boolean;
    }
  /** A text to type; `accept` turns it into intents. */
  | {
      readonly kind: 'text';
      /** Changes with the question: then its introduction is printed. */
      readonly id: string;
      readonly intro: readonly string[];
      readonly promptText: string;
      readonly accept: (text: string) => PromptResult;
    };

/** The result of an input: intents, or lines to print before the same question is asked again. */
export type PromptResult = { readonly intents: readonly Intent[] } | { readonly lines: readonly string[] };
