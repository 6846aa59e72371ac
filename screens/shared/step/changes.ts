import { catalogue } from '../../../src/i18n/catalogue.ts';
import { wrapProse } from '../../../src/i18n/prose.ts';
import { formatChangedObject } from '../../../src/i18n/user-error.ts';
import { DIFF_SIGNS, type DiffHunk, type DiffLine, diffHunks } from '../../../src/platform/diff.ts';
import { getDisplayWidth, truncate, wrapLines } from '../../../src/platform/text.ts';
import type { Tone } from '../../../src/rows/page-rows.ts';
import { type TextLine, toTextLine } from '../../../src/rows/text.ts';

/**
 * A planned change: its object, an optional description with its effects on further lines, and the text before and
 * after.
 */
export interface ShownChange {
  readonly object: string;
  /** The object is a generated file. */
  readonly isFile?: boolean;
  readonly what?: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The object that a new one is copied from: only the difference to it is shown. */
  readonly copyOf?: { readonly object: string; readonly text: string };
}

/**
 * Renders changes one below the other: each under its name and its effects, with one line of context around every
 * difference.
 * @param columns available width; names and lines are wrapped to it
 */
export function renderChanges(changes: readonly ShownChange[], columns = Number.POSITIVE_INFINITY): TextLine[] {
  return changes.flatMap((change): TextLine[] => {
    const { what, before, after, copyOf } = change;
    const objectName = formatChangedObject(change);
    const name = what ? `${objectName}: ${what}` : objectName;
    const head = copyOf ? catalogue().screens.changes.copied(name, copyOf.object) : name;
    const [title = '', ...effects] = head.split('\n');
    return [
      ...wrapLines(title, columns).map((text): TextLine => ({ text, tone: 'accent' })),
      ...effects.flatMap((effect) => wrapProse(effect, columns, EFFECT_INDENT)).map(toTextLine),
      ...renderDifference(before ?? copyOf?.text ?? null, after, columns, change.isFile === true),
    ];
  });
}

/**
 * Renders the difference of two texts; no lines if neither is known.
 * @param columns available width; longer lines are wrapped, and very long ones are shortened to the part that differs
 * @param isFile the texts are a file: changes of its comments alone come last, because they have no effect
 */
export function renderDifference(
  before: string | null,
  after: string | null,
  columns = Number.POSITIVE_INFINITY,
  isFile = false,
): TextLine[] {
  if (before === null && after === null) return [];
  const hunks = diffHunks(before, after, 1);
  const orderedHunks = isFile ? hunks.toSorted((a, b) => Number(isCommentOnly(a)) - Number(isCommentOnly(b))) : hunks;
  return orderedHunks.flatMap(({ lines, section }, index) => [
    ...(isFile && section !== null && section !== orderedHunks[index - 1]?.section
      ? renderContextLine(section, columns)
      : []),
    ...shortenPairs(lines, (columns - SIGN_COLUMNS) * MAX_ROWS_PER_LINE).flatMap(({ kind, text, wholeText = text }) =>
      isFile && kind === 'same'
        ? renderContextLine(text, columns)
        : wrapFileLine(text, columns, { sign: DIFF_SIGNS[kind], tone: TONES[kind], wholeText }),
    ),
  ]);
}

/** Renders an unchanged line of a file in one row: it only shows where the change is. */
function renderContextLine(text: string, columns: number): TextLine[] {
  const fileLine = DIFF_SIGNS.same + text;
  return [{ text: truncate(fileLine.replaceAll('\t', '  '), columns, '\u2026'), tone: TONES.same, fileLine }];
}

/** Whether only comments change: lines that begin with `#`, as in the files of the load balancer. */
const isCommentOnly = ({ lines }: DiffHunk) =>
  lines.every(({ kind, text }) => kind === 'same' || text.trimStart().startsWith('#'));

/** Renders a line of a unified diff, whose first character is its sign; each of its rows has the sign. */
export function renderDiffLine(line: string, columns: number): TextLine[] {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  // The line between two hunks has no sign.
  const text = /^[ +-]/.test(line) ? line.slice(1) : line;
  return wrapFileLine(text, columns, { sign: DIFF_SIGNS[kind], tone: TONES[kind] });
}

/** Wraps a line of a file; continuation lines are marked at their start. */
export function wrapFileLine(
  text: string,
  columns: number,
  options: { readonly sign?: string; readonly tone?: Tone; readonly wholeText?: string } = {},
): TextLine[] {
  const { sign = '', tone = 'text', wholeText = text } = options;
  const fileLine = sign + wholeText;
  const line = text.replaceAll('\t', '  ');
  if (getDisplayWidth(sign + line) <= columns) return [{ text: sign + line, tone, fileLine }];
  const [blanks = ''] = /^ */.exec(line) ?? [];
  // The indent is limited, so that a deeply indented line keeps enough columns.
  const indent = sign + blanks.slice(0, Math.max(0, Math.floor(columns / 2) - sign.length));
  const availableColumns = columns - getDisplayWidth(indent) - getDisplayWidth(CONTINUATION);
  return wrapLines(line.trimStart(), availableColumns).map((part, index) =>
    index === 0
      ? { text: indent + part, tone, fileLine }
      : { text: indent + CONTINUATION + part, tone, fileLine: null },
  );
}

const EFFECT_INDENT = '  ';
const CONTINUATION = '\u21b3 ';
/** Pairs of lines that need more rows are shortened to the part that differs. */
const MAX_ROWS_PER_LINE = 3;

const TONES = { added: 'ok', removed: 'error', same: 'muted' } as const;
const SIGN_COLUMNS = 2;

/** A line whose text may be shortened. */
interface ShortenedLine extends DiffLine {
  readonly wholeText?: string;
}

/** Shortens the beginning that a removed line and its replacement share, if one of them exceeds `capacity` columns. */
function shortenPairs(lines: readonly DiffLine[], capacity: number): ShortenedLine[] {
  const result: ShortenedLine[] = [...lines];
  for (let startIndex = 0; startIndex < lines.length; ) {
    const addedStart = findEndOfKind(lines, startIndex, 'removed');
    const end = findEndOfKind(lines, addedStart, 'added');
    for (let pair = 0; pair < Math.min(addedStart - startIndex, end - addedStart); pair += 1) {
      const [removedLine, replacement] = [lines[startIndex + pair], lines[addedStart + pair]];
      if (!removedLine || !replacement) continue;
      const cutAt = computeCutPosition(removedLine.text, replacement.text, capacity);
      result[startIndex + pair] = shortenLine(removedLine, cutAt);
      result[addedStart + pair] = shortenLine(replacement, cutAt);
    }
    startIndex = Math.max(end, startIndex + 1);
  }
  return result;
}

function findEndOfKind(lines: readonly DiffLine[], first: number, kind: DiffLine['kind']): number {
  let end = first;
  while (lines[end]?.kind === kind) end += 1;
  return end;
}

/** Characters at the start that identify the line, and characters of context before the difference. */
const HEAD_LENGTH = 20;
const CONTEXT_LENGTH = 16;
/** Minimum columns of the difference that stay visible. */
const MIN_VISIBLE_COLUMNS = 20;

/** Computes the position up to which two lines are cut so that their difference is visible; 0: no cut is needed. */
function computeCutPosition(a: string, b: string, capacity: number): number {
  if (Math.max(getDisplayWidth(a), getDisplayWidth(b)) <= capacity) return 0;
  let commonLength = 0;
  while (commonLength < Math.min(a.length, b.length) && a[commonLength] === b[commonLength]) commonLength += 1;
  return getDisplayWidth(a.slice(0, commonLength)) + MIN_VISIBLE_COLUMNS <= capacity ||
    commonLength - CONTEXT_LENGTH <= HEAD_LENGTH
    ? 0
    : commonLength - CONTEXT_LENGTH;
}

function shortenLine(line: DiffLine, cutAt: number): ShortenedLine {
  if (cutAt === 0) return line;
  const { text } = line;
  return { ...line, text: `${text.slice(0, HEAD_LENGTH)}\u2026${text.slice(cutAt)}`, wholeText: text };
}
