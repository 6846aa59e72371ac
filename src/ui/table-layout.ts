import { widthOf } from '../text/width.ts';

export interface Column {
  readonly id: string;
  readonly title: string;
  /** Cells it needs to be of use, and never fewer than its title; below that it is dropped. */
  readonly min: number;
  /** Cells it takes at most while other columns want room; as many as its longest cell by default. */
  readonly max?: number;
  /** Where there is not room for all, columns with the highest number go first; 0, the default, always stays. */
  readonly priority?: number;
  /** Columns of another priority go before a cell of this one is cut, up to its `max`. */
  readonly isWhole?: boolean;
  readonly align?: 'left' | 'right';
}

export interface PlacedColumn {
  readonly column: Column;
  readonly width: number;
}

export const COLUMN_GAP = 2;
/** The longest cell is sought among this many rows: enough to be stable, cheap for any length. */
const ROWS_MEASURED = 300;

type Cells = { readonly cells: Readonly<Record<string, string>> };

/**
 * Gives each column its width within `room` cells (gaps included): drops by priority what does not fit at its least width,
 * then widens from the most to the least important until the room or the content ends: first each up to its `max`, then beyond.
 * Where not even those of priority 0 have room, the first of them shrinks.
 */
export function placeColumns(columns: readonly Column[], rows: readonly Cells[], room: number): PlacedColumn[] {
  const kept = keepWhatFits(columns, rows, room);
  const widths = new Map(kept.map((column) => [column, leastOf(column, rows)]));
  const byImportance = kept.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
  const natural = new Map(kept.map((column) => [column, naturalWidth(column, rows)]));
  let left = room - neededBy(kept, rows);
  for (const isBounded of [true, false]) {
    for (const column of byImportance) {
      const width = widths.get(column) ?? 0;
      const bound = isBounded ? (column.max ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
      const more = Math.min(left, Math.max(0, Math.min(bound, natural.get(column) ?? 0) - width));
      widths.set(column, width + more);
      left -= more;
    }
  }
  return kept.map((column) => ({ column, width: widths.get(column) ?? column.min }));
}

/** A heading is never cut. */
function leastOf(column: Column, rows: readonly Cells[]): number {
  const { min, max = Number.POSITIVE_INFINITY, title, isWhole = false } = column;
  return Math.max(min, widthOf(title), isWhole ? Math.min(max, naturalWidth(column, rows)) : 0);
}

function keepWhatFits(columns: readonly Column[], rows: readonly Cells[], room: number): readonly Column[] {
  let kept = columns;
  while (neededBy(kept, rows) > room) {
    const worst = Math.max(...kept.map(({ priority }) => priority ?? 0));
    if (worst === 0) return kept;
    const dropped = kept.findLast(({ priority }) => (priority ?? 0) === worst);
    kept = kept.filter((column) => column !== dropped);
  }
  return kept;
}

function neededBy(columns: readonly Column[], rows: readonly Cells[]): number {
  return columns.reduce((sum, column) => sum + leastOf(column, rows), 0) + COLUMN_GAP * Math.max(0, columns.length - 1);
}

function naturalWidth(column: Column, rows: readonly Cells[]): number {
  const cells = rows.slice(0, ROWS_MEASURED).map(({ cells: texts }) => widthOf(texts[column.id] ?? ''));
  return Math.max(widthOf(column.title), ...cells);
}

/** Cells in which nothing is cut, gaps included. */
export function wholeColumns(columns: readonly Column[], rows: readonly Cells[]): number {
  const widths = columns.map((column) => Math.max(leastOf(column, rows), naturalWidth(column, rows)));
  return widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP * Math.max(0, columns.length - 1);
}

/** The cells of a row that its columns cut, and those with a command, which needs lines of its own. */
export function cutCells(placed: readonly PlacedColumn[], { cells }: Cells): { title: string; text: string }[] {
  return placed
    .map(({ column, width }) => ({ title: column.title, text: cells[column.id] ?? '', width }))
    .filter(({ text, width }) => widthOf(text) > width || /`[^`]+`/.test(text))
    .map(({ title, text }) => ({ title, text }));
}
