import { catalogue } from '../i18n/catalogue.ts';
import { stripBackticks, wrapProse } from '../i18n/prose.ts';
import { displayWidth, padEnd, truncate, wrapLines } from '../platform/text.ts';
import type { ListFilter } from '../wizard/list-filter.ts';
import { filterFieldRow, filterTable, formatFilterCount, isFilterOpen } from './filtered-table.ts';
import {
  createRow,
  fitRows,
  getGlyphs,
  getRangeAround,
  type PageRow,
  type Segment,
  type Tone,
  type Viewport,
} from './page-rows.ts';
import { markWindow } from './scroll.ts';
import { type TextLine, toTextLine } from './text.ts';

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
  /**
   * Beside the detail of the selected row, the column may be as narrow as `min`: the detail has its text in full, if the
   * cell is cut, or `always`, in other words.
   */
  readonly inDetail?: 'if-cut' | 'always';
}

interface PlacedColumn {
  readonly column: Column;
  readonly width: number;
}

const COLUMN_GAP = 2;
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

/** Lists the cells of a row that its columns cut, and those with a command, which needs separate lines. */
function listCutCells(placed: readonly PlacedColumn[], { cells }: RowCells): { title: string; text: string }[] {
  return placed
    .map(({ column, width }) => ({ title: column.title, text: cells[column.id] ?? '', width }))
    .filter(({ text, width }) => displayWidth(text) > width || /`[^`]+`/.test(text))
    .map(({ title, text }) => ({ title, text }));
}

/** A row of a table; `id` identifies it and is not shown. */
export interface TableRow {
  readonly id: string;
  /** Text by column id. */
  readonly cells: Readonly<Record<string, string>>;
  /** Tone of single cells, by column id; the text must carry the same meaning. */
  readonly tones?: Readonly<Record<string, Tone>>;
}

export interface TableContent {
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  /** Index of the selected row; null if no row can be selected (`top` then sets the first visible row). */
  readonly selected: number | null;
  /** First visible row while no row is selected. */
  readonly top?: number;
  /** The text shown in place of rows. */
  readonly empty?: string;
  /** Hides rows. `selected` counts all of them. */
  readonly filter?: ListFilter;
}

/** A table laid out for a width: its height and its rows come from the same layout. */
export interface TableLayout {
  /** Rows that it needs to show everything, the selected row in full. */
  readonly height: number;
  /** The cut cells of the selected row, for its detail; null if the table shows them below its rows. */
  readonly cutCells: ((columns: number) => readonly TextLine[]) | null;
  /** The lines of the cut cells at most, whichever row is selected. */
  readonly countCutLines: () => number;
  /** Whether the last of so many rows is the counter: it would cover a title. */
  readonly hasCountBelow: (height: number) => boolean;
  /** Whether there is room for a column. */
  readonly hasColumn: (id: string) => boolean;
  /** The table in at most `height` rows, the titles included. */
  readonly draw: (height: number) => PageRow[];
}

/** Minimum rows that stay visible beside the cut cells of the selected row. */
const MIN_VISIBLE_ROWS = 3;
const INDENT = 2;
const words = () => catalogue().ui;

/**
 * Width in columns at which no cell is cut; infinity for an empty table, whose text takes all available columns.
 * @param options.isBrief columns that the detail repeats may be cut
 */
export function measureUncutTable(
  { columns, rows }: Pick<TableContent, 'columns' | 'rows'>,
  { isBrief = false } = {},
): number {
  if (rows.length === 0) return Number.POSITIVE_INFINITY;
  const widths = columns.map((column) => {
    const minimum = getMinimumWidth(column, rows);
    return isBrief && column.inDetail ? minimum : Math.max(minimum, naturalWidth(column, rows));
  });
  return INDENT + widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP * Math.max(0, columns.length - 1);
}

/**
 * Rows and columns; only visible rows are drawn, and a narrow table drops columns by priority. `1-9 of 30` stands
 * at the right of the titles when there is more, or under the rows where it would cover a title; so does the number of
 * rows that a filter shows. The cut cells of the selected row are shown in full under the rows.
 *
 *       NAME     ROLE           ADDRESS         STATE
 *     ▸ m1       control-plane  172.16.0.21     ✔ Ready
 *       m2       control-plane  172.16.0.22     ◦ not yet
 */
export function layOutTable(table: TableContent, viewport: Viewport, { hasDetail = false } = {}): TableLayout {
  const available = viewport.columns - INDENT;
  const placed = placeColumns(table.columns, table.rows, available);
  const shown = filterTable(table);
  const cutCells = hasDetail ? [] : formatCutCells(shown, placed, available).map(({ text }) => text);
  // A filter changes neither the columns nor the height: nothing else moves while it is typed.
  const fullHeight = 1 + Math.max(1, table.rows.length) + cutCells.length;
  const inDetail = hasDetail ? placed.filter(({ column }) => column.inDetail !== 'always') : placed;
  return {
    height: fullHeight,
    cutCells: hasDetail ? (columns) => formatCutCells(shown, inDetail, columns) : null,
    countCutLines: () => {
      const rows = table.rows.slice(0, MEASURED_ROWS);
      const counts = rows.map((_, selected) => formatCutCells({ ...table, selected }, inDetail, available).length);
      return Math.max(0, ...counts);
    },
    hasCountBelow: (height) =>
      isCountBelow(shown.rows.length, placed, available, height - 1 - cutCells.length) ||
      isNoteBelow(table, shown.rows.length, placed, available),
    hasColumn: (id) => placed.some(({ column }) => column.id === id),
    draw: (height) => {
      const isFiltered = isFilterOpen(table.filter);
      const maxRows = isFiltered ? Math.min(height, fullHeight) : height;
      const rows = drawTable(shown, placed, cutCells, { ...viewport, columns: available, rows: maxRows }, table);
      return isFiltered ? [...fitRows(rows, maxRows)] : rows;
    },
  };
}

function drawTable(
  { rows, selected, top = 0, empty = words().noRows }: TableContent,
  placed: readonly PlacedColumn[],
  cutCells: readonly string[],
  viewport: Viewport,
  whole: TableContent,
): PageRow[] {
  const { columns: available } = viewport;
  const { ellipsis } = getGlyphs(viewport);
  const maxLines = Math.max(0, viewport.rows - 1);
  const markContinuation = (line: string) => truncate(`${line} ${ellipsis}`, available, ellipsis);
  const limit = Math.max(0, maxLines - Math.min(MIN_VISIBLE_ROWS, rows.length));
  const cutLines = limitLines(cutCells, limit, markContinuation);
  const emptyLines = rows.length === 0 ? limitLines(wrapLines(empty, available), maxLines, markContinuation) : [];
  const note = formatNote(whole, rows.length);
  const hasNoteBelow = isNoteBelow(whole, rows.length, placed, available);
  const hasCount = hasNoteBelow || isCountBelow(rows.length, placed, available, maxLines - cutLines.length);
  const lines = Math.max(0, maxLines - cutLines.length - (hasCount ? 1 : 0));
  const { first, end } = getRangeAround(
    rows.length,
    selected ?? top + Math.floor(Math.min(lines, rows.length) / 2),
    lines,
  );
  const count = end - first < rows.length && rows.length > 0 ? words().moreRows(first + 1, end, rows.length) : '';
  const toRow = (line: string) => createRow(`  ${line}`, 'muted');
  const fieldRow = whole.filter === undefined ? null : filterFieldRow(whole.filter, note, viewport);
  const countBelow = [hasNoteBelow ? note : '', count].filter((text) => text !== '').join('  ');
  return [
    fieldRow ?? createTitleRow(placed, hasNoteBelow ? '' : note || (hasCount ? '' : count), available),
    ...emptyLines.map(toRow),
    ...markWindow(
      rows.slice(first, end).map((row, index) => createTableRow(row, placed, first + index === selected, viewport)),
      { first, end, total: rows.length, isCounted: true },
    ),
    ...(hasCount ? [toRow(countBelow)] : []),
    ...cutLines.map(toRow),
  ];
}

/** Formats the cut cells of the selected row, each in full under its heading. */
function formatCutCells(
  { rows, selected }: TableContent,
  placed: readonly PlacedColumn[],
  available: number,
): TextLine[] {
  const row = selected === null ? undefined : rows[selected];
  if (row === undefined) return [];
  return listCutCells(placed, row).flatMap(({ title, text }) =>
    wrapProse(text, available, title === '' ? '' : `${title}: `).map(toTextLine),
  );
}

/** Limits the lines to those that fit; marks the last one if lines are left out. */
function limitLines(lines: readonly string[], limit: number, mark: (line: string) => string): readonly string[] {
  const last = lines[limit - 1];
  return lines.length <= limit || last === undefined
    ? lines.slice(0, limit)
    : [...lines.slice(0, limit - 1), mark(last)];
}

const formatTitles = (placed: readonly PlacedColumn[]) =>
  placed
    .map(({ column, width }) => padEnd(column.title, width, '', column.align))
    .join(' '.repeat(COLUMN_GAP))
    .trimEnd();

/** Formats how many rows the filter of a table shows; empty without a filter. */
const formatNote = ({ filter, rows }: TableContent, shown: number) =>
  isFilterOpen(filter) ? formatFilterCount(filter, shown, rows.length) : '';

/** Whether that note would cover a title; while the filter is typed, its field has the place of the titles. */
const isNoteBelow = (table: TableContent, shown: number, placed: readonly PlacedColumn[], available: number) =>
  table.filter?.field === null && !fitsBesideTitles(placed, available, formatNote(table, shown));

/** Whether a note stands beside the titles without covering one. */
const fitsBesideTitles = (placed: readonly PlacedColumn[], available: number, note: string) =>
  note === '' || displayWidth(formatTitles(placed)) + COLUMN_GAP + displayWidth(note) <= available;

/** Whether `total` rows do not fit into `lines`, and their counter would cover a title. */
const isCountBelow = (total: number, placed: readonly PlacedColumn[], available: number, lines: number) =>
  lines < total && !fitsCounter(placed, available, total, lines);

/** Whether the counter of `total` rows fits beside the titles for any position of the visible `lines`. */
function fitsCounter(placed: readonly PlacedColumn[], available: number, total: number, lines: number): boolean {
  const longest = words().moreRows(Math.max(1, total - lines + 1), total, total);
  return fitsBesideTitles(placed, available, longest);
}

function createTitleRow(placed: readonly PlacedColumn[], note: string, available: number): PageRow {
  const noteWidth = note === '' ? 0 : displayWidth(note) + COLUMN_GAP;
  const titles = padEnd(formatTitles(placed), available - noteWidth, '');
  return createRow(`  ${titles}${note === '' ? '' : `  ${note}`}`, 'muted');
}

function createTableRow(
  row: TableRow,
  placed: readonly PlacedColumn[],
  isSelected: boolean,
  style: { readonly hasUnicode: boolean },
): PageRow {
  const { pointer, ellipsis } = getGlyphs(style);
  const rowTone: Tone = isSelected ? 'focus' : 'text';
  const cells = placed.map(({ column, width }, index): Segment => {
    const text = padEnd(stripBackticks(row.cells[column.id] ?? ''), width, ellipsis, column.align);
    return {
      text: index === placed.length - 1 ? text.trimEnd() : text + ' '.repeat(COLUMN_GAP),
      tone: row.tones?.[column.id] ?? rowTone,
    };
  });
  const mark: Segment = { text: isSelected ? `${pointer} ` : '  ', tone: 'focus' };
  return { segments: [mark, ...cells], item: { id: row.id, isSelected } };
}
