import type { KeyEvent } from '../typing/key-event.ts';
import { editText, type TextFieldState, textFieldOf } from '../typing/text-field.ts';

/** Where a person reads in a log, and what they search for. Line numbers only grow. */
export interface Reading {
  /** Number of the first line seen; null follows the end. */
  readonly top: number | null;
  /** The search text; empty: no search. */
  readonly query: string;
  /** The line found last; null where none was. */
  readonly found: number | null;
  /** The search while a person types it; null otherwise. */
  readonly typing: TextFieldState | null;
  /** The log has the whole page. */
  readonly isWhole: boolean;
}

export const FROM_THE_END: Reading = { top: null, query: '', found: null, typing: null, isWhole: false };

/** The lines there are, and how many of them fit on the screen. */
export interface Readable {
  readonly lines: readonly { readonly text: string }[];
  /** The number of the first line. */
  readonly first: number;
  readonly rows: number;
}

export type ReadingIntent =
  | { readonly type: 'log/scroll'; readonly by: number; readonly log: Readable }
  | { readonly type: 'log/jump'; readonly to: 'start' | 'end'; readonly log: Readable }
  | { readonly type: 'log/whole' }
  | { readonly type: 'log/search' }
  | { readonly type: 'log/type'; readonly event: KeyEvent }
  /** Ends the typing: searches, or leaves everything as it was. */
  | { readonly type: 'log/typed'; readonly log: Readable | null }
  | { readonly type: 'log/next'; readonly step: 1 | -1; readonly log: Readable };

/** What a key does to the reading place. Costs the same for any number of lines, except a search, which reads them. */
export function updateReading(reading: Reading, intent: ReadingIntent): Reading {
  switch (intent.type) {
    case 'log/scroll':
      return { ...reading, top: placeAt(topOf(reading, intent.log) + intent.by, intent.log) };
    case 'log/jump':
      return { ...reading, top: intent.to === 'end' ? null : placeAt(intent.log.first, intent.log) };
    case 'log/whole':
      return { ...reading, isWhole: !reading.isWhole };
    case 'log/search':
      return { ...reading, typing: textFieldOf(reading.query) };
    case 'log/type':
      return reading.typing === null ? reading : { ...reading, typing: editText(reading.typing, intent.event) };
    case 'log/typed': {
      const { typing } = reading;
      if (typing === null || intent.log === null) return { ...reading, typing: null };
      const searched = { ...reading, query: typing.text, found: null, typing: null };
      return typing.text === '' ? searched : search(searched, -1, intent.log);
    }
    case 'log/next':
      return reading.query === '' ? reading : search(reading, intent.step, intent.log);
  }
}

/** Number of the first line in sight. */
export function topOf({ top }: Pick<Reading, 'top'>, { lines, first, rows }: Readable): number {
  const last = first + Math.max(0, lines.length - rows);
  return top === null ? last : Math.min(Math.max(top, first), last);
}

/** Reading on to the end follows it. */
function placeAt(top: number, log: Readable): number | null {
  const last = log.first + Math.max(0, log.lines.length - log.rows);
  return top >= last ? null : Math.max(top, log.first);
}

/** The next line that holds the query in any case, after the last hit (or the last visible line), and around the end. */
function search(reading: Reading, step: 1 | -1, log: Readable): Reading {
  const { lines, first, rows } = log;
  const pattern = new RegExp(reading.query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
  const from = (reading.found ?? Math.min(topOf(reading, log) + rows, first + lines.length)) - first;
  for (let turn = 1; turn <= lines.length; turn += 1) {
    const index = (((from + step * turn) % lines.length) + lines.length) % lines.length;
    if (!pattern.test(lines[index]?.text ?? '')) continue;
    const last = Math.max(0, lines.length - rows);
    const top = first + Math.min(Math.max(0, index - Math.floor(rows / 2)), last);
    return { ...reading, found: first + index, top };
  }
  return { ...reading, found: null };
}
