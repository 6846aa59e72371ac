import { expect, test } from 'vitest';
import { type Background, getTheme } from '../../src/platform/theme.ts';
import { createRow, getGlyphs, highlightRow } from '../../src/rows/page-rows.ts';
import { formatRows, styleText } from '../../src/ui/segment-style.ts';

/** The red, green and blue of SGR parameters (xterm's cube and greys for the 256 colours). */
function toRgb(parameters: string): readonly number[] {
  const [, kind, ...parts] = parameters.split(';').map(Number);
  if (kind === 2) return parts;
  const [index = 0] = parts;
  if (index > 231) return Array.from({ length: 3 }, () => 8 + (index - 232) * 10);
  const cube = index - 16;
  return [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => (part === 0 ? 0 : 55 + part * 40));
}

/** The contrast ratio of WCAG 2. */
function computeContrast(one: readonly number[], other: readonly number[]): number {
  const toLuminance = (rgb: readonly number[]) => {
    const [red = 0, green = 0, blue = 0] = rgb.map((part) =>
      part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [toLuminance(one), toLuminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const BACKGROUNDS: Readonly<Record<Background, readonly number[]>> = { dark: [30, 30, 30], light: [255, 255, 255] };

test.each([
  ['dark', 'truecolor'],
  ['dark', '256'],
  ['light', 'truecolor'],
  ['light', '256'],
] as const)('every token of the %s theme in %s is legible, in a selected row too', (background, depth) => {
  const { border, selection, ...tokens } = getTheme(background, depth);
  for (const [name, parameters] of Object.entries(tokens))
    for (const behind of [BACKGROUNDS[background], toRgb(selection)])
      expect(computeContrast(toRgb(parameters), behind), name).toBeGreaterThanOrEqual(4.5);
  expect(computeContrast(toRgb(border), BACKGROUNDS[background])).toBeGreaterThan(1.8);
  expect(computeContrast(toRgb(selection), BACKGROUNDS[background])).toBeGreaterThan(1.2);
});

const terminal = { hasUnicode: true, hasColour: true, canAnimate: false, columns: 80, rows: 24, depth: '256' } as const;

test('a selected row has the background over its whole width, and its segments keep their tones', () => {
  const row = {
    segments: [
      { text: '▸ m1  ', tone: 'focus' as const },
      { text: '✖ failed', tone: 'error' as const },
    ],
    item: { id: 'm1', isSelected: true },
  };
  const { segments } = highlightRow(row, 20);
  expect(segments.map(({ text }) => text).join('')).toHaveLength(20);
  const { error, selection } = getTheme('dark', '256');
  const shown = segments.map((segment) => styleText(segment.text, segment, terminal).join(''));
  for (const each of shown) expect(each).toContain(`\u001b[${selection}m`);
  expect(shown[1]).toBe(`\u001b[${error}m\u001b[${selection}m✖ failed\u001b[39m\u001b[49m`);
  const other = { ...row, item: { id: 'm1', isSelected: false } };
  expect(highlightRow(other, 20)).toBe(other);
});

test('without colours a selected row is bold, and nothing else is styled', () => {
  const mono = { ...terminal, hasColour: false };
  expect(styleText('m1', { text: 'm1', tone: 'error', isSelected: true }, mono).join('')).toBe('\u001b[1mm1\u001b[22m');
  expect(styleText('m1', { text: 'm1', tone: 'error' }, mono).join('')).toBe('m1');
});

test('with 16 colours the selected row has one text colour', () => {
  const style = { ...terminal, depth: '16' } as const;
  expect(styleText('x', { text: 'x', tone: 'muted', isSelected: true }, style)[0]).toBe('\u001b[97m\u001b[44mx');
  expect(styleText('x', { text: 'x', tone: 'muted' }, style)[0]).toBe('\u001b[2mx');
  // Red and green on blue, and red on grey, cannot be read: the sign and the word carry the meaning.
  for (const tone of ['text', 'error', 'ok', 'accent', 'focus'] as const) {
    const [onDark] = styleText('x', { text: 'x', tone, isBold: false, isSelected: true }, style);
    expect(onDark, tone).toBe('\u001b[97m\u001b[44mx');
    const light = { ...style, background: 'light' } as const;
    expect(styleText('x', { text: 'x', tone, isBold: false, isSelected: true }, light)[0]).toBe(
      '\u001b[30m\u001b[47mx',
    );
  }
});

test('a link is written only to a terminal that has links', () => {
  const segment = { text: 'console', link: 'https://console.example/' };
  expect(styleText('console', segment, terminal).join('')).toBe('console');
  expect(styleText('console', segment, { ...terminal, hasLinks: true }).join('')).toBe(
    '\u001b]8;;https://console.example/\u0007console\u001b]8;;\u0007',
  );
});

test('the rows of a first frame are formatted as lines, unless one is too long for the terminal', () => {
  const style = { hasUnicode: true, hasColour: true, canAnimate: true, columns: 12, rows: 2 };
  const rows = [
    createRow('upi-wizard', 'accent'),
    { segments: [{ text: '', spinner: 'quick' as const }, { text: ' x' }] },
  ];
  const [title, spinner] = formatRows(rows, style) ?? [];
  expect(title).toBe(styleText('upi-wizard', { text: '', tone: 'accent' }, style).join(''));
  expect(spinner).toBe(`${getGlyphs(style).spinner[0]} x`);
  expect(formatRows(rows, { ...style, columns: 9 })).toBeNull();
});
