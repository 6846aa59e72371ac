import { splitGraphemes } from '../../platform/width.ts';
import type { KeyEvent, KeyName } from './key-event.ts';

/** A one-line text under edit. There is no selection, so a key never replaces other text. */
export interface TextFieldState {
  readonly text: string;
  /** The position of the next character, in graphemes from the start: 0 to the number of graphemes. */
  readonly cursor: number;
}

const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/g;

/** Creates a field that holds `text`, with the cursor at its end. */
export function createTextField(text: string): TextFieldState {
  return { text, cursor: splitGraphemes(text).length };
}

/**
 * Applies one key event; events that do not edit leave the state as it is (the same object). The keys are Readline's.
 * Home or Ctrl-A and End or Ctrl-E move to the start and the end. Ctrl-B and Ctrl-F move by a character, Ctrl-Left and
 * Ctrl-Right by a word. Ctrl-D deletes the character under the cursor. Ctrl-U and Ctrl-K cut to the start and the end,
 * Ctrl-W the word before the cursor.
 */
export function editText(state: TextFieldState, event: KeyEvent): TextFieldState {
  if (event.kind === 'char') return insert(state, event.text.replace(UNPRINTABLE, ''));
  if (event.kind === 'paste') return insert(state, splitPastedLines(event.text)[0] ?? '');
  return pressKey(state, event.name);
}

/** Returns the text before the cursor. */
export function getTextBeforeCursor(state: TextFieldState): string {
  return splitAtCursor(state).before;
}

/** Returns the non-blank lines of a paste, each without unprintable characters. */
export function splitPastedLines(text: string): string[] {
  const lines = text.split(/\r\n?|\n/).map((line) => line.replace(UNPRINTABLE, ' ').trim());
  return lines.filter((line) => line !== '');
}

function insert(state: TextFieldState, inserted: string): TextFieldState {
  if (inserted === '') return state;
  const { before, after } = splitAtCursor(state);
  return joinAtCursor(before + inserted, after);
}

function pressKey(state: TextFieldState, name: KeyName): TextFieldState {
  const { before, after, graphemes, cursor } = splitAtCursor(state);
  const moveTo = (index: number) => joinAtCursor(graphemes.slice(0, index).join(''), graphemes.slice(index).join(''));
  switch (name) {
    case 'home':
    case 'ctrl-a':
      return moveTo(0);
    case 'end':
    case 'ctrl-e':
      return moveTo(graphemes.length);
    case 'left':
    case 'ctrl-b':
      return moveTo(Math.max(0, cursor - 1));
    case 'right':
    case 'ctrl-f':
      return moveTo(cursor + 1);
    case 'ctrl-left':
      return moveTo(splitGraphemes(before.replace(LAST_WORD, '')).length);
    case 'ctrl-right':
      return moveTo(graphemes.length - splitGraphemes(after.replace(FIRST_WORD, '')).length);
    case 'backspace':
      return cursor === 0 ? state : joinAtCursor(graphemes.slice(0, cursor - 1).join(''), after);
    case 'delete':
    case 'ctrl-d':
      return after === '' ? state : joinAtCursor(before, graphemes.slice(cursor + 1).join(''));
    case 'ctrl-u':
      return joinAtCursor('', after);
    case 'ctrl-k':
      return joinAtCursor(before, '');
    case 'ctrl-w':
      return joinAtCursor(before.replace(/\S+\s*$|\s+$/u, ''), after);
    default:
      return state;
  }
}

// Word motion as in readline: letters and digits, with all other characters between the cursor and them.
const LAST_WORD = /[\p{L}\p{N}]*[^\p{L}\p{N}]*$/u;
const FIRST_WORD = /^[^\p{L}\p{N}]*[\p{L}\p{N}]*/u;

function splitAtCursor(state: TextFieldState) {
  const graphemes = splitGraphemes(state.text);
  const cursor = Math.min(Math.max(0, state.cursor), graphemes.length);
  return { graphemes, cursor, before: graphemes.slice(0, cursor).join(''), after: graphemes.slice(cursor).join('') };
}

/** Recounts the cursor: the two parts may join to fewer graphemes than they have separately. */
function joinAtCursor(before: string, after: string): TextFieldState {
  const text = before + after;
  return { text, cursor: Math.min(splitGraphemes(before).length, splitGraphemes(text).length) };
}
