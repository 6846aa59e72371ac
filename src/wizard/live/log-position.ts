import { createTextField, editText, type KeyEvent, type TextFieldState } from '../text-input.ts';

/** Position and search in a log, or in a long text. Line numbers only grow. */
export interface LogPosition {
  /** Number of the first visible line; null follows the end. */
  readonly top: number | null;
  /** The search text; empty: no search. */
  readonly query: string;
  /** The line of the last search hit; null if there was none. */
  readonly hitLine: number | null;
  /** Result of the last search: the number of lines with the text, and which of them the hit is, from 1. */
  readonly matches: { readonly position: number; readonly count: number };
  /** The search text while the user types it; null otherwise. */
  readonly searchField: TextFieldState | null;
  /** The log fills the whole page. */
  readonly isFullPage: boolean;
}

/** Follows the end of the log, without a search. */
export const LOG_END_POSITION: LogPosition = {
  top: null,
  query: '',
  hitLine: null,
  matches: { position: 0, count: 0 },
  searchField: null,
  isFullPage: false,
};

/** The position at the start of a complete text, with no search active. */
export const TEXT_START_POSITION: LogPosition = { ...LOG_END_POSITION, top: 0 };

/** The available lines of a log, and the number of rows on the screen. */
export interface LogWindow {
  readonly lines: readonly { readonly text: string }[];
  /** The number of the first line. */
  readonly firstNumber: number;
  readonly rows: number;
}

/** An input to a log, or to a long text. */
export type LogIntent =
  | { readonly type: 'log/scroll'; readonly by: number; readonly log: LogWindow }
  | { readonly type: 'log/jump'; readonly to: 'start' | 'end'; readonly log: LogWindow }
  | { readonly type: 'log/whole' }
  /** Shows the details of the selected row on the whole page, from their start, or the list again. */
  | { readonly type: 'log/details' }
  | { readonly type: 'log/search' }
  | { readonly type: 'log/type'; readonly event: KeyEvent }
  /** Ends the typing: searches, or cancels. `isForward`: from the visible lines down, not up as in a log. */
  | { readonly type: 'log/submit'; readonly log: LogWindow | null; readonly isForward?: true }
  /** Forgets the search; the visible lines stay. */
  | { readonly type: 'log/clear' }
  | { readonly type: 'log/next'; readonly step: 1 | -1; readonly log: LogWindow };

/**
 * Handles an input to the log. The cost does not depend on the number of lines, except for a search, which reads all of
 * them.
 */
export function updateLogPosition(position: LogPosition, intent: LogIntent): LogPosition {
  switch (intent.type) {
    case 'log/scroll':
      return { ...position, top: limitTop(getTopLine(position, intent.log) + intent.by, intent.log) };
    case 'log/jump':
      return { ...position, top: intent.to === 'end' ? null : limitTop(intent.log.firstNumber, intent.log) };
    case 'log/whole':
      return { ...position, isFullPage: !position.isFullPage };
    case 'log/details':
      return { ...TEXT_START_POSITION, isFullPage: !position.isFullPage };
    case 'log/search':
      return { ...position, searchField: createTextField(position.query) };
    case 'log/type':
      return position.searchField === null
        ? position
        : { ...position, searchField: editText(position.searchField, intent.event) };
    case 'log/submit': {
      const { searchField } = position;
      if (searchField === null || intent.log === null) return { ...position, searchField: null };
      const startPosition = { ...position, query: searchField.text, hitLine: null, searchField: null };
      return searchField.text === '' ? startPosition : search(startPosition, intent.isForward ? 1 : -1, intent.log);
    }
    case 'log/clear':
      return { ...position, query: '', hitLine: null, searchField: null };
    case 'log/next':
      return position.query === '' ? position : search(position, intent.step, intent.log);
  }
}

/** Returns the number of the first visible line. */
export function getTopLine({ top }: Pick<LogPosition, 'top'>, { lines, firstNumber, rows }: LogWindow): number {
  const lastTop = firstNumber + Math.max(0, lines.length - rows);
  return top === null ? lastTop : Math.min(Math.max(top, firstNumber), lastTop);
}

/** Limits the top line to the log. At the end, the position follows new lines (null). */
function limitTop(top: number, log: LogWindow): number | null {
  const lastTop = log.firstNumber + Math.max(0, log.lines.length - log.rows);
  return top >= lastTop ? null : Math.max(top, log.firstNumber);
}

/**
 * Finds the next line with the query, ignoring case, after the last hit. The first hit is searched from the visible
 * lines on. The search wraps around.
 */
function search(position: LogPosition, step: 1 | -1, log: LogWindow): LogPosition {
  const { lines, firstNumber, rows } = log;
  const pattern = new RegExp(position.query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
  const hits = lines.flatMap(({ text }, index) => (pattern.test(text) ? [index] : []));
  const top = getTopLine(position, log);
  const startIndex =
    (position.hitLine ?? (step > 0 ? top - 1 : Math.min(top + rows, firstNumber + lines.length))) - firstNumber;
  // The next hit below, or above; beyond the end, the first at the other end.
  const hitIndex =
    step > 0
      ? (hits.find((index) => index > startIndex) ?? hits[0])
      : (hits.findLast((index) => index < startIndex) ?? hits.at(-1));
  if (hitIndex === undefined) return { ...position, hitLine: null, matches: { position: 0, count: 0 } };
  const lastTopIndex = Math.max(0, lines.length - rows);
  return {
    ...position,
    hitLine: firstNumber + hitIndex,
    matches: { position: hits.indexOf(hitIndex) + 1, count: hits.length },
    top: firstNumber + Math.min(Math.max(0, hitIndex - Math.floor(rows / 2)), lastTopIndex),
  };
}
