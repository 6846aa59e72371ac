import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { yamlText } from '../../src/design/imports/index.ts';
import { formatJson } from '../../src/platform/format-json.ts';
import { sanitize, sanitizeLine } from '../../src/platform/sanitize.ts';
import fc, { anyCharacter } from '../support/property.ts';

/** What a terminal obeys or does not show. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Default_Ignorable_Code_Point}\u2028-\u202e\ufff9-\ufffb\ud800-\udfff]/u;
const HOSTILE = [
  '\u001b[2J',
  '\u001b]52;c;AAAA\u0007',
  '\u009b31m',
  '\u0085',
  '\u202eevil\u202c',
  'zero\u200bwidth',
  '\u2028line',
  '\u{e0041}tag',
  '\ud800',
  '\u007f',
  '\u3164',
  'shy\u00ad',
  '\ufeff',
];
/** Any text, with what is hostile in it more often than chance would have it. */
const text = fc
  .array(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...HOSTILE)))
  .map((parts) => parts.join(''));

test.each(HOSTILE.map((each) => [each]))('%j is marked', (hostile) => {
  expect(sanitize(`a${hostile}b`)).toMatch(/^a.*\ufffd.*b$/u);
  expect(sanitize(`a${hostile}b`)).not.toMatch(UNSEEN);
});

test('no text leaves what a terminal obeys or hides, and a line stays one', () => {
  fc.assert(
    fc.property(text, (any) => {
      expect(sanitize(any)).not.toMatch(UNSEEN);
      expect(sanitizeLine(any)).not.toMatch(/[\n\t]/);
    }),
  );
});

test('JSON and YAML show all of it escaped, and mean the same', () => {
  const values = fc.dictionary(text, fc.oneof(text, fc.array(text), fc.double(), fc.boolean()));
  fc.assert(
    fc.property(values, (value) => {
      const json = formatJson(value);
      expect(json).not.toMatch(UNSEEN);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(formatJson(value, 0).trimEnd()).not.toContain('\n');
    }),
  );
  // A lone surrogate is no character: YAML cannot hold one.
  const wellFormed = fc.dictionary(
    text.map((any) => any.toWellFormed()),
    text.map((any) => any.toWellFormed()),
  );
  fc.assert(
    fc.property(wellFormed, (value) => {
      const yaml = yamlText(value);
      expect(yaml).not.toMatch(UNSEEN);
      expect(parse(yaml)).toEqual({ ...value });
    }),
  );
});
