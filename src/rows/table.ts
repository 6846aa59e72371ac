import { catalogue } from '../i18n/catalogue.ts';
import { stripBackticks, wrapProse } from '../i18n/prose.ts';
import { fitToWidth, getDisplayWidth, truncate, truncateMiddle, wrapLines } from '../platform/text.ts';
import type { ListFilter } from '../wizard/list-filter.ts';
import { createFilterFieldRow, filterTable, formatFilterCount, isFilterOpen } from './filtered-table.ts';
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

/** A column of a table. */
export interface Column {
  readonly id: string;
  readonly title: string;
  /** Minimum useful width in cells, never below the width of the title; with less space the column is dropped. */
  readonly minWidth: number;
  /** Maximum width in cells while other columns need space; by default the width of the longest cell. */
  readonly maxWidth?: number;
  /** If not all columns fit, those with the highest number are dropped first; 0, the default, always stays. */
  readonly priority?: number;
  /** Widens the minimum to the longest cell, up to `max`: less important columns are dropped first. */
  readonly keepsCellsUncut?: boolean;
  /** The width depends on the space alone, up to `maxWidth`: rows that come and go do not move the next columns. */
  readonly ignoresCells?: boolean;
  readonly align?: 'left' | 'right';
  /** A cut cell loses its middle: it holds names that may differ in their ends alone. */
  readonly isCutInMiddle?: boolean;
  /**
   * Beside the detail of the selected row, the column may be as narrow as `min`. `if-cut`: the detail has the text of a
   * cut cell in full; `always`: it has the text in other words, cut or not.
   */
  readonly detailRepeats?: 'if-cut' | 'always';
}

interface PlacedColumn {
  readonly column: Column;
  readonly width: number;
}

const COLUMN_GAP = 2;
/** Number of rows in which the longest cell is searched: enough to be stable, cheap for any length. */
const MAX_MEASURED_ROWS = 300;

type RowCells = { readonly cells: Readonly<Record<string, string>> };

/**
 * Assigns each column its width within `availableWidth` cells (gaps included). First drops by priority the columns
 * whose minimum width does not fit. Then widens from the most to the least important, first each up to its `max`, then
 * beyond, until the space or the content ends. If not even the columns of priority 0 fit, the first of them shrinks.
 */
export function placeColumns(
  columns: readonly Column[],
  rows: readonly RowCells[],
  availableWidth: number,
): PlacedColumn[] {
  const visibleColumns = selectFittingColumns(columns, rows, availableWidth);
  const widths = new Map(visibleColumns.map((column) => [column, getMinimumWidth(column, rows)]));
  const columnsByImportance = visibleColumns.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
  const naturalWidths = new Map(visibleColumns.map((column) => [column, getNaturalWidth(column, rows)]));
  let remainingWidth = availableWidth - sumMinimumWidths(visibleColumns, rows);
  for (const isBounded of [true, false]) {
    for (const column of columnsByImportance) {
      const width = widths.get(column) ?? 0;
      const bound = isBounded ? (column.maxWidth ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
      const extraWidth = Math.min(remainingWidth, Math.max(0, Math.min(bound, naturalWidths.get(column) ?? 0) - width));
      widths.set(column, width + extraWidth);
      remainingWidth -= extraWidth;
    }
  }
  return visibleColumns.map((column) => ({ column, width: widths.get(column) ?? column.minWidth }));
}

/** Returns the minimum width of a column. Its heading is never cut. */
function getMinimumWidth(column: Column, rows: readonly RowCells[]): number {
  const { minWidth, maxWidth = Number.POSITIVE_INFINITY, title, keepsCellsUncut = false } = column;
  return Math.max(
    minWidth,
    getDisplayWidth(title),
    keepsCellsUncut ? Math.min(maxWidth, getNaturalWidth(column, rows)) : 0,
  );
}

function selectFittingColumns(
  columns: readonly Column[],
  rows: readonly RowCells[],
  availableWidth: number,
): readonly Column[] {
  let visibleColumns = columns;
  while (sumMinimumWidths(visibleColumns, rows) > availableWidth) {
    const lastPriority = Math.max(...visibleColumns.map(({ priority }) => priority ?? 0));
    if (lastPriority === 0) return visibleColumns;
    const droppedColumn = visibleColumns.findLast(({ priority }) => (priority ?? 0) === lastPriority);
    visibleColumns = visibleColumns.filter((column) => column !== droppedColumn);
  }
  return visibleColumns;
}

function sumMinimumWidths(columns: readonly Column[], rows: readonly RowCells[]): number {
  return (
    columns.reduce((sum, column) => sum + getMinimumWidth(column, rows), 0) +
    COLUMN_GAP * Math.max(0, columns.length - 1)
  );
}

function getNaturalWidth(column: Column, rows: readonly RowCells[]): number {
  if (column.ignoresCells && column.maxWidth !== undefined)
    return Math.max(getDisplayWidth(column.title), column.maxWidth);
  const cellWidths = rows
    .slice(0, MAX_MEASURED_ROWS)
    .map(({ cells: texts }) => getDisplayWidth(texts[column.id] ?? ''));
  return Math.max(getDisplayWidth(column.title), ...cellWidths);
}

/** Lists the cells of a row that its columns cut, and those with a command, which needs separate lines. */
function listCutCells(placedColumns: readonly PlacedColumn[], { cells }: RowCells): { title: string; text: string }[] {
  return placedColumns
    .map(({ column, width }) => ({ title: column.title, text: cells[column.id] ?? '', width }))
    .filter(({ text, width }) => getDisplayWidth(text) > width || /`[^`]+`/.test(text))
    .map(({ title, text }) => ({ title, text }));
}

/** A row of a table; `id` identifies it and is not shown. */
export interface TableRow {
  readonly id: string;
  /** Text by column id. */
  readonly cells: Readonly<Record<string, string>>;
  /** Tone of single cells, by column id; the text must carry the same meaning. */
  readonly tones?: Readonly<Record<string, Tone>>;
  /** The columns whose cells still have the value of an example: muted italic. */
  readonly examples?: readonly string[];
}

/** The columns and rows of a table, its selection and its filter. */
export interface TableContent {
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  /** Index of the selected row; null if no row can be selected (`top` then sets the first visible row). */
  readonly selectedIndex: number | null;
  /** First visible row while no row is selected. */
  readonly top?: number;
  /** The text shown in place of rows. */
  readonly emptyText?: string;
  /** Hides rows. `selected` counts the hidden ones, too. */
  readonly filter?: ListFilter;
}

/** A table laid out for a width: its height and its rows come from the same layout. */
interface TableLayout {
  /** Number of rows that it needs to show everything, the selected row in full. */
  readonly height: number;
  /** The cut cells of the selected row, for its detail; null if the table shows them below its rows. */
  readonly cutCells: ((columns: number) => readonly TextLine[]) | null;
  /** Counts the lines of the cut cells of a row. */
  readonly countCutLines: (row: number) => number;
  /** Whether the last row holds the note of a filter, because beside the titles it would cover one. */
  readonly hasNoteBelow: boolean;
  /** Whether the width suffices to show a column. */
  readonly hasColumn: (id: string) => boolean;
  /** Draws the table in at most `height` rows, the titles included. */
  readonly draw: (height: number) => PageRow[];
}

/** Minimum rows that stay visible beside the cut cells of the selected row. */
const MIN_VISIBLE_ROWS = 3;
const INDENT = 2;
const words = () => catalogue().ui;

/**
 * Measures the width in columns at which no cell is cut; infinity for an empty table, whose text takes all available
 * columns.
 * @param isBrief columns that the detail repeats may be cut
 */
export function measureUncutTable(
  { columns, rows }: Pick<TableContent, 'columns' | 'rows'>,
  { isBrief = false } = {},
): number {
  if (rows.length === 0) return Number.POSITIVE_INFINITY;
  const widths = columns.map((column) => {
    const minWidth = getMinimumWidth(column, rows);
    return isBrief && column.detailRepeats ? minWidth : Math.max(minWidth, getNaturalWidth(column, rows));
  });
  return INDENT + widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP * Math.max(0, columns.length - 1);
}

/**
 * Lays out a table: only visible rows are drawn, and a narrow table drops columns by priority. With more rows than
 * `viewport.rows`, `1-9 of 30` stands at the right of the titles, which make room for it; where they cannot, the frame
 * shows it elsewhere. The number of rows that a filter shows stands there too, or below the rows. The frame shows
 * a filter while it is typed. The cut cells of the selected row are shown in full under the rows.
 *
 *       NAME     ROLE           ADDRESS         STATE
 *     ▸ m1       control-plane  172.16.0.21     ✔ Ready
 *       m2       control-plane  172.16.0.22     ◦ not yet
 */
export function layOutTable(table: TableContent, viewport: Viewport, { hasDetail = false } = {}): TableLayout {
  const availableWidth = viewport.columns - INDENT;
  const rowCount = table.rows.length;
  const allColumns = placeColumns(table.columns, table.rows, availableWidth);
  const placedColumns =
    rowCount < viewport.rows
      ? allColumns
      : narrowColumnsForNote(allColumns, table.rows, availableWidth, words().moreRows(rowCount, rowCount, rowCount));
  const filteredTable = filterTable(table);
  const cutCells = hasDetail
    ? []
    : formatCutCells(filteredTable, placedColumns, availableWidth).map(({ text }) => text);
  // A filter changes neither the columns nor the height: nothing else moves while it is typed.
  const fullHeight = 1 + Math.max(1, table.rows.length) + cutCells.length;
  const detailColumns = hasDetail
    ? placedColumns.filter(({ column }) => column.detailRepeats !== 'always')
    : placedColumns;
  return {
    height: fullHeight,
    cutCells: hasDetail ? (columns) => formatCutCells(filteredTable, detailColumns, columns) : null,
    countCutLines: (row) => formatCutCells({ ...table, selectedIndex: row }, detailColumns, availableWidth).length,
    hasNoteBelow: isNoteBelow(table, filteredTable.rows.length, placedColumns, availableWidth),
    hasColumn: (id) => placedColumns.some(({ column }) => column.id === id),
    draw: (height) => {
      const isFiltered = isFilterOpen(table.filter);
      const maxRows = isFiltered ? Math.min(height, fullHeight) : height;
      const rows = drawTable(
        filteredTable,
        placedColumns,
        cutCells,
        { ...viewport, columns: availableWidth, rows: maxRows },
        table,
      );
      return isFiltered ? [...fitRows(rows, maxRows)] : rows;
    },
  };
}

function drawTable(
  { rows, selectedIndex, top = 0, emptyText = words().noRows }: TableContent,
  placedColumns: readonly PlacedColumn[],
  cutCells: readonly string[],
  viewport: Viewport,
  unfilteredTable: TableContent,
): PageRow[] {
  const { columns: availableWidth } = viewport;
  const { ellipsis } = getGlyphs(viewport);
  const maxLines = Math.max(0, viewport.rows - 1);
  const markContinuation = (line: string) => truncate(`${line} ${ellipsis}`, availableWidth, ellipsis);
  const limit = Math.max(0, maxLines - Math.min(MIN_VISIBLE_ROWS, rows.length));
  const cutLines = limitLines(cutCells, limit, markContinuation);
  const emptyLines =
    rows.length === 0 ? limitLines(wrapLines(emptyText, availableWidth), maxLines, markContinuation) : [];
  const filterNote = formatFilterNote(unfilteredTable, rows.length);
  const { filter } = unfilteredTable;
  const prompt = filter === undefined ? null : createFilterFieldRow(filter, filterNote, viewport);
  const note = prompt === null ? filterNote : '';
  const hasNoteBelow = isNoteBelow(unfilteredTable, rows.length, placedColumns, availableWidth);
  const lines = Math.max(0, maxLines - cutLines.length - (hasNoteBelow ? 1 : 0));
  const { first, end } = getRangeAround(
    rows.length,
    selectedIndex ?? top + Math.floor(Math.min(lines, rows.length) / 2),
    lines,
  );
  const count = end - first < rows.length && rows.length > 0 ? words().moreRows(first + 1, end, rows.length) : '';
  const toRow = (line: string) => createRow(`  ${line}`, 'muted');
  const longestCounter = words().moreRows(Math.max(1, rows.length - lines + 1), rows.length, rows.length);
  // Beside the note of a filter, or where it would cover a title, the frame finds a place for the counter.
  const isRangeShown = note === '' && fitsBesideTitles(placedColumns, availableWidth, longestCounter);
  const titleNote = hasNoteBelow ? '' : note || (isRangeShown ? count : '');
  const titleRow = createTitleRow(placedColumns, titleNote, availableWidth);
  return [
    prompt === null ? titleRow : { ...titleRow, prompt },
    ...emptyLines.map(toRow),
    ...markWindow(
      rows
        .slice(first, end)
        .map((row, index) => createTableRow(row, placedColumns, first + index === selectedIndex, viewport)),
      { first, end, total: rows.length, isRangeShown },
    ),
    ...(hasNoteBelow ? [toRow(note)] : []),
    ...cutLines.map(toRow),
  ];
}

/** Formats the cut cells of the selected row, each in full under its heading. */
function formatCutCells(
  { rows, selectedIndex }: TableContent,
  placedColumns: readonly PlacedColumn[],
  availableWidth: number,
): TextLine[] {
  const row = selectedIndex === null ? undefined : rows[selectedIndex];
  if (row === undefined) return [];
  return listCutCells(placedColumns, row).flatMap(({ title, text }) =>
    wrapProse(text, availableWidth, title === '' ? '' : `${title}: `).map(toTextLine),
  );
}

/** Limits the lines to those that fit; marks the last one if lines are left out. */
function limitLines(lines: readonly string[], limit: number, mark: (line: string) => string): readonly string[] {
  const lastLine = lines[limit - 1];
  return lines.length <= limit || lastLine === undefined
    ? lines.slice(0, limit)
    : [...lines.slice(0, limit - 1), mark(lastLine)];
}

const formatTitles = (placedColumns: readonly PlacedColumn[]) =>
  placedColumns
    .map(({ column, width }) => fitToWidth(column.title, width, '', column.align))
    .join(' '.repeat(COLUMN_GAP))
    .trimEnd();

/** Formats how many rows the filter of a table shows; empty without a filter. */
const formatFilterNote = ({ filter, rows }: TableContent, shownCount: number) =>
  isFilterOpen(filter) ? formatFilterCount(filter, shownCount, rows.length) : '';

/** Whether the note of a filter would cover a title; while the filter is typed, its note stands beside the field. */
const isNoteBelow = (
  table: TableContent,
  shownCount: number,
  placedColumns: readonly PlacedColumn[],
  availableWidth: number,
) =>
  table.filter?.field === null && !fitsBesideTitles(placedColumns, availableWidth, formatFilterNote(table, shownCount));

/** Whether a note stands beside the titles without covering one. */
const fitsBesideTitles = (placedColumns: readonly PlacedColumn[], availableWidth: number, note: string) =>
  note === '' || getDisplayWidth(formatTitles(placedColumns)) + COLUMN_GAP + getDisplayWidth(note) <= availableWidth;

/**
 * Narrows columns whose cells the detail repeats, so that a note stands beside the titles; leaves them if that does not
 * suffice.
 */
function narrowColumnsForNote(
  placedColumns: readonly PlacedColumn[],
  rows: readonly RowCells[],
  availableWidth: number,
  note: string,
): readonly PlacedColumn[] {
  const titleWidth = getDisplayWidth(formatTitles(placedColumns));
  let missingWidth = titleWidth + COLUMN_GAP + getDisplayWidth(note) + 1 - availableWidth;
  const narrowColumns = placedColumns.map(({ column, width }, index) => {
    const isLast = index === placedColumns.length - 1;
    const spareWidth = isLast || !column.detailRepeats ? 0 : width - getMinimumWidth(column, rows);
    const freedWidth = Math.max(0, Math.min(missingWidth, spareWidth));
    missingWidth -= freedWidth;
    return { column, width: width - freedWidth };
  });
  return missingWidth > 0 ? placedColumns : narrowColumns;
}

function createTitleRow(placedColumns: readonly PlacedColumn[], note: string, availableWidth: number): PageRow {
  const noteWidth = note === '' ? 0 : getDisplayWidth(note) + COLUMN_GAP;
  const titleWidth = getDisplayWidth(formatTitles(placedColumns));
  // A blank separates the note from the border where there is room for it.
  const margin = noteWidth > 0 && titleWidth + noteWidth < availableWidth ? 1 : 0;
  const titles = fitToWidth(formatTitles(placedColumns), availableWidth - noteWidth - margin, '');
  return createRow(`  ${titles}${note === '' ? '' : `  ${note}`}`, 'muted');
}

function createTableRow(
  row: TableRow,
  placedColumns: readonly PlacedColumn[],
  isSelected: boolean,
  style: { readonly hasUnicode: boolean },
): PageRow {
  const { pointer, ellipsis } = getGlyphs(style);
  const rowTone: Tone = isSelected ? 'focus' : 'text';
  const cells = placedColumns.map(({ column, width }, index): Segment => {
    const cellText = stripBackticks(row.cells[column.id] ?? '');
    const shownText = column.isCutInMiddle === true ? truncateMiddle(cellText, width, ellipsis) : cellText;
    const text = fitToWidth(shownText, width, ellipsis, column.align);
    const isExample = row.examples?.includes(column.id) === true;
    return {
      text: index === placedColumns.length - 1 ? text.trimEnd() : text + ' '.repeat(COLUMN_GAP),
      tone: row.tones?.[column.id] ?? (isExample ? 'muted' : rowTone),
      ...(isExample ? { isItalic: true } : {}),
    };
  });
  const mark: Segment = { text: isSelected ? `${pointer} ` : '  ', tone: 'focus' };
  return { segments: [mark, ...cells], item: { id: row.id, isSelected } };
}
