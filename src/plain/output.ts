import type { Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatProse, separateCommands } from '../i18n/prose.ts';
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

/** Formats findings. Findings whose titles differ only in the subject are merged into one that names all subjects. */
export function formatFindings(findings: readonly Finding[]): string[] {
  const groups = new Map<string, { readonly finding: Finding; readonly subjects: string[] }>();
  for (const finding of findings) {
    const { title, subject, ...rest } = finding;
    const namedSubject = subject !== null && title.includes(subject) ? subject : '';
    const key = JSON.stringify({
      ...rest,
      title: title.replace(namedSubject, ''),
      subject: namedSubject ? '' : subject,
    });
    const group = groups.get(key) ?? { finding, subjects: [] };
    groups.set(key, { finding: group.finding, subjects: [...group.subjects, namedSubject] });
  }
  return [...groups.values()].flatMap(({ finding, subjects }) => {
    const [firstSubject = ''] = subjects;
    return formatFinding(
      firstSubject === '' ? finding : { ...finding, title: finding.title.replace(firstSubject, subjects.join(', ')) },
    );
  });
}

/** Formats the manual instructions of a plan, in which commands are indented. */
export function formatInstructions(instructions: readonly string[]): string[] {
  return instructions.flatMap((text) =>
    text.startsWith('  ') ? [words().command(text.trim())] : toOutputLines(words().instruction(text)),
  );
}

/** Maximum number of planned changes to print; the others are counted, and shown on demand. */
const MAX_SHOWN_CHANGES = 12;

/**
 * Formats the changes of a plan, one line each. A part of the plan begins with its explanation, which changes nothing.
 * @param limit the further changes are only counted
 */
export function formatPlannedChanges(
  { changes, parts = [], summary }: Pick<Plan, 'changes' | 'parts' | 'summary'>,
  limit = MAX_SHOWN_CHANGES,
): string[] {
  // A plan with a summary and without parts is that of a single part.
  const starts = new Set(summary === undefined ? [] : [0]);
  parts.reduce((start, { changeCount }) => {
    starts.add(start);
    return start + changeCount;
  }, 0);
  const isExplanation = ({ before, after }: PlannedChange, index: number) =>
    starts.has(index) && before === null && after === null;
  return [
    ...changes
      .slice(0, limit)
      .map((change, index) =>
        isExplanation(change, index)
          ? words().partExplanation(change.object, change.what)
          : words().plan(formatChangedObject(change), change.what),
      ),
    ...(changes.length > limit ? [words().more(changes.length - limit)] : []),
  ];
}

/** A key of the full screens in parentheses, after the name of its action. */
const SCREEN_KEY = / \([A-Za-z]\)(?=[ ,.;:])/g;

/** Removes the keys of the screens from a text: plain lines have no keys. */
export const removeScreenKeys = (text: string): string => text.replaceAll(SCREEN_KEY, '');
