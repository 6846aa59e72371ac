import { type Key, useFocusManager, useInput, usePaste } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { catalogue } from '../i18n/catalogue.ts';
import { findEntry } from '../platform/files.ts';
import { sanitize } from '../platform/sanitize.ts';
import { displayWidth, splitGraphemes, truncate } from '../platform/text.ts';
import type { KeyEvent, KeyName } from '../wizard/typing.ts';

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
const RESERVED_CONTROL = /^[hijm]$/;

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
 * Creates the event of a bracketed paste. The text comes from outside, so it is sanitised; terminals send CR for its
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
    const last = events.at(-1);
    if (event && last && isComposed(event) && isComposed(last)) events[events.length - 1] = joinEvents(last, event);
    else if (event) events.push(event);
  }
  return events;
}

/** Whether an input method composed the text: no key has such a name. Consecutive ones form one word and one event. */
const isComposed = (event: KeyEvent) => event.kind === 'char' && /^[^\u0000-\u00ff]/u.test(event.text);

function joinEvents(first: KeyEvent, second: KeyEvent): KeyEvent {
  const text = [first, second].map((event) => ('text' in event ? event.text : '')).join('');
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
  return /^[a-z]$/.test(letter) && !RESERVED_CONTROL.test(letter) ? [createKeyEvent(`ctrl-${letter}` as KeyName)] : [];
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

const words = () => catalogue().ui;

/** A key and its effect here. One declaration defines the behaviour, the footer and the help page. */
export interface Binding<I> {
  /** Names of keys (`enter`, `ctrl-s`, `page-up`) or single characters (`a`, `?`, ` `); the first is the one shown. */
  readonly keys: readonly string[];
  /** One to three words, lower case: the effect. */
  readonly label: string;
  readonly intent: I | null;
  /** The reason why the key has no effect now; shown in the help page and when it is pressed. */
  readonly disabled?: string;
  /** Works and is in the help page, but not in the footer. */
  readonly hidden?: boolean;
}

type KeyResolution<I> =
  | { readonly kind: 'intent'; readonly intent: I }
  | { readonly kind: 'disabled'; readonly reason: string }
  /** The key is not bound; a text field may take it. */
  | { readonly kind: 'none' };

/**
 * Resolves a key event under these bindings; the first binding that names the key decides. A paste is never a command.
 */
export function resolveKey<I>(bindings: readonly Binding<I>[], event: KeyEvent): KeyResolution<I> {
  if (event.kind === 'paste') return { kind: 'none' };
  const key = event.kind === 'char' ? event.text : event.name;
  const binding = bindings.find(({ keys }) => keys.includes(key));
  if (!binding) return { kind: 'none' };
  if (binding.disabled !== undefined) return { kind: 'disabled', reason: binding.disabled };
  return binding.intent === null ? { kind: 'none' } : { kind: 'intent', intent: binding.intent };
}

/** Keys with names; a character is its own name. */
type NamedKey = Exclude<KeyName, `ctrl-${string}`> | ' ';

/** Returns the display name of a key: `ctrl-s` is Ctrl-S. */
export function keyLabel(key: string): string {
  const control = /^ctrl-([a-z])$/.exec(key)?.[1];
  const names: Readonly<Record<NamedKey, string>> = words().keyNames;
  return control ? words().controlKey(control) : (findEntry(names, key) ?? key);
}

/** A long name in a label must not push other keys out of the footer; the help page shows it in full. */
const MAX_LABEL_WIDTH = 30;

/**
 * The keys that work now, on one line of at most `width` cells. Keys that do not fit are dropped from the right; the
 * first always stays. If it has no effect now, words mark it, since colour may be missing.
 * @param mark replaces the cut end of a label
 */
export function footerText(bindings: readonly Binding<unknown>[], width: number, mark = '\u2026'): string {
  const visible = bindings.filter(({ hidden, keys }) => !hidden && keys.length > 0);
  const shown = visible.filter(({ disabled }, index) => index === 0 || disabled === undefined);
  let line = '';
  for (const [index, { keys, label, disabled }] of shown.entries()) {
    const shortLabel = truncate(label, MAX_LABEL_WIDTH, mark);
    const action = disabled === undefined ? shortLabel : words().notNow(shortLabel);
    const next = `${line}${index === 0 ? '' : '  '}${keyLabel(keys[0] ?? '')} ${action}`;
    if (index > 0 && displayWidth(next) > width) break;
    line = next;
  }
  return line;
}

interface HelpLine {
  readonly keys: string;
  readonly label: string;
  readonly disabled?: string;
}

/** Lists every binding for the help page, including hidden ones. */
export function helpLines(bindings: readonly Binding<unknown>[]): HelpLine[] {
  return bindings.map(({ keys, label, disabled }) => ({
    keys: keys.map(keyLabel).join(', '),
    label,
    ...(disabled === undefined ? {} : { disabled }),
  }));
}
