import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { getDisplayWidth, hasSingleUnitGraphemes, isNarrow, splitGraphemes } from '../../src/platform/text.ts';
import fc from '../support/property.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const graphemes = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);
const ALL_CHARACTERS = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));

test('text measured without the library has the same width as with it, alone and next to other text', () => {
  const narrow = ALL_CHARACTERS.filter(isNarrow);
  expect(narrow.length).toBeGreaterThan(1000);
  expect(ALL_CHARACTERS.filter((each) => hasSingleUnitGraphemes(each) && !isNarrow(each))).toEqual(['\x1b']);
  for (const each of narrow) expect([each, stringWidth(each), graphemes(each)]).toEqual([each, 1, [each]]);
  const part = fc.oneof(
    fc.constantFrom(...narrow),
    fc.constantFrom('\u0301', '\u200d', '\ufe0f', '\u20e3', '\x1b[31m', '\x1b', '👩', '漢'),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      expect(getDisplayWidth(text)).toBe(stringWidth(text));
      expect(splitGraphemes(text)).toEqual(graphemes(text));
    }),
  );
});

test.each(['\x1b', '\n', '\t', '\xad', '\u200b', '漢', '👩', 'e\u0301', '☸', '✔\ufe0f'])(
  '%j is measured by the library',
  (text) => {
    expect(isNarrow(text)).toBe(false);
  },
);
