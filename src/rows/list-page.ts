import { truncate, wrapLines } from '../platform/text.ts';
import { linkUrls } from './links.ts';
import {
  createRow,
  EMPTY_ROW,
  fitRows,
  getGlyphs,
  highlightRow,
  joinRows,
  type PageRow,
  truncateRow,
  type Viewport,
} from './page-rows.ts';
import { drawEdges, writeRanges } from './scroll.ts';
import { layOutTable, measureUncutTable, type TableContent } from './table.ts';
import { createTextRows, getLastTop, type LongText, type TextLine } from './text.ts';

/** A text that belongs to the selected row, or to the whole page. */
export interface Detail {
  /** The heading over it. */
  readonly title?: string;
  /** Lays out its lines, which may be more than `rows`. */
  readonly renderLines: (columns: number, rows: number) => readonly TextLine[];
  /** Index of the first visible line; null follows the end. */
  readonly top: number | null;
  /** No key scrolls it: its end is cut with a mark. */
  readonly isFixed?: boolean;
  /** The text grows with time. Below another detail, it gets all rows that the longest text of the other one leaves. */
  readonly isLog?: boolean;
  /** Counts the lines of a row's detail, with its title: a long list gets the rows that the longest detail leaves. */
  readonly countLines?: (columns: number, row: number) => number;
  /** Changes a visible line before it is drawn. */
  readonly decorate?: LongText['decorate'];
}

/** A list and its details. The page declares them once; the size decides where each part is. */
export interface ListContent {
  readonly table: TableContent;
  /** The rows above the list, in its column. */
  readonly createRowsAbove?: (viewport: Viewport) => readonly PageRow[];
  /** The most important first: where space is short, the others are left out. */
  readonly details: readonly Detail[];
  /** Rows that a long list keeps beside its detail, its titles included; the detail keeps its title and two lines. */
  readonly minRows?: number;
  /** All rows of the list stay, even if none remain for the detail below it. */
  readonly keepsAllRows?: boolean;
  /** Its rows come and go while a detail is read: the place of a detail below the list does not depend on them. */
  readonly isChanging?: boolean;
  /** The place of the list and its details, if it does not depend on their texts. */
  readonly fixedPlace?: FixedPlace;
}

/** The place of a list whose texts change: it depends only on the size and on the number of its rows. */
interface FixedPlace {
  /** Rows of the list, its titles included. */
  readonly rows: number;
  /** Columns of the details beside the list; null: they are below it. */
  readonly detailColumns: number | null;
}

/** A drawn list, with the text of its first detail that the keys scroll. */
interface DrawnList {
  readonly rows: readonly PageRow[];
  readonly scroll: { readonly lineCount: number; readonly lastTop: number; readonly page: number };
}

/** Columns of the terminal from which one detail, and two details, stand beside the list. */
export const MIN_COLUMNS_BESIDE = 110;
export const MIN_COLUMNS_FOR_TWO = 160;
/** Columns of a detail beside the list: the minimum that is readable, and the maximum for comfortable reading. */
const MIN_DETAIL_COLUMNS = 44;
const MAX_DETAIL_COLUMNS = 76;
const COLUMN_STEP = 12;
const LOW_AREA_ROWS = 24;
/** Minimum rows that remain below a list with the whole width; the detail gets most of them. */
const MIN_ROWS_FOR_WHOLE_LIST = 14;
/** Minimum rows that remain below a list that is wider than a medium terminal. */
const MIN_ROWS_FOR_WIDE_LIST = 8;
/** Number of rows whose details are counted: enough to be stable, cheap for any length. */
const MAX_COUNTED_DETAILS = 300;
/** Minimum rows of a detail below a list that is shown in full. */
const MIN_DETAIL_ROWS = 5;
/** The rows of a detail below a list whose rows come and go: a few facts. */
const MIN_FACT_ROWS = 4;
/** The rows of the shortest detail: its title and two lines. */
export const BRIEF_DETAIL_ROWS = 3;
/** The rows of a second detail below the first one that are worth reading. */
const MIN_SECOND_ROWS = 6;
const LIST_ROW_STEP = 4;
const DETAIL_ROW_STEP = 8;
/** Minimum rows of a list that has a detail below it, its titles included; more if its rows come and go. */
const MIN_LIST_ROWS = 3;
const MIN_CHANGING_LIST_ROWS = 4;
/** In a lower area no blank row separates the parts. */
const MIN_ROWS_WITH_GAP = 6;
/** Minimum rows of the area for two details below a short list (at most a quarter of them) instead of beside it. */
const HIGH_AREA_ROWS = 32;
/** A blank, a line and a blank. */
const SEPARATOR_COLUMNS = 3;
/** The share of the area below a list with a fixed place, its minimum, and the rows there if details are beside it. */
const SHARE_BELOW_FIXED_LIST = 0.35;
const MIN_ROWS_BELOW_FIXED_LIST = 6;
const NOTE_ROWS_BELOW_FIXED_LIST = 4;

/**
 * Draws a list and its details in exactly `viewport.rows` rows. The place of each part depends on the size and the
 * number of rows of the list alone: moving the selection moves nothing else. A detail stands below the list and, in a
 * wide terminal, beside it.
 *
 *       Host     State                  │ ns1
 *     ▸ 1. ns1   ✔ answers as designed  │ ✔ api.ocp45 has the address 172.16.0.111
 *       2. lb1   ◦ to be set up         │ …
 */
export function drawListPage(content: ListContent, viewport: Viewport): DrawnList {
  const { rows } = viewport;
  const columns = computeDetailColumns(content, viewport);
  if (columns === null) return drawWithDetailsBelow(content, viewport);
  const leftViewport = { ...viewport, columns: viewport.columns - columns - SEPARATOR_COLUMNS };
  const listViewport = { ...leftViewport, rows: content.fixedPlace?.rows ?? rows };
  const list = drawList(content, content.createRowsAbove?.(leftViewport) ?? [], listViewport);
  const details = drawDetails(content, list.details, { ...viewport, columns });
  return { rows: joinColumns(fitRows(list.rows, rows), leftViewport, details.rows), scroll: details.scroll };
}

/**
 * Computes the place of a list whose texts change while it is read. Its details are beside it in a wide terminal, and
 * below it in a medium one that shows it whole.
 * @param viewport the area of the list, its details and the notes below them
 */
export function computeFixedPlace({ table }: ListContent, viewport: Viewport): FixedPlace {
  const { columns, rows, terminalColumns } = viewport;
  const neededRows = 1 + Math.max(1, table.rows.length);
  const rowsBelow = Math.max(MIN_ROWS_BELOW_FIXED_LIST, Math.ceil(rows * SHARE_BELOW_FIXED_LIST));
  const listRows = Math.min(neededRows, rows - Math.min(rowsBelow, Math.floor(rows / 2)));
  const detailColumns = Math.min(MAX_DETAIL_COLUMNS, Math.max(MIN_DETAIL_COLUMNS, Math.floor(columns * 0.4)));
  const isWide = terminalColumns >= (listRows < neededRows ? MIN_COLUMNS_BESIDE : MIN_COLUMNS_FOR_TWO);
  const canFit = columns - SEPARATOR_COLUMNS - detailColumns >= measureUncutTable(table, { isBrief: true });
  return isWide && canFit && !isShortList(neededRows, rows)
    ? { rows: Math.min(neededRows, rows - NOTE_ROWS_BELOW_FIXED_LIST), detailColumns }
    : { rows: listRows, detailColumns: null };
}

/** Returns the columns for the details beside the list; null: they stand below it. */
function computeDetailColumns(content: ListContent, viewport: Viewport): number | null {
  const { table, details, isChanging = false, fixedPlace } = content;
  if (fixedPlace !== undefined) return fixedPlace.detailColumns;
  const { columns, rows, terminalColumns } = viewport;
  const maxDetails = details.length > 1 && terminalColumns >= MIN_COLUMNS_FOR_TWO ? 2 : 1;
  const freeColumns = columns - SEPARATOR_COLUMNS - measureUncutTable(table, { isBrief: true });
  if (details.length === 0 || terminalColumns < MIN_COLUMNS_BESIDE || freeColumns < MIN_DETAIL_COLUMNS) return null;
  if (!isChanging && isShortList(1 + table.rows.length, rows) && maxDetails === 2) return null;
  // Rounded up, so that a cell that grows by a letter moves nothing.
  const neededColumns = Math.ceil(measureUncutTable(table) / COLUMN_STEP) * COLUMN_STEP;
  const uncutColumns = columns - SEPARATOR_COLUMNS - neededColumns;
  const maxColumns = maxDetails * MAX_DETAIL_COLUMNS + (maxDetails - 1) * SEPARATOR_COLUMNS;
  if (uncutColumns >= MIN_DETAIL_COLUMNS) return Math.min(uncutColumns, maxColumns);
  // A list that needs the whole width gets it if enough rows remain for the detail below. In a
  // medium terminal, half of the width makes a list that is wider than the page unreadable.
  const freeRows = rows - table.rows.length;
  if (neededColumns <= columns && freeRows >= MIN_ROWS_FOR_WHOLE_LIST) return null;
  if (neededColumns > columns && terminalColumns < MIN_COLUMNS_FOR_TWO && freeRows >= MIN_ROWS_FOR_WIDE_LIST)
    return null;
  // The detail shows in full what the list beside it cuts.
  return Math.min(freeColumns, maxColumns, Math.max(MIN_DETAIL_COLUMNS, Math.floor(columns / 2)));
}

/** Whether a list leaves its details, side by side below it, most of a high area. */
const isShortList = (neededRows: number, rows: number) => rows >= HIGH_AREA_ROWS && 4 * neededRows <= rows;

function drawWithDetailsBelow(content: ListContent, viewport: Viewport): DrawnList {
  const { rows } = viewport;
  const rowsAbove = content.createRowsAbove?.(viewport) ?? [];
  const gap = rows < MIN_ROWS_WITH_GAP ? 0 : 1;
  const listRows = Math.min(
    rows,
    rowsAbove.length + computeListRows(content, { ...viewport, rows: rows - rowsAbove.length - gap }),
  );
  const tallerList = drawList(content, rowsAbove, { ...viewport, rows: listRows + gap });
  // The note of a filter below the list may use the blank row between the list and its details.
  const list = tallerList.hasNoteBelow ? tallerList : drawList(content, rowsAbove, { ...viewport, rows: listRows });
  const details = drawDetails(content, list.details, { ...viewport, rows: Math.max(0, rows - listRows - gap) });
  return { rows: [...fitRows(list.rows, Math.min(rows, listRows + gap)), ...details.rows], scroll: details.scroll };
}

/**
 * Counts the rows that a list needs to be shown whole, with the rows above it and a detail of a few lines. They do not
 * depend on the selected row.
 */
export function countNeededRows(content: ListContent, viewport: Viewport): number {
  const { table, createRowsAbove, details } = content;
  const listRows = (createRowsAbove?.(viewport).length ?? 0) + Math.max(MIN_LIST_ROWS, 1 + table.rows.length);
  const isBeside = computeDetailColumns(content, viewport) !== null;
  if (isBeside || details.length === 0 || table.rows.length === 0) return listRows;
  return listRows + 1 + (countLongestDetail(content, viewport, viewport.rows) ?? BRIEF_DETAIL_ROWS);
}

/**
 * Counts the lines of the longest detail of all rows, with the cells that the table cuts. Null: its details are not
 * counted.
 * @param limit lines from which the number does not matter
 */
function countLongestDetail({ table, details }: ListContent, viewport: Viewport, limit: number): number | null {
  const [detail] = details;
  if (detail?.countLines === undefined) return null;
  const { countCutLines } = layOutTable(table, viewport, { hasDetail: true });
  let lines = 0;
  for (let row = 0; row < Math.min(table.rows.length, MAX_COUNTED_DETAILS) && lines < limit; row += 1)
    lines = Math.max(lines, detail.countLines(viewport.columns, row) + countCutLines(row));
  return lines;
}

/**
 * Computes the rows of the list. A list that leaves the detail a few rows is shown whole. A longer list gets half of
 * the rows, in a low area a few more, and all rows that the longest detail leaves empty.
 */
function computeListRows(content: ListContent, viewport: Viewport): number {
  const { table, details, isChanging, minRows = 0, keepsAllRows = false, fixedPlace } = content;
  const { rows } = viewport;
  if (fixedPlace !== undefined) return fixedPlace.rows;
  const neededRows = 1 + Math.max(1, table.rows.length);
  if (details.length === 0) return rows;
  if (keepsAllRows && rows < neededRows + BRIEF_DETAIL_ROWS) return neededRows;
  const isWhole = neededRows <= Math.max(Math.floor((rows * 2) / 3), rows - MIN_DETAIL_ROWS);
  if (isWhole && !isChanging) return neededRows;
  const lines = countLongestDetail(content, viewport, rows);
  const usualRows = isChanging
    ? Math.max(MIN_CHANGING_LIST_ROWS, rows - Math.min(MIN_FACT_ROWS, lines ?? MIN_FACT_ROWS))
    : Math.max(
        Math.min(neededRows, Math.ceil(rows * (rows < LOW_AREA_ROWS ? 0.6 : 0.5))),
        Math.min(neededRows, minRows, rows - BRIEF_DETAIL_ROWS),
      );
  const steppedRows = isChanging && details.length > 1 ? Math.min(usualRows, roundUpRows(neededRows)) : usualRows;
  return Math.max(MIN_LIST_ROWS, lines === null ? steppedRows : shareRows(neededRows, steppedRows, rows - lines));
}

/**
 * Shares rows between a list and its details: a long list also gets what the longest detail leaves empty, and a long
 * detail what a short list leaves empty.
 */
function shareRows(neededRows: number, usualRows: number, rowsBesideDetail: number): number {
  return neededRows < usualRows
    ? Math.min(usualRows, Math.max(neededRows, rowsBesideDetail))
    : Math.max(usualRows, Math.min(neededRows, rowsBesideDetail));
}

/** Above a second detail, a list grows and shrinks in steps: a row that comes or goes rarely moves what is below it. */
const roundUpRows = (rows: number) => Math.ceil(rows / LIST_ROW_STEP) * LIST_ROW_STEP;

/** Draws the list; what its columns cut in the selected row comes first in the detail. */
function drawList(list: ListContent, head: readonly PageRow[], viewport: Viewport) {
  const { table: content, details } = list;
  const rows = Math.max(1, viewport.rows - head.length);
  const table = layOutTable(content, { ...viewport, rows }, { hasDetail: details.length > 0 });
  const [firstDetail, ...otherDetails] = details;
  return {
    rows: [...head, ...table.draw(rows)],
    hasNoteBelow: table.hasNoteBelow,
    details: firstDetail === undefined ? [] : [addCutCells(firstDetail, table), ...otherDetails],
  };
}

/**
 * Adds what the columns of a table cut in the selected row, before the text of its detail. The first command in it
 * comes first if one would not be visible.
 */
export function addCutCells(detail: Detail, { cutCells }: Pick<ReturnType<typeof layOutTable>, 'cutCells'>): Detail {
  if (cutCells === null) return detail;
  const renderLines = (columns: number, rows: number) => {
    const cutLines = cutCells(columns);
    const isCommand = ({ tone }: TextLine) => tone === 'accent';
    const start = cutLines.slice(rows).some(isCommand) ? cutLines.findIndex(isCommand) : cutLines.length;
    const length = cutLines.slice(start).findIndex((line) => !isCommand(line));
    const commandLines = cutLines.slice(start, length < 0 ? undefined : start + length);
    const indent = Math.min(...commandLines.map(({ text }) => text.search(/\S/)));
    const leadingLines = commandLines.map(({ text, ...style }) => ({ ...style, text: text.slice(indent) }));
    return [...leadingLines, ...cutLines, ...detail.renderLines(columns, rows)];
  };
  return { ...detail, renderLines };
}

/**
 * Draws the details in their area: the last beside the others, or one below the other while rows remain. The first one
 * scrolls.
 */
function drawDetails(content: ListContent, details: readonly Detail[], viewport: Viewport): DrawnList {
  const { columns, rows, terminalColumns } = viewport;
  const [firstDetail, secondDetail] = details;
  if (firstDetail === undefined || rows <= 0) return { rows: [], scroll: { lineCount: 0, lastTop: 0, page: 1 } };
  const halfColumns = Math.floor((columns - SEPARATOR_COLUMNS) / 2);
  if (secondDetail !== undefined && terminalColumns >= MIN_COLUMNS_FOR_TWO && halfColumns >= MIN_DETAIL_COLUMNS) {
    const leftViewport = { ...viewport, columns: columns - halfColumns - SEPARATOR_COLUMNS };
    const drawnLeft = stackDetails(content, details.slice(0, -1), leftViewport);
    const drawnRight = drawDetail(details.at(-1) ?? secondDetail, { ...viewport, columns: halfColumns });
    return { rows: joinColumns(drawnLeft.rows, leftViewport, drawnRight.rows), scroll: drawnLeft.scroll };
  }
  return terminalColumns < MIN_COLUMNS_BESIDE
    ? drawDetail(firstDetail, viewport)
    : stackDetails(content, details, viewport);
}

/** Draws one or two details one below the other; a second one for which too few rows remain is left out. */
function stackDetails(content: ListContent, details: readonly Detail[], viewport: Viewport): DrawnList {
  const { columns, rows } = viewport;
  const [firstDetail, secondDetail] = details;
  if (firstDetail === undefined) return { rows: [], scroll: { lineCount: 0, lastTop: 0, page: 1 } };
  if (secondDetail === undefined) return drawDetail(firstDetail, viewport);
  // The first detail gets the rows of its longest text for any row. The help gets those that would be empty.
  const longestRows = countLongestDetail(content, viewport, rows);
  const usualRows = Math.ceil(rows * 0.6);
  const helpRows = secondDetail.renderLines(columns, rows).length;
  // In steps: a line that comes or goes rarely moves what is below it.
  const steppedRows = Math.ceil((longestRows ?? rows) / DETAIL_ROW_STEP) * DETAIL_ROW_STEP;
  const wantedRows = secondDetail.isLog === true ? 0 : Math.min(usualRows, steppedRows, rows - 1 - helpRows);
  const upperRows = longestRows === null ? usualRows : Math.max(longestRows, wantedRows);
  if (rows - upperRows - 1 < MIN_SECOND_ROWS) return drawDetail(firstDetail, viewport);
  const firstDrawn = drawDetail(firstDetail, { ...viewport, rows: upperRows });
  const secondDrawn = drawDetail(secondDetail, { ...viewport, rows: rows - upperRows - 1 });
  return { rows: [...firstDrawn.rows, EMPTY_ROW, ...secondDrawn.rows], scroll: firstDrawn.scroll };
}

function drawDetail({ title, renderLines: render, top, isFixed, decorate }: Detail, viewport: Viewport): DrawnList {
  const { columns, rows } = viewport;
  const { ellipsis } = getGlyphs(viewport);
  // The range of a long text stands beside its title.
  const hasRange = title !== undefined && render(columns, rows - 1).length > rows - 1;
  const titleLines = title === undefined ? [] : hasRange ? [title] : wrapLines(title, columns);
  const titleColumns = hasRange ? columns - RANGE_COLUMNS : columns;
  const head = titleLines.map((line) => truncateRow(createRow(line, 'accent'), titleColumns, ellipsis));
  const visibleRows = Math.max(1, rows - head.length);
  const allLines = render(columns, visibleRows);
  const lastLine = allLines[visibleRows - 1];
  // The mark at the end shows that there is more, where no key scrolls.
  const isCut = isFixed === true && allLines.length > visibleRows && lastLine !== undefined;
  const lines = isCut
    ? [
        ...allLines.slice(0, visibleRows - 1),
        { text: truncate(`${lastLine.text} ${ellipsis}`, columns, ellipsis), tone: lastLine.tone ?? 'text' },
      ]
    : allLines;
  const text = { lines, top, key: 'right', emptyText: '', ...(decorate === undefined ? {} : { decorate }) };
  return {
    rows: fitRows([...head, ...createTextRows(text, { ...viewport, rows: visibleRows })], rows),
    scroll: { lineCount: lines.length, lastTop: getLastTop(lines.length, visibleRows), page: visibleRows },
  };
}

/** Columns beside a title for the range of a long text. */
const RANGE_COLUMNS = 24;

/** Places two columns side by side, separated by a line that also holds the scroll bar of the left one. */
export function joinColumns(
  leftRows: readonly PageRow[],
  viewport: Viewport,
  rightRows: readonly PageRow[],
): readonly PageRow[] {
  const { columns } = viewport;
  const { ellipsis } = getGlyphs(viewport);
  // Links come before the columns are joined, because an address continues in the next row.
  const { rows, remainingLabels } = writeRanges(linkUrls(leftRows, columns, ellipsis), columns);
  const [rangeAbove] = remainingLabels.map((text) => ({ text, columns }));
  const edges = drawEdges(rows, viewport);
  return rows.map((row, index) => {
    const leftRow = highlightRow(truncateRow(row, columns, ellipsis), columns);
    const { segments, ...rest } = rightRows[index] ?? EMPTY_ROW;
    const edge = edges.slice(index, index + 1);
    const rightRow = { ...rest, segments: [{ text: ' ' }, ...edge, { text: ' ' }, ...segments] };
    const joinedRow = joinRows(leftRow, columns, rightRow);
    return index === 0 && rangeAbove !== undefined ? { ...joinedRow, rangeAbove } : joinedRow;
  });
}
