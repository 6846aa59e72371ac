import { expect, test } from 'vitest';
import { splitGraphemes } from '../../../src/platform/text.ts';
import {
  createTextField,
  editText,
  type KeyEvent,
  type KeyName,
  type TextFieldState,
} from '../../../src/wizard/text-input.ts';
import fc, { anyCharacter } from '../../support/property.ts';

const key = (name: KeyName): KeyEvent => ({ kind: 'key', name });
const chars = (text: string): KeyEvent[] => splitGraphemes(text).map((grapheme) => ({ kind: 'char', text: grapheme }));
const after = (state: TextFieldState, ...events: readonly KeyEvent[]) => events.reduce(editText, state);

/** Returns the text with `|` at the cursor. */
function markCursor({ text, cursor }: TextFieldState): string {
  const graphemes = splitGraphemes(text);
  return `${graphemes.slice(0, cursor).join('')}|${graphemes.slice(cursor).join('')}`;
}

const parseMarked = (marked: string): TextFieldState => {
  const [before = '', rest = ''] = marked.split('|');
  return { text: before + rest, cursor: splitGraphemes(before).length };
};

test.each<[string, KeyName, string]>([
  ['10.0.0|.1', 'home', '|10.0.0.1'],
  ['10.0.0|.1', 'ctrl-a', '|10.0.0.1'],
  ['10.0.0|.1', 'end', '10.0.0.1|'],
  ['10.0.0|.1', 'ctrl-e', '10.0.0.1|'],
  ['ab|cd', 'left', 'a|bcd'],
  ['|cd', 'left', '|cd'],
  ['ab|cd', 'right', 'abc|d'],
  ['ab|', 'right', 'ab|'],
  ['ab|cd', 'backspace', 'a|cd'],
  ['|cd', 'backspace', '|cd'],
  ['ab|cd', 'delete', 'ab|d'],
  ['ab|', 'delete', 'ab|'],
  ['ab cd|ef', 'ctrl-u', '|ef'],
  ['ab cd|ef', 'ctrl-k', 'ab cd|'],
  ['ab cd  |ef', 'ctrl-w', 'ab |ef'],
  ['ab |', 'ctrl-w', '|'],
  ['x👨‍👩‍👧|y', 'backspace', 'x|y'],
  ['x|👨‍👩‍👧y', 'delete', 'x|y'],
  ['日本|語', 'left', '日|本語'],
  ['ab|cd', 'ctrl-b', 'a|bcd'],
  ['ab|cd', 'ctrl-f', 'abc|d'],
  ['ab|cd', 'ctrl-d', 'ab|d'],
  ['10.0.0.1, 10|.0.0.2', 'ctrl-left', '10.0.0.1, |10.0.0.2'],
  ['10.0.0.1, |10.0.0.2', 'ctrl-left', '10.0.0.|1, 10.0.0.2'],
  ['|', 'ctrl-left', '|'],
  ['a|b, 日本 c', 'ctrl-right', 'ab|, 日本 c'],
  ['ab|, 日本 c', 'ctrl-right', 'ab, 日本| c'],
  ['ab|', 'ctrl-right', 'ab|'],
])('%s and %s gives %s', (before, name, expected) => {
  expect(markCursor(editText(parseMarked(before), key(name)))).toBe(expected);
});

test('the first key after a field is entered edits at its end: it replaces nothing', () => {
  const field = createTextField('172.16.0.0/24');
  expect(field).toEqual({ text: '172.16.0.0/24', cursor: 13 });
  expect(after(field, ...chars('!'))).toEqual({ text: '172.16.0.0/24!', cursor: 14 });
  expect(after(field, key('backspace')).text).toBe('172.16.0.0/2');
  expect(after(field, key('left'), key('backspace')).text).toBe('172.16.0.0/4');
  expect(after(field, key('ctrl-w'), ...chars('10')).text).toBe('10');
});

test('a paste is its first line, trimmed', () => {
  const paste: KeyEvent = { kind: 'paste', text: '\n  10.0.0.1 \n10.0.0.2' };
  expect(after(createTextField(''), paste)).toEqual({ text: '10.0.0.1', cursor: 8 });
  expect(markCursor(after(parseMarked('a|b'), paste))).toBe('a10.0.0.1|b');
  expect(after(createTextField('old'), { kind: 'paste', text: ' \n ' }).text).toBe('old');
});

test('keys that do not edit return the same state', () => {
  const field = createTextField('x');
  for (const name of ['enter', 'escape', 'tab', 'up', 'ctrl-s'] as const)
    expect(editText(field, key(name))).toBe(field);
});

const anyEvent: fc.Arbitrary<KeyEvent> = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).map((text): KeyEvent => ({ kind: 'char', text })),
  fc.constantFrom('👨‍👩‍👧', 'e\u0301', '\u0301', '語', '\u200d').map((text): KeyEvent => ({ kind: 'char', text })),
  fc.string({ unit: anyCharacter }).map((text): KeyEvent => ({ kind: 'paste', text })),
  fc
    .constantFrom<KeyName>(
      ...(['home', 'end', 'left', 'right', 'backspace', 'delete'] as const),
      ...(['ctrl-a', 'ctrl-e', 'ctrl-u', 'ctrl-k', 'ctrl-w', 'ctrl-left', 'ctrl-right', 'enter'] as const),
    )
    .map(key),
);

test('property: the cursor stays within the text, and the text stays one printable line', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(anyEvent), (start, events) => {
      for (let state = createTextField(start), rest = events; rest.length > 0; rest = rest.slice(1)) {
        state = editText(state, rest[0] as KeyEvent);
        expect(state.cursor).toBeGreaterThanOrEqual(0);
        expect(state.cursor).toBeLessThanOrEqual(splitGraphemes(state.text).length);
        if (start === '') expect(state.text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }
    }),
  );
});

test('property: typing a text gives that text with the cursor at its end, as does pasting it', () => {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.trim());
  fc.assert(
    fc.property(text, (value) => {
      const typed = after(createTextField(''), ...chars(value));
      expect(typed.text).toBe(value);
      expect(typed.cursor).toBe(splitGraphemes(value).length);
      expect(after(createTextField(''), { kind: 'paste', text: value })).toEqual(typed);
    }),
  );
});

test('property: moving changes no text, and Home then typing inserts at the front', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.constantFrom<KeyName>('home', 'end', 'left', 'right')), (value, names) => {
      const moved = after(createTextField(value), ...names.map(key));
      expect(moved.text).toBe(value);
      expect(after(moved, key('home'), ...chars('z')).text).toBe(`z${value}`);
    }),
  );
});
