import { graphemesOf } from '../../text/width.ts';
import type { KeyEvent, KeyName } from './key-event.ts';

/** A one-line text being edited. Nothing is ever selected: no key replaces more than it says. */
export interface TextFieldState {
  readonly text: string;
  /** Where the next character goes, in graphemes from the start: 0 to the number of graphemes. */
  readonly cursor: number;
}

const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/g;

/** A field that holds `text`, with the cursor at its end. */
export function textFieldOf(text: string): TextFieldState {
  return { text, cursor: graphemesOf(text).length };
}

/**
 * Applies one key event; events that do not edit leave the state as it is (the same object). Readline's keys: Home or
 * Ctrl-A, End or Ctrl-E, Ctrl-B and Ctrl-F by a character, Ctrl-Left and Ctrl-Right by a word, Ctrl-D the character under
 * the cursor, Ctrl-U and Ctrl-K cut to the start and the end, Ctrl-W the word before the cursor.
 */
export function editText(state: TextFieldState, event: KeyEvent): TextFieldState {
  if (event.kind === 'char') return insert(state, event.text.replace(UNPRINTABLE, ''));
  if (event.kind === 'paste') return insert(state, pastedLines(event.text)[0] ?? '');
  return pressed(state, event.name);
}

/** The text in front of the cursor. */
export function textBefore(state: TextFieldState): string {
  return partsOf(state).before;
}

/** The non-blank lines of a paste, each without unprintable characters. */
export function pastedLines(text: string): string[] {
  const lines = text.split(/\r\n?|\n/).map((line) => line.replace(UNPRINTABLE, ' ').trim());
  return lines.filter((line) => line !== '');
}

function insert(state: TextFieldState, inserted: string): TextFieldState {
  if (inserted === '') return state;
  const { before, after } = partsOf(state);
  return place(before + inserted, after);
}

function pressed(state: TextFieldState, name: KeyName): TextFieldState {
  const { before, after, graphemes, cursor } = partsOf(state);
  const at = (index: number) => place(graphemes.slice(0, index).join(''), graphemes.slice(index).join(''));
  switch (name) {
    case 'home':
    case 'ctrl-a':
      return at(0);
    case 'end':
    case 'ctrl-e':
      return at(graphemes.length);
    case 'left':
    case 'ctrl-b':
      return at(Math.max(0, cursor - 1));
    case 'right':
    case 'ctrl-f':
      return at(cursor + 1);
    case 'ctrl-left':
      return at(graphemesOf(before.replace(LAST_WORD, '')).length);
    case 'ctrl-right':
      return at(graphemes.length - graphemesOf(after.replace(FIRST_WORD, '')).length);
    case 'backspace':
      return cursor === 0 ? state : place(graphemes.slice(0, cursor - 1).join(''), after);
    case 'delete':
    case 'ctrl-d':
      return after === '' ? state : place(before, graphemes.slice(cursor + 1).join(''));
    case 'ctrl-u':
      return place('', after);
    case 'ctrl-k':
      return place(before, '');
    case 'ctrl-w':
      return place(before.replace(/\S+\s*$|\s+$/u, ''), after);
    default:
      return state;
  }
}

// What readline moves by: letters and digits, with whatever else stands between the cursor and them.
const LAST_WORD = /[\p{L}\p{N}]*[^\p{L}\p{N}]*$/u;
const FIRST_WORD = /^[^\p{L}\p{N}]*[\p{L}\p{N}]*/u;

function partsOf(state: TextFieldState) {
  const graphemes = graphemesOf(state.text);
  const cursor = Math.min(Math.max(0, state.cursor), graphemes.length);
  return { graphemes, cursor, before: graphemes.slice(0, cursor).join(''), after: graphemes.slice(cursor).join('') };
}

/** Counts the cursor anew: the parts before and after it may join to fewer graphemes than they had apart. */
function place(before: string, after: string): TextFieldState {
  const text = before + after;
  return { text, cursor: Math.min(graphemesOf(before).length, graphemesOf(text).length) };
}
