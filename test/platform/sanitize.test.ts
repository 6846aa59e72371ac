import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatYaml } from '../../src/design/yaml.ts';
import { formatJson, sanitize, sanitizeLine } from '../../src/platform/sanitize.ts';
import fc, { anyCharacter } from '../support/property.ts';

/** Control characters and invisible characters of a terminal. */
const UNSAFE =
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
/** Arbitrary text, with hostile parts more often than at random. */
const text = fc
  .array(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...HOSTILE)))
  .map((parts) => parts.join(''));

test.each(HOSTILE.map((each) => [each]))('%j is marked', (hostile) => {
  expect(sanitize(`a${hostile}b`)).toMatch(/^a.*\ufffd.*b$/u);
  expect(sanitize(`a${hostile}b`)).not.toMatch(UNSAFE);
});

test('sanitized text has no control or invisible characters, and a line stays one line', () => {
  fc.assert(
    fc.property(text, (any) => {
      expect(sanitize(any)).not.toMatch(UNSAFE);
      expect(sanitizeLine(any)).not.toMatch(/[\n\t]/);
    }),
  );
});

test('JSON and YAML escape all of it, and keep the same value', () => {
  const values = fc.dictionary(text, fc.oneof(text, fc.array(text), fc.double(), fc.boolean()));
  fc.assert(
    fc.property(values, (value) => {
      const json = formatJson(value);
      expect(json).not.toMatch(UNSAFE);
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
      const yaml = formatYaml(value);
      expect(yaml).not.toMatch(UNSAFE);
      expect(parse(yaml)).toEqual({ ...value });
    }),
  );
});
