import { catalogue } from '../i18n/catalogue.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { splitGraphemes } from '../platform/text.ts';
import type { Field } from './design/fields.ts';

/**
 * Keyboard input, one event per key. A single read from the terminal is split into these events. Each one is resolved
 * and applied before the next, so that a burst has the effect of single keys.
 */
export type KeyEvent =
  /** One grapheme, or a word that an input method composed. */
  | { readonly kind: 'char'; readonly text: string }
  /**
   * A bracketed paste, sanitized; its newlines are line feeds.
   */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'key'; readonly name: KeyName };

// Ctrl-H is Backspace, Ctrl-I Tab, Ctrl-J and Ctrl-M Enter: terminals send the same byte.
type ControlLetter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'k' | 'l' | 'n' | 'o' | 'p')
  | ('q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z');

/** Keys other than characters, by their names in bindings. */
export type KeyName =
  | ('enter' | 'escape' | 'tab' | 'shift-tab' | 'backspace' | 'delete')
  | ('up' | 'down' | 'left' | 'right' | 'home' | 'end' | 'page-up' | 'page-down')
  | ('ctrl-left' | 'ctrl-right')
  /** One step of the mouse wheel. */
  | ('wheel-up' | 'wheel-down')
  | `ctrl-${ControlLetter}`;

/** A one-line text under edit. There is no selection: a key replaces no text of the user. */
export interface TextFieldState {
  readonly text: string;
  /** The position of the next character, in graphemes from the start: 0 to the number of graphemes. */
  readonly cursor: number;
  /** The text is a default that no key has touched: typed or pasted text replaces it, every other key keeps it. */
  readonly isDefault?: true;
}

/** A text that was not accepted when the session ended, and where it was typed. */
export interface UnfinishedText extends TextFieldState {
  readonly where: 'field' | 'import-file' | 'import-lines' | 'install';
}

const UNPRINTABLE_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g;

/**
 * Creates a field that holds `text`, with the cursor at its end.
 * @param isDefault typed text replaces it
 */
export function createTextField(text: string, isDefault = false): TextFieldState {
  const field = { text, cursor: splitGraphemes(text).length };
  return isDefault && text !== '' ? { ...field, isDefault } : field;
}

/**
 * Applies one key event; events that do not edit leave the state as it is (the same object). The keys are Readline's.
 * Home or Ctrl-A and End or Ctrl-E move to the start and the end. Ctrl-B and Ctrl-F move by a character, Ctrl-Left and
 * Ctrl-Right by a word. Ctrl-D deletes the character under the cursor. Ctrl-U and Ctrl-K cut to the start and the end,
 * Ctrl-W the word before the cursor.
 */
export function editText(state: TextFieldState, event: KeyEvent): TextFieldState {
  if (event.kind === 'char') return insert(state, event.text.replace(UNPRINTABLE_CHARACTERS, ''));
  if (event.kind === 'paste') return insert(state, splitPastedLines(event.text)[0] ?? '');
  return pressKey(state, event.name);
}

/** Returns the text before the cursor; empty for an untouched default, which typed text replaces. */
export function getTextBeforeCursor(state: TextFieldState): string {
  return state.isDefault ? '' : splitAtCursor(state).textBefore;
}

/** The mark of characters that were removed from a text, because they cannot be shown. */
const REPLACEMENT_MARK = '\ufffd';

/** Returns the non-blank lines of a paste, without colours and other escape sequences, or unprintable characters. */
function splitPastedLines(text: string): string[] {
  const lines = text
    .split(/\r\n?|\n/)
    .map((line) => sanitizeLine(line, text.length).replaceAll(REPLACEMENT_MARK, '').trim());
  return lines.filter((line) => line !== '');
}

function insert(state: TextFieldState, newText: string): TextFieldState {
  if (newText === '') return state;
  if (state.isDefault) return createTextField(newText);
  const { textBefore, textAfter } = splitAtCursor(state);
  return joinAtCursor(textBefore + newText, textAfter);
}

function pressKey(state: TextFieldState, name: KeyName): TextFieldState {
  const { textBefore, textAfter, graphemes, cursor } = splitAtCursor(state);
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
      return moveTo(splitGraphemes(textBefore.replace(LAST_WORD, '')).length);
    case 'ctrl-right':
      return moveTo(graphemes.length - splitGraphemes(textAfter.replace(FIRST_WORD, '')).length);
    case 'backspace':
      return cursor === 0 ? state : joinAtCursor(graphemes.slice(0, cursor - 1).join(''), textAfter);
    case 'delete':
    case 'ctrl-d':
      return textAfter === '' ? state : joinAtCursor(textBefore, graphemes.slice(cursor + 1).join(''));
    case 'ctrl-u':
      return joinAtCursor('', textAfter);
    case 'ctrl-k':
      return joinAtCursor(textBefore, '');
    case 'ctrl-w':
      return joinAtCursor(textBefore.replace(/\S+\s*$|\s+$/u, ''), textAfter);
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
  return {
    graphemes,
    cursor,
    textBefore: graphemes.slice(0, cursor).join(''),
    textAfter: graphemes.slice(cursor).join(''),
  };
}

/** Recounts the cursor: the two parts may join to fewer graphemes than they have separately. */
function joinAtCursor(textBefore: string, textAfter: string): TextFieldState {
  const text = textBefore + textAfter;
  return { text, cursor: Math.min(splitGraphemes(textBefore).length, splitGraphemes(text).length) };
}

/**
 * Maximum length of a paste (characters), longer than any answer. Longer text was copied by mistake, and would slow
 * down each key.
 */
const MAX_PASTE_LENGTH = 1000;

/** A paste as one line for the field, and a message about the parts that do not fit into it. */
interface FittedPaste {
  readonly text: string;
  /** Null if the field took all of it. */
  readonly message: string | null;
}

const LIST_TYPES: readonly Field['type'][] = ['list', 'space-separated', 'addresses', 'hosts', 'mirrors'];

/**
 * Fits a paste into a field. A list appends all lines. A field with one value takes the first line; the message counts
 * the omitted lines, or quotes the existing value before the paste.
 * @param textBeforeCursor the text of the field before the cursor
 */
export function fitPaste(field: Pick<Field, 'type'>, pastedText: string, textBeforeCursor = ''): FittedPaste {
  const lines = splitPastedLines(pastedText);
  const isList = LIST_TYPES.includes(field.type);
  const line = isList
    ? lines.map((part) => part.replace(/,$/, '')).join(field.type === 'space-separated' ? ' ' : ', ')
    : (lines[0] ?? '');
  if (line.length > MAX_PASTE_LENGTH) {
    return {
      text: splitGraphemes(line.slice(0, MAX_PASTE_LENGTH)).join(''),
      message: catalogue().pages.pasteTooLong(MAX_PASTE_LENGTH),
    };
  }
  if (isList)
    return {
      text: /[^\s,;=]$/.test(textBeforeCursor) ? `${field.type === 'space-separated' ? ' ' : ', '}${line}` : line,
      message: null,
    };
  const message =
    lines.length > 1
      ? catalogue().pages.pasteFirstLine(lines.length - 1)
      : sanitizeLine(pastedText, pastedText.length).includes(REPLACEMENT_MARK)
        ? catalogue().pages.pasteUnprintable
        : null;
  return {
    text: line,
    message: message ?? (textBeforeCursor === '' ? null : catalogue().pages.pasteAppended(textBeforeCursor)),
  };
}

/** Letters typed to find an option, and the option that was selected before them. */
export interface TypeAhead {
  readonly letters: string;
  readonly originalOption: string;
}

/**
 * Finds the index of the option for the typed letters, ignoring case; -1 if there is none. The first option that begins
 * with them wins, else the first with a word that does.
 */
export function findOption(labels: readonly string[], letters: string): number {
  const lowerLetters = letters.toLowerCase();
  const lowerLabels = labels.map((label) => label.toLowerCase());
  const index = lowerLabels.findIndex((label) => label.startsWith(lowerLetters));
  return index >= 0
    ? index
    : lowerLabels.findIndex((label) => label.split(/[\s._-]/).some((word) => word.startsWith(lowerLetters)));
}

/**
 * Finds the index of the option with this name, or of the only one whose name begins with it; -1 if none or several
 * match.
 */
export function findOptionByName(labels: readonly string[], text: string): number {
  const lowerLabels = labels.map((label) => label.toLowerCase());
  const lowerText = text.toLowerCase();
  const exactIndex = lowerLabels.indexOf(lowerText);
  const matches = lowerLabels.flatMap((label, index) => (label.startsWith(lowerText) ? [index] : []));
  return exactIndex >= 0 ? exactIndex : matches.length === 1 ? (matches[0] ?? -1) : -1;
}

/**
 * Finds the index of the next option after `index` that begins with this letter, wrapping around; `index` if no other
 * does.
 */
export function findNextOption(labels: readonly string[], index: number, letter: string): number {
  const beginsWithLetter = (label: string | undefined) =>
    label?.toLowerCase().startsWith(letter.toLowerCase()) === true;
  const otherIndexes = labels.map((_, step) => (index + 1 + step) % labels.length);
  return otherIndexes.find((otherIndex) => beginsWithLetter(labels[otherIndex])) ?? index;
}
