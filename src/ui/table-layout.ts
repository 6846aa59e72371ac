import { displayWidth } from '../platform/text.ts';
import type { Tone } from './terminal-style.tsx';

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

/** A part of a line in one tone. */
export interface ToneSpan {
  readonly text: string;
  readonly tone: Tone;
}

const COMMENT = /^\s*(?:#|\/\/|;|<!--)/;
/** Values that users compare: quoted text, addresses with a prefix length or a port, MACs. */
const HIGHLIGHTED_VALUE =
  /"[^"]*"|'[^']*'|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\b\d{1,3}(?:\.\d{1,3}){3}(?:[/:]\d+)?\b|\b[0-9a-f]{1,4}(?:(?::[0-9a-f]{1,4})*::[0-9a-f:]*|(?::[0-9a-f]{1,4}){7})(?:\/\d+)?/gi;
/** The first word of a statement, or the key of a YAML or JSON line. */
const FIRST_WORD = /^(\s*(?:- )?)("[^"]+"(?=\s*:)|[\w.@*/-]+)(?=[\s:;{=]|$)/;

/**
 * Splits a line of a configuration file of any language into spans: comments dim, then the leading directive or key,
 * quoted text, addresses and MACs. The joined spans equal the line.
 */
export function highlightLine(line: string): ToneSpan[] {
  if (line === '') return [];
  if (COMMENT.test(line)) return [{ text: line, tone: 'dim' }];
  const [, indent = '', head = ''] = FIRST_WORD.exec(line) ?? [];
  const isAddress = !head.startsWith('"') && new RegExp(`^(?:${HIGHLIGHTED_VALUE.source})$`, 'i').test(head);
  const begin: ToneSpan[] =
    head === '' || isAddress
      ? []
      : [
          { text: indent, tone: 'text' },
          { text: head, tone: 'accent' },
        ];
  const rest = line.slice(begin.reduce((length, { text }) => length + text.length, 0));
  return [...begin, ...highlightValues(rest)].filter(({ text }) => text !== '');
}

function highlightValues(text: string): ToneSpan[] {
  const spans: ToneSpan[] = [];
  let position = 0;
  for (const match of text.matchAll(HIGHLIGHTED_VALUE)) {
    spans.push({ text: text.slice(position, match.index), tone: 'text' });
    spans.push({ text: match[0], tone: /^["']/.test(match[0]) ? 'ok' : 'warn' });
    position = match.index + match[0].length;
  }
  return [...spans, { text: text.slice(position), tone: 'text' }];
}

/** The drawn part of a list: indices `first` (inclusive) to `end` (exclusive). */
interface VisibleRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Selects `size` items of `total` around the selected one, as near to the middle as the ends allow. Only these are
 * drawn: Ink lays out everything that it gets, visible or not.
 */
export function getRangeAround(total: number, selected: number, size: number): VisibleRange {
  const count = Math.max(0, Math.min(size, total));
  const first = Math.min(Math.max(0, selected - Math.floor(count / 2)), total - count);
  return { first, end: first + count };
}

/** Selects `size` items of `total` from `top` on; null is the end of the list, for a log that is followed. */
export function getRangeFrom(total: number, top: number | null, size: number): VisibleRange {
  const count = Math.max(0, Math.min(size, total));
  const last = total - count;
  const first = top === null ? last : Math.min(Math.max(0, top), last);
  return { first, end: first + count };
}
