import { type Key, useFocusManager, useInput, usePaste } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { sanitize } from '../platform/sanitize.ts';
import { splitGraphemes } from '../platform/text.ts';
import type { KeyEvent, KeyName } from '../wizard/text-input.ts';

const FLAG_KEYS: readonly (readonly [keyof Key, KeyName])[] = [
  ['return', 'enter'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['home', 'home'],
  ['end', 'end'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
];

const CONTROL_KEYS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u001b': 'escape',
};

/** Letters whose control byte is that of another key (H, I, J, M): their input arrives under the name of that key. */
const RESERVED_CONTROL_LETTERS = /^[hijm]$/;

/**
 * Converts one call of Ink's `useInput` into key events, in order. Ink delivers an escape sequence alone, but a run of
 * other bytes as one text ("abc\r"), which is split here.
 */
function parseKeyInput(input: string, key: Key): KeyEvent[] {
  if (key.eventType === 'release') return [];
  if (key.escape) return key.meta ? [createKeyEvent('escape'), createKeyEvent('escape')] : [createKeyEvent('escape')];
  const events = parseWithoutEscape(input, key);
  // Esc followed at once by another key and Alt with that key are the same bytes. No key is bound to Alt, so they are
  // read as two keys: a burst then has the effect of single keys. (The kitty protocol distinguishes Alt.)
  const isEscapePrefixed = key.meta && key.eventType === undefined && events.length > 0;
  return isEscapePrefixed ? [createKeyEvent('escape'), ...events] : events;
}

/**
 * Creates the event of a bracketed paste. The text comes from outside, so it is sanitized; terminals send CR for its
 * newlines.
 */
function createPasteEvent(text: string): KeyEvent {
  return { kind: 'paste', text: sanitize(text.replace(/\r\n?/g, '\n')) };
}

/**
 * Splits plain text (without escape sequences) into key events: control bytes become keys, the rest one `char` per
 * grapheme, or per word that an input method composed. A newline is always Enter, as it is when the bytes arrive one at
 * a time.
 */
function parseKeyText(text: string): KeyEvent[] {
  const events: KeyEvent[] = [];
  // CR LF is one grapheme, and two keys.
  for (const grapheme of text.split(/(\r)/).flatMap(splitGraphemes)) {
    const event = parseGrapheme(grapheme);
    const lastEvent = events.at(-1);
    if (event && lastEvent && isComposed(event) && isComposed(lastEvent))
      events[events.length - 1] = joinEvents(lastEvent, event);
    else if (event) events.push(event);
  }
  return events;
}

/**
 * Whether an input method composed the text: no key sends such text. Consecutive events of this kind become one event.
 */
const isComposed = (event: KeyEvent) => event.kind === 'char' && /^[^\u0000-\u00ff]/u.test(event.text);

function joinEvents(firstEvent: KeyEvent, secondEvent: KeyEvent): KeyEvent {
  const text = [firstEvent, secondEvent].map((event) => ('text' in event ? event.text : '')).join('');
  return { kind: 'char', text };
}

function parseWithoutEscape(input: string, key: Key): KeyEvent[] {
  if (key.tab) return [createKeyEvent(key.shift ? 'shift-tab' : 'tab')];
  if (key.ctrl && key.leftArrow) return [createKeyEvent('ctrl-left')];
  if (key.ctrl && key.rightArrow) return [createKeyEvent('ctrl-right')];
  const flag = FLAG_KEYS.find(([name]) => key[name] === true);
  if (flag) return [createKeyEvent(flag[1])];
  if (key.ctrl) return parseControlKey(input.toLowerCase());
  return parseKeyText(input);
}

function parseControlKey(letter: string): KeyEvent[] {
  if (letter === 'j') return [createKeyEvent('enter')];
  return /^[a-z]$/.test(letter) && !RESERVED_CONTROL_LETTERS.test(letter)
    ? [createKeyEvent(`ctrl-${letter}` as KeyName)]
    : [];
}

function parseGrapheme(grapheme: string): KeyEvent | null {
  const keyName = CONTROL_KEYS[grapheme];
  if (keyName) return createKeyEvent(keyName);
  const code = grapheme.codePointAt(0) ?? 0;
  if (code >= 1 && code <= 26) return createKeyEvent(`ctrl-${String.fromCharCode(code + 96)}` as KeyName);
  const isControl = code < 32 || (code >= 127 && code < 160);
  return isControl ? null : { kind: 'char', text: grapheme };
}

function createKeyEvent(name: KeyName): KeyEvent {
  return { kind: 'key', name };
}

interface KeyDispatcherProps {
  /**
   * Called once per key, synchronously and in order. It must apply the event to the store before it returns: the next
   * key of a burst follows at once, before anything is drawn.
   */
  readonly onKey: (event: KeyEvent) => void;
  readonly children?: ReactNode;
}

/** Renders the only listener of the keyboard: mount it once, around everything. It draws nothing. */
export function KeyDispatcher({ onKey, children }: KeyDispatcherProps) {
  const { disableFocus } = useFocusManager();
  // Ink's own focus moves on Tab and Esc and would conflict with the wizard's.
  useEffect(disableFocus, [disableFocus]);
  useInput((input, key) => {
    for (const event of parseKeyInput(input, key)) onKey(event);
  });
  usePaste((text) => onKey(createPasteEvent(text)));
  return <>{children}</>;
}
