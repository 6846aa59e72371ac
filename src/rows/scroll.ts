import { catalogue } from '../i18n/catalogue.ts';
import { getDisplayWidth } from '../platform/text.ts';
import { getKeyLabel } from './bindings.ts';
import { getGlyphs, measureRow, type PageRow, type ScrollWindow, type Segment } from './page-rows.ts';

const words = () => catalogue().ui;

/**
 * Marks rows as a window over a longer list or text: the frame then draws a scroll bar beside them, and their range. A
 * window that shows everything stays as it is.
 */
export function markWindow(rows: readonly PageRow[], window: ScrollWindow): readonly PageRow[] {
  const isWhole = window.end - window.first >= window.total;
  return isWhole ? rows : rows.map((row) => ({ ...row, window }));
}

/** Formats the visible part of a list or a text: `3–14 of 34`, with the key that shows more. */
function formatRange({ first, end, total, key, hasWrappedLines }: ScrollWindow): string {
  const range = words()[hasWrappedLines ? 'lineRange' : 'moreRows'](first + 1, end, total);
  return key === undefined || end >= total ? range : words().rangeWithKey(range, getKeyLabel(key));
}

/**
 * Writes the range of each window at the right end of the row above it, a blank before the border. That of a table
 * whose titles leave no room goes into a blank row below it. A range that does not fit is returned as text.
 * @param columns the width in which the rows were laid out
 */
export function writeRanges(
  rows: readonly PageRow[],
  columns: number,
): { readonly rows: readonly PageRow[]; readonly remainingLabels: readonly string[] } {
  const newRows = [...rows];
  const remainingLabels: string[] = [];
  const write = (index: number, label: string, width = columns): boolean => {
    const row = newRows[index];
    if (row === undefined || row.window !== undefined) return false;
    const freeColumns = width - measureRow(row) - getDisplayWidth(label);
    // Two blanks separate the label from other text.
    const minGap = measureRow(row) === 0 ? 0 : 2;
    if (freeColumns < minGap) return false;
    // A blank separates it from the border where there is room for it.
    const gap = freeColumns - (freeColumns > minGap ? 1 : 0);
    const segments = [...row.segments, { text: ' '.repeat(gap) }, { text: label, tone: 'muted' as const }];
    newRows[index] = { ...row, segments };
    return true;
  };
  for (const [index, { rangeAbove }] of rows.entries())
    if (rangeAbove !== undefined && !write(index - 1, rangeAbove.text, rangeAbove.columns))
      remainingLabels.push(rangeAbove.text);
  const windows = [...new Set(rows.map(({ window }) => window))].filter((window) => window !== undefined);
  const windowsWithoutRange = windows.filter(
    (window) => !window.isRangeShown && !write(rows.findIndex((row) => row.window === window) - 1, formatRange(window)),
  );
  for (const window of windowsWithoutRange) {
    const below = rows.findLastIndex((row) => row.window === window) + 1;
    const isBlank = newRows[below] !== undefined && measureRow(newRows[below]) === 0;
    const isTable = window.isRangeShown !== undefined;
    if (!isTable || !isBlank || !write(below, formatRange(window))) remainingLabels.push(formatRange(window));
  }
  return { rows: newRows, remainingLabels };
}

/** Returns the line at the right of each row: a border, or a scroll bar where the row belongs to a window. */
export function drawEdges(rows: readonly PageRow[], style: { readonly hasUnicode: boolean }): readonly Segment[] {
  const { box, scrollBar } = getGlyphs(style);
  const edges = rows.map((): Segment => ({ text: box.vertical, tone: 'border' }));
  for (let start = 0; start < rows.length; ) {
    const window = rows[start]?.window;
    let end = start + 1;
    while (end < rows.length && rows[end]?.window === window) end += 1;
    if (window !== undefined) {
      const { offset, length } = placeThumb(window, end - start);
      edges.fill({ text: scrollBar, tone: 'muted' }, start + offset, start + offset + length);
    }
    start = end;
  }
  return edges;
}

/** Places the thumb of a scroll bar of `rows` cells. The thumb touches an end only when the text is at that end. */
function placeThumb({ first, end, total }: ScrollWindow, rows: number): { offset: number; length: number } {
  const length = Math.max(1, Math.min(rows - 1, Math.round((rows * (end - first)) / total)));
  const maxOffset = rows - length;
  const desiredOffset = Math.round((maxOffset * first) / Math.max(1, total - (end - first)));
  const offset =
    first === 0 ? 0 : end >= total ? maxOffset : Math.min(Math.max(desiredOffset, 1), Math.max(1, maxOffset - 1));
  return { offset: Math.min(offset, maxOffset), length };
}
