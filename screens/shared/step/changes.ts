import { catalogue } from '../../../src/text/catalogue.ts';
import { type DiffLine, diffLines } from '../../../src/text/diff.ts';
import { changedThing } from '../../../src/text/host-file.ts';
import { widthOf, wrapLines } from '../../../src/text/width.ts';
import type { TextLine } from '../../../src/ui/components/text-views.tsx';

/** A change: its object, a description if there is one, and the text before and after. */
export interface ShownChange {
  readonly object: string;
  /** It is a generated file. */
  readonly isFile?: boolean;
  readonly what?: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The object that a new one is made after: what differs from it is shown, not the whole. */
  readonly copyOf?: { readonly object: string; readonly text: string };
}

/**
 * Changes one under the other, each under its name, with one line around every difference.
 * @param columns the available width: names and lines are wrapped to it
 */
export function changeLines(changes: readonly ShownChange[], columns = Number.POSITIVE_INFINITY): TextLine[] {
  return changes.flatMap((change): TextLine[] => {
    const { what, before, after, copyOf } = change;
    const thing = changedThing(change);
    const name = what ? `${thing}: ${what}` : thing;
    const head = copyOf ? catalogue().screens.changes.copied(name, copyOf.object) : name;
    return [
      ...wrapLines(head, columns).map((text): TextLine => ({ text, tone: 'accent' })),
      ...differenceLines(before ?? copyOf?.text ?? null, after, columns),
    ];
  });
}

/**
 * The difference of two texts; nothing where neither is known.
 * @param columns the available width; longer lines go on in the next one, and of very long ones the part that differs is shown
 */
export function differenceLines(
  before: string | null,
  after: string | null,
  columns = Number.POSITIVE_INFINITY,
): TextLine[] {
  if (before === null && after === null) return [];
  return withinSight(diffLines(before, after, 1), (columns - SIGN) * MOST_ROWS).flatMap(({ kind, text }) =>
    goingOn(text, columns, SIGNS[kind]).map((line): TextLine => ({ text: line, tone: TONES[kind] })),
  );
}

/** A line of a file as it is read: one that is longer than the window goes on below, marked at its start. */
export function goingOn(text: string, columns: number, sign = ''): string[] {
  const line = text.replaceAll('\t', '  ');
  if (widthOf(sign + line) <= columns) return [sign + line];
  const [blanks = ''] = /^ */.exec(line) ?? [];
  // Of a line that begins far at the right enough is seen all the same.
  const indent = sign + blanks.slice(0, Math.max(0, Math.floor(columns / 2) - sign.length));
  const room = columns - widthOf(indent) - widthOf(GOES_ON);
  return wrapLines(line.trimStart(), room).map((part, index) => `${indent}${index === 0 ? '' : GOES_ON}${part}`);
}

const GOES_ON = '\u2026 ';
/** Two lines of more rows are shortened to where they differ. */
const MOST_ROWS = 3;

const SIGNS = { added: '+ ', removed: '- ', same: '  ' } as const;
const TONES = { added: 'ok', removed: 'error', same: 'dim' } as const;
const SIGN = 2;

/** Removed lines and their replacements, pair by pair; drops the part that both share. */
function withinSight(lines: readonly DiffLine[], room: number): DiffLine[] {
  const shown = [...lines];
  for (let first = 0; first < lines.length; ) {
    const added = endOf(lines, first, 'removed');
    const end = endOf(lines, added, 'added');
    for (let pair = 0; pair < Math.min(added - first, end - added); pair += 1) {
      const [old, young] = [lines[first + pair], lines[added + pair]];
      if (!old || !young) continue;
      const cutAt = hiddenUntil(old.text, young.text, room);
      shown[first + pair] = { ...old, text: shortened(old.text, cutAt) };
      shown[added + pair] = { ...young, text: shortened(young.text, cutAt) };
    }
    first = Math.max(end, first + 1);
  }
  return shown;
}

function endOf(lines: readonly DiffLine[], first: number, kind: DiffLine['kind']): number {
  let end = first;
  while (lines[end]?.kind === kind) end += 1;
  return end;
}

/** How many characters identify the line, and how many lead to the difference. */
const HEAD = 20;
const LEAD = 16;
/** How much of the difference is visible at least. */
const LEAST = 20;

/** How much of two lines to drop so that their difference is visible; 0 where it is. */
function hiddenUntil(a: string, b: string, room: number): number {
  if (Math.max(widthOf(a), widthOf(b)) <= room) return 0;
  let equal = 0;
  while (equal < Math.min(a.length, b.length) && a[equal] === b[equal]) equal += 1;
  return widthOf(a.slice(0, equal)) + LEAST <= room || equal - LEAD <= HEAD ? 0 : equal - LEAD;
}

function shortened(text: string, until: number): string {
  return until === 0 ? text : `${text.slice(0, HEAD)}\u2026${text.slice(until)}`;
}
