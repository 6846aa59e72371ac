import { widthOf } from '../text/width.ts';

export interface Column {
  readonly id: string;
  readonly title: string;
  /** Cells it needs to be of use; below that it is dropped. */
  readonly min: number;
  /** Cells it takes at most; as many as its longest cell by default. */
  readonly max?: number;
  /** Where there is not room for all, columns with the highest number go first; 0, the default, always stays. */
  readonly priority?: number;
  readonly align?: 'left' | 'right';
}

export interface PlacedColumn {
  readonly column: Column;
  readonly width: number;
}

export const COLUMN_GAP = 2;
/** The longest cell is sought among this many rows: enough to be stable, cheap for any length. */
const ROWS_MEASURED = 300;

/**
 * Gives each column its width within `room` cells (gaps included): drops by priority what does not fit at its least width,
 * then widens from the most to the least important until the room or the content ends. Where not even those of priority 0
 * have room, the first of them shrinks.
 */
export function placeColumns(
  columns: readonly Column[],
  rows: readonly { readonly cells: Readonly<Record<string, string>> }[],
  room: number,
): PlacedColumn[] {
  const kept = keepWhatFits(columns, room);
  const widths = new Map(kept.map((column) => [column.id, column.min]));
  let left = room - neededBy(kept);
  for (const column of kept.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0))) {
    const more = Math.min(left, Math.max(0, naturalWidth(column, rows) - column.min));
    widths.set(column.id, column.min + more);
    left -= more;
  }
  return kept.map((column) => ({ column, width: widths.get(column.id) ?? column.min }));
}

function keepWhatFits(columns: readonly Column[], room: number): readonly Column[] {
  let kept = columns;
  while (neededBy(kept) > room) {
    const worst = Math.max(...kept.map(({ priority }) => priority ?? 0));
    if (worst === 0) return kept;
    const dropped = kept.findLast(({ priority }) => (priority ?? 0) === worst);
    kept = kept.filter((column) => column !== dropped);
  }
  return kept;
}

function neededBy(columns: readonly Column[]): number {
  return columns.reduce((sum, { min }) => sum + min, 0) + COLUMN_GAP * Math.max(0, columns.length - 1);
}

function naturalWidth(column: Column, rows: readonly { readonly cells: Readonly<Record<string, string>> }[]): number {
  const cells = rows.slice(0, ROWS_MEASURED).map(({ cells: texts }) => widthOf(texts[column.id] ?? ''));
  return Math.min(column.max ?? Number.POSITIVE_INFINITY, Math.max(widthOf(column.title), ...cells));
}
