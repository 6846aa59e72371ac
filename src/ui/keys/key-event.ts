import type { Key } from 'ink';
import { sanitize } from '../../text/sanitize.ts';
import { graphemesOf } from '../../text/width.ts';
import type { KeyEvent, KeyName } from '../../wizard/typing/key-event.ts';

const NAMES_OF_FLAGS: readonly (readonly [keyof Key, KeyName])[] = [
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

const NAMES_OF_CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u001b': 'escape',
};

/** Letters whose control byte is another key (H, I, J, M); what terminals send for those arrives under that key's name. */
const TAKEN_CONTROL = /^[hijm]$/;

/**
 * The key events of one call of Ink's `useInput`, in order. Ink delivers an escape sequence by itself, but runs of other
 * bytes as one text ("abc\r"); those are split here.
 */
export function eventsOfInput(input: string, key: Key): KeyEvent[] {
  if (key.eventType === 'release') return [];
  if (key.escape) return key.meta ? [named('escape'), named('escape')] : [named('escape')];
  const events = eventsWithoutEscape(input, key);
  // Esc followed at once by another key and Alt with that key are the same bytes. No key here is bound to Alt, so they are
  // read as the two keys: then a burst has the effect of the keys one by one. (The kitty protocol tells Alt apart.)
  const isEscapePrefixed = key.meta && key.eventType === undefined && events.length > 0;
  return isEscapePrefixed ? [named('escape'), ...events] : events;
}

/** The event of a bracketed paste: text from outside, so it is sanitised, and terminals send CR for its newlines. */
export function eventOfPaste(text: string): KeyEvent {
  return { kind: 'paste', text: sanitize(text.replace(/\r\n?/g, '\n')) };
}

/**
 * Splits plain text (no escape sequences) into key events: control bytes become keys, the rest one `char` per grapheme,
 * or per word where an input method composed it.
 * A newline is Enter, wherever it stands: that is what it is when the bytes come one at a time.
 */
export function eventsOfText(text: string): KeyEvent[] {
  const events: KeyEvent[] = [];
  // CR LF is one grapheme, and two keys.
  for (const grapheme of text.split(/(\r)/).flatMap(graphemesOf)) {
    const event = eventOfGrapheme(grapheme);
    const last = events.at(-1);
    if (event && last && isComposed(event) && isComposed(last)) events[events.length - 1] = joined(last, event);
    else if (event) events.push(event);
  }
  return events;
}

/** No key is called like this: an input method has composed it, perhaps with others to a word, which is one event. */
const isComposed = (event: KeyEvent) => event.kind === 'char' && /^[^\u0000-\u00ff]/u.test(event.text);

function joined(first: KeyEvent, second: KeyEvent): KeyEvent {
  const text = [first, second].map((event) => ('text' in event ? event.text : '')).join('');
  return { kind: 'char', text };
}

function eventsWithoutEscape(input: string, key: Key): KeyEvent[] {
  if (key.tab) return [named(key.shift ? 'shift-tab' : 'tab')];
  if (key.ctrl && key.leftArrow) return [named('ctrl-left')];
  if (key.ctrl && key.rightArrow) return [named('ctrl-right')];
  const flag = NAMES_OF_FLAGS.find(([name]) => key[name] === true);
  if (flag) return [named(flag[1])];
  if (key.ctrl) return controlKey(input.toLowerCase());
  return eventsOfText(input);
}

function controlKey(letter: string): KeyEvent[] {
  if (letter === 'j') return [named('enter')];
  return /^[a-z]$/.test(letter) && !TAKEN_CONTROL.test(letter) ? [named(`ctrl-${letter}` as KeyName)] : [];
}

function eventOfGrapheme(grapheme: string): KeyEvent | null {
  const known = NAMES_OF_CONTROLS[grapheme];
  if (known) return named(known);
  const code = grapheme.codePointAt(0) ?? 0;
  if (code >= 1 && code <= 26) return named(`ctrl-${String.fromCharCode(code + 96)}` as KeyName);
  const isControl = code < 32 || (code >= 127 && code < 160);
  return isControl ? null : { kind: 'char', text: grapheme };
}

function named(name: KeyName): KeyEvent {
  return { kind: 'key', name };
}
