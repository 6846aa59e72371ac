import { createTextField, editText, type KeyEvent, type TextFieldState } from './text-input.ts';

/** The filter of a list: only the rows that contain every word of it are shown. */
export interface ListFilter {
  /** Empty: all rows are shown. */
  readonly query: string;
  /** The text while the user types it; null otherwise. */
  readonly field: TextFieldState | null;
}

/** Shows all rows. */
export const NO_FILTER: ListFilter = { query: '', field: null };

/** An input to the filter of a list. */
export type FilterIntent =
  | { readonly type: 'filter/open' }
  /** `texts`: those of all rows of the list. */
  | { readonly type: 'filter/type'; readonly event: KeyEvent; readonly texts: readonly string[] }
  /** Ends the typing and keeps the filter, or shows all rows again. The selection stays on its row. */
  | { readonly type: 'filter/close'; readonly isApplied: boolean };

/** A list with a filter. `row` is an index into all rows, including those that the filter hides. */
interface FilteredList {
  readonly row: number;
  readonly filter: ListFilter;
}

/**
 * Handles an input to the filter of a list. The visible rows change with each letter, and a visible row is selected.
 */
export function updateListFilter({ row, filter }: FilteredList, intent: FilterIntent): FilteredList {
  switch (intent.type) {
    case 'filter/open':
      return { row, filter: { ...filter, field: createTextField(filter.query) } };
    case 'filter/type': {
      if (filter.field === null) return { row, filter };
      const field = editText(filter.field, intent.event);
      const nextFilter = { query: field.text.trim(), field };
      return { row: findBestRow(row, intent.texts, nextFilter.query) ?? row, filter: nextFilter };
    }
    case 'filter/close':
      return { row, filter: intent.isApplied ? { ...filter, field: null } : NO_FILTER };
  }
}

/** Lists the indices of the texts that contain every word of the query, ignoring case; all of them without a query. */
export function listMatches(texts: readonly string[], query: string): number[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return texts.flatMap((text, index) => {
    const lowerText = text.toLowerCase();
    return words.every((word) => lowerText.includes(word)) ? [index] : [];
  });
}

/** Between the cells in the text of a row. */
export const CELL_GAP = '\t';

/** Finds the row to select while a query is typed: rows whose first cell, their name, matches come before others. */
function findBestRow(row: number, texts: readonly string[], query: string): number | null {
  const names = texts.map((text) => text.split(CELL_GAP, 1)[0] ?? '');
  return findShownRow(row, listMatches(names, query)) ?? findShownRow(row, listMatches(texts, query));
}

/** Finds the row to select: this one if it is shown, else the next shown one, else the last; null if none is shown. */
export function findShownRow(row: number, matches: readonly number[]): number | null {
  return matches.find((index) => index >= row) ?? matches.at(-1) ?? null;
}

/**
 * Converts a distance of `by` shown rows to the distance in all rows; stops at the ends of the list.
 * @param wraps continues at the other end instead
 */
export function getRowDistance(row: number, by: number, matches: readonly number[], wraps = false): number {
  const shownRow = findShownRow(row, matches);
  if (shownRow === null) return 0;
  const fromIndex = matches.indexOf(shownRow);
  const toIndex = wraps
    ? (((fromIndex + by) % matches.length) + matches.length) % matches.length
    : Math.min(Math.max(fromIndex + by, 0), matches.length - 1);
  return (matches[toIndex] ?? shownRow) - row;
}

/** Limits an index to the items of a list; 0 if it has none. */
export const clampIndex = (index: number, count: number): number => Math.max(0, Math.min(index, count - 1));
