import type { Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatProse, separateCommands } from '../i18n/prose.ts';
import { SHORTCUTS } from '../i18n/shortcuts.ts';
import { formatChangedObject } from '../i18n/user-error.ts';
import { wrapLines } from '../platform/text.ts';
import type { Plan, PlannedChange } from '../steps/contract.ts';

const words = () => catalogue().plain;

/** Splits printed text into lines. Each command gets a separate line, which is never wrapped. */
export const toOutputLines = (text: string): string[] => separateCommands(text).split('\n');

/** A command or a line of a file that stands alone, without backticks: indented (`words().command`), or after `$`. */
const COMMAND_LINE = /^ {6}|^ *\$ /;

/**
 * Splits printed text into lines of at most `columns` cells. Further lines of a sentence are indented like its first. A
 * command or a line of a file is never broken.
 */
export function wrapOutput(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    if (COMMAND_LINE.test(line)) return [line];
    const [lineIndent = ''] = /^ */.exec(line) ?? [];
    return formatProse(line.slice(lineIndent.length), lineIndent).flatMap((part) => {
      if (part.isCommand) return [part.text];
      const [indent = ''] = /^ */.exec(part.text) ?? [];
      const lines = wrapLines(part.text.slice(indent.length), columns - indent.length, true);
      return lines.filter((line) => line !== '' || lines.length === 1).map((line) => indent + line);
    });
  });
}

/** Formats a finding with its cause, its remedy, and the command that shows or fixes it. */
function formatFinding({ severity, title, cause, remedy, command }: Finding): string[] {
  return [
    words().finding(severity, title),
    ...(cause === '' ? [] : toOutputLines(words().cause(cause))),
    ...(remedy === '' ? [] : toOutputLines(words().remedy(remedy))),
    ...(command === undefined ? [] : [words().command(command)]),
  ];
}

/** Machines stop seconds apart: a difference of a minute makes no other finding. */
const DURATION = /\b\d+ (?:h|min|minutes?|s)\b/g;

/** Merges findings whose texts differ only in the name of their subject into one that names all subjects. */
export function mergeFindings(findings: readonly Finding[]): Finding[] {
  const groups = Map.groupBy(findings, ({ subject, title, cause, remedy, ...rest }) => {
    const isNamed = subject !== null && replaceName(title, subject, '') !== title;
    const texts = isNamed
      ? [title, cause, remedy].map((text) => replaceName(text, subject, ''))
      : [title, cause, remedy];
    return JSON.stringify([rest, isNamed ? null : subject, texts]).replace(DURATION, '');
  });
  return [...groups.values()].flatMap((group): Finding[] => {
    const [finding] = group;
    if (finding === undefined) return [];
    const { subject, title, cause, remedy } = finding;
    if (subject === null || group.length === 1) return [finding];
    const names = [...new Set(group.map((member) => member.subject ?? ''))].join(', ');
    const nameAll = (text: string) => replaceName(text, subject, names);
    return [{ ...finding, title: nameAll(title), cause: nameAll(cause), remedy: nameAll(remedy) }];
  });
}

/** Replaces a name in a text, but not within a longer name or word. */
const replaceName = (text: string, name: string, replacement: string): string =>
  text.replaceAll(/[\w-]+(?:[./:][\w-]+)*/g, (word) => (word === name ? replacement : word));

/** Formats findings; equal findings of several subjects as one. */
export const formatFindings = (findings: readonly Finding[]): string[] =>
  mergeFindings(findings).flatMap(formatFinding);

/** Formats the manual instructions of a plan, in which commands are indented. */
export function formatInstructions(instructions: readonly string[]): string[] {
  return instructions.flatMap((text) =>
    text.startsWith('  ') ? [words().command(text.trim())] : toOutputLines(words().instruction(text)),
  );
}

/** Maximum number of planned changes to print; the others are counted, and shown on demand. */
const MAX_SHOWN_CHANGES = 12;

/**
 * Formats the changes of a plan, each with its effects. A part of the plan begins with its explanation, which changes
 * nothing.
 * @param limit the further changes are only counted
 */
export function formatPlannedChanges(
  { changes, parts = [], summary }: Pick<Plan, 'changes' | 'parts' | 'summary'>,
  limit = MAX_SHOWN_CHANGES,
): string[] {
  // A plan with a summary and without parts is that of a single part.
  const starts = new Set(summary === undefined ? [] : [0]);
  let start = 0;
  for (const { changeCount } of parts) {
    starts.add(start);
    start += changeCount;
  }
  const isExplanation = ({ before, after }: PlannedChange, index: number) =>
    starts.has(index) && before === null && after === null;
  return [
    ...changes.slice(0, limit).flatMap((change, index) => {
      const [description = '', ...effects] = change.what.split('\n');
      return [
        isExplanation(change, index)
          ? words().partExplanation(change.object, description)
          : words().plan(formatChangedObject(change), description),
        ...effects.map(words().effect),
      ];
    }),
    ...(changes.length > limit ? [words().more(changes.length - limit)] : []),
  ];
}

/** A key of the full screens in parentheses, after the name of its action. */
const SCREEN_KEY = / \([A-Za-z]\)(?=[ ,.;:])/g;

/** Removes the keys of the screens from a text: plain lines have no keys. */
export const removeScreenKeys = (text: string): string => text.replaceAll(SCREEN_KEY, '');

/** Names what the dialog reads instead of a key: letters of a menu are typed, and undo is a word. */
export const nameTypedInput = (text: string): string =>
  text
    .replaceAll(/\b([Pp])ress (?=[A-Za-z!](?:[ ,.;:)]|$))(?!a key)/g, (_match, initial) =>
      initial === 'P' ? 'Type ' : 'type ',
    )
    .replaceAll(UNDO_KEYS, () => words().inputCommands.undo);
const UNDO_KEYS = new RegExp(`(?:\\b${SHORTCUTS.undo} or )?\\bCtrl-Z\\b`, 'g');
