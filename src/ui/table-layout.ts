import { displayWidth } from '../platform/width.ts';

export interface Column {
  readonly id: string;
  readonly title: string;
  /** Minimum useful width in cells, never below the width of the title; with less space the column is dropped. */
  readonly min: number;
  /** Maximum width in cells while other columns need space; by default the width of the longest cell. */
  readonly max?: number;
  /** If not all columns fit, those with the highest number are dropped first; 0, the default, always stays. */
  readonly priority?: number;
  /** Columns of another priority are dropped before a cell of this one is cut, up to its `max`. */
  readonly isWhole?: boolean;
  readonly align?: 'left' | 'right';
}

export interface PlacedColumn {
  readonly column: Column;
  readonly width: number;
}

export const COLUMN_GAP = 2;
/** Number of rows in which the longest cell is searched: enough to be stable, cheap for any length. */
const MEASURED_ROWS = 300;

type RowCells = { readonly cells: Readonly<Record<string, string>> };

/**
 * Assigns each column its width within `available` cells (gaps included). First drops by priority the columns whose
 * minimum width does not fit. Then widens from the most to the least important, first each up to its `max`, then
 * beyond, until the space or the content ends. If not even the columns of priority 0 fit, the first of them shrinks.
 */
export function placeColumns(columns: readonly Column[], rows: readonly RowCells[], available: number): PlacedColumn[] {
  const visible = selectFittingColumns(columns, rows, available);
  const widths = new Map(visible.map((column) => [column, getMinimumWidth(column, rows)]));
  const byImportance = visible.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
  const natural = new Map(visible.map((column) => [column, naturalWidth(column, rows)]));
  let remaining = available - sumMinimumWidths(visible, rows);
  for (const isBounded of [true, false]) {
    for (const column of byImportance) {
      const width = widths.get(column) ?? 0;
      const bound = isBounded ? (column.max ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
      const extra = Math.min(remaining, Math.max(0, Math.min(bound, natural.get(column) ?? 0) - width));
      widths.set(column, width + extra);
      remaining -= extra;
    }
  }
  return visible.map((column) => ({ column, width: widths.get(column) ?? column.min }));
}

/** A heading is never cut. */
function getMinimumWidth(column: Column, rows: readonly RowCells[]): number {
  const { min, max = Number.POSITIVE_INFINITY, title, isWhole = false } = column;
  return Math.max(min, displayWidth(title), isWhole ? Math.min(max, naturalWidth(column, rows)) : 0);
}

function selectFittingColumns(
  columns: readonly Column[],
  rows: readonly RowCells[],
  available: number,
): readonly Column[] {
  let visible = columns;
  while (sumMinimumWidths(visible, rows) > available) {
    const lastPriority = Math.max(...visible.map(({ priority }) => priority ?? 0));
    if (lastPriority === 0) return visible;
    const dropped = visible.findLast(({ priority }) => (priority ?? 0) === lastPriority);
    visible = visible.filter((column) => column !== dropped);
  }
  return visible;
}

function sumMinimumWidths(columns: readonly Column[], rows: readonly RowCells[]): number {
  return (
    columns.reduce((sum, column) => sum + getMinimumWidth(column, rows), 0) +
    COLUMN_GAP * Math.max(0, columns.length - 1)
  );
}

function naturalWidth(column: Column, rows: readonly RowCells[]): number {
  const cells = rows.slice(0, MEASURED_ROWS).map(({ cells: texts }) => displayWidth(texts[column.id] ?? ''));
  return Math.max(displayWidth(column.title), ...cells);
}

/** Width in cells at which nothing is cut, gaps included. */
export function sumNaturalWidths(columns: readonly Column[], rows: readonly RowCells[]): number {
  const widths = columns.map((column) => Math.max(getMinimumWidth(column, rows), naturalWidth(column, rows)));
  return widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP * Math.max(0, columns.length - 1);
}

/** Lists the cells of a row that its columns cut, and those with a command, which needs separate lines. */
export function listCutCells(placed: readonly PlacedColumn[], { cells }: RowCells): { title: string; text: string }[] {
  return placed
    .map(({ column, width }) => ({ title: column.title, text: cells[column.id] ?? '', width }))
    .filter(({ text, width }) => displayWidth(text) > width || /`[^`]+`/.test(text))
    .map(({ title, text }) => ({ title, text }));
}
