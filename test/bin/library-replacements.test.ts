import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import fc from '../support/property.ts';

type StringWidth = typeof stringWidth;
const load = async <T>(name: string) => (await import(new URL(`../../bin/${name}.js`, import.meta.url).href)) as T;

const part = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '⠋ ✔ …',
    '\x1b[31m',
    '\x1b[39m',
    '\x1b]8;;x\x07',
    '\x1b',
    '\n',
    '\r\n',
    '\t',
    '👩‍👩‍👧',
    'e\u0301',
    '漢',
    '\u200b',
  ),
);
const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));

test('string-width of the bundle returns the same widths as the library', async () => {
  const { default: width } = await load<{ default: StringWidth }>('string-width');
  fc.assert(
    fc.property(text, fc.boolean(), (value, countAnsiEscapeCodes) => {
      expect(width(value)).toBe(stringWidth(value));
      expect(width(value, { countAnsiEscapeCodes })).toBe(stringWidth(value, { countAnsiEscapeCodes }));
    }),
  );
});

test('the segmenter of the bundle finds the same segments as Intl.Segmenter', async () => {
  const { Segmenter } = await load<{ Segmenter: typeof Intl.Segmenter }>('segmenter');
  fc.assert(
    fc.property(text, fc.constantFrom('grapheme', 'word', undefined), (value, granularity) => {
      const options = granularity && { granularity };
      const parts = (segmenter: Intl.Segmenter) =>
        Array.from(segmenter.segment(value), ({ segment, index, input }) => ({ segment, index, input }));
      const [ours, own] = [new Segmenter(undefined, options), new Intl.Segmenter(undefined, options)];
      expect(parts(ours)).toEqual(parts(own));
      const findSegmentStart = (segmenter: Intl.Segmenter, index: number) =>
        segmenter.segment(value).containing(index)?.index;
      for (let index = 0; index <= value.length; index += 1)
        expect(findSegmentStart(ours, index)).toBe(findSegmentStart(own, index));
    }),
  );
});
