import { graphemesOf } from '../text/width.ts';
import type { KeyEvent, KeyName } from './key-event.ts';

/** A one-line text being edited. */
export interface TextFieldState {
  readonly text: string;
  /** Where the next character goes, in graphemes from the start: 0 to the number of graphemes. */
  readonly cursor: number;
  /** The whole value is selected, as on entering a field with a default: the first typed character replaces it. */
  readonly isPristine: boolean;
}

const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/g;

/** A field that holds `text`, wholly selected unless it is empty, with the cursor at its end. */
export function textFieldOf(text: string): TextFieldState {
  return { text, cursor: graphemesOf(text).length, isPristine: text !== '' };
}

/**
 * Applies one key event; events that do not edit leave the state as it is (the same object). Readline's keys: Home or
 * Ctrl-A, End or Ctrl-E, Ctrl-U and Ctrl-K cut to the start and the end, Ctrl-W the word before the cursor.
 */
export function editText(state: TextFieldState, event: KeyEvent): TextFieldState {
  if (event.kind === 'char') return insert(state, event.text.replace(UNPRINTABLE, ''));
  if (event.kind === 'paste') return insert(state, pastedLines(event.text)[0] ?? '');
  return pressed(state, event.name);
}

/** The non-blank lines of a paste, each without unprintable characters. */
export function pastedLines(text: string): string[] {
  const lines = text.split(/\r\n?|\n/).map((line) => line.replace(UNPRINTABLE, ' ').trim());
  return lines.filter((line) => line !== '');
}

function insert(state: TextFieldState, inserted: string): TextFieldState {
  if (inserted === '') return state;
  const { before, after } = state.isPristine ? { before: '', after: '' } : partsOf(state);
  return place(before + inserted, after);
}

function pressed(state: TextFieldState, name: KeyName): TextFieldState {
  const { before, after, graphemes, cursor } = partsOf(state);
  switch (name) {
    case 'home':
    case 'ctrl-a':
      return place('', state.text);
    case 'end':
    case 'ctrl-e':
      return place(state.text, '');
    case 'left':
      return place(
        graphemes.slice(0, Math.max(0, cursor - 1)).join(''),
        graphemes.slice(Math.max(0, cursor - 1)).join(''),
      );
    case 'right':
      return place(graphemes.slice(0, cursor + 1).join(''), graphemes.slice(cursor + 1).join(''));
    case 'backspace':
      if (state.isPristine) return place('', '');
      return cursor === 0 ? state : place(graphemes.slice(0, cursor - 1).join(''), after);
    case 'delete':
      if (state.isPristine) return place('', '');
      return after === '' ? state : place(before, graphemes.slice(cursor + 1).join(''));
    case 'ctrl-u':
      return place('', state.isPristine ? '' : after);
    case 'ctrl-k':
      return place(before, '');
    case 'ctrl-w':
      return place(state.isPristine ? '' : before.replace(/\S+\s*$|\s+$/u, ''), state.isPristine ? '' : after);
    default:
      return state;
  }
}

function partsOf(state: TextFieldState) {
  const graphemes = graphemesOf(state.text);
  const cursor = Math.min(Math.max(0, state.cursor), graphemes.length);
  return { graphemes, cursor, before: graphemes.slice(0, cursor).join(''), after: graphemes.slice(cursor).join('') };
}

/** Counts the cursor anew: the parts before and after it may join to fewer graphemes than they had apart. */
function place(before: string, after: string): TextFieldState {
  const text = before + after;
  return { text, cursor: Math.min(graphemesOf(before).length, graphemesOf(text).length), isPristine: false };
}
