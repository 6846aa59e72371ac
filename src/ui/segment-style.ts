import { getTheme, type Theme } from '../platform/theme.ts';
import { getGlyphs, measureRow, type PageRow, type Segment, type Tone } from '../rows/page-rows.ts';
import type { TerminalStyle } from './terminal-style.tsx';

const THEME_KEYS: Readonly<Record<Tone, keyof Theme | null>> = {
  text: null,
  muted: 'muted',
  accent: 'accent',
  ok: 'ok',
  warn: 'warn',
  error: 'error',
  info: 'info',
  border: 'border',
  focus: 'accent',
};

/** The one text colour of a selected row with 16 colours: no other is readable on its background in every terminal. */
const SELECTED_TEXT_WITH_16_COLOURS = { dark: '97', light: '30' } as const;

/**
 * Returns the SGR parameters of a segment, each one a sequence of its own. Without colours, bold and reverse video
 * remain: symbols and words carry the meaning.
 */
function listStyleParameters(segment: Segment, style: TerminalStyle): readonly string[] {
  const { tone = 'text', isSelected = false, isInverse = false, isItalic = false } = segment;
  const isBold = segment.isBold ?? (tone === 'focus' || (isSelected && !style.hasColour));
  const attributes = [...(isBold ? ['1'] : []), ...(isItalic ? ['3'] : []), ...(isInverse ? ['7'] : [])];
  if (!style.hasColour) return attributes;
  const { depth = '16', background = 'dark' } = style;
  const theme = getTheme(background, depth);
  const themeKey = THEME_KEYS[tone];
  const isPlain = themeKey === null || (isSelected && tone === 'focus');
  const colour = isPlain ? '' : theme[themeKey];
  const textColour = isSelected && depth === '16' ? SELECTED_TEXT_WITH_16_COLOURS[background] : colour;
  return [...attributes, ...(textColour === '' ? [] : [textColour]), ...(isSelected ? [theme.selection] : [])];
}

const END_PARAMETERS: readonly (readonly [RegExp, string])[] = [
  [/^[12]$/, '22'],
  [/^3$/, '23'],
  [/^7$/, '27'],
  [/^(?:38|3[0-7]$|9[0-7]$)/, '39'],
  [/^(?:48|4[0-7]$)/, '49'],
];

const toSequence = (parameters: string) => `\u001b[${parameters}m`;

/**
 * Formats rows as lines with their styles, for a terminal on which Ink does not draw yet.
 * @returns null if a row is too long for the terminal: only Ink can cut it
 */
export function formatRows(rows: readonly PageRow[], style: TerminalStyle): readonly string[] | null {
  if (rows.some((row) => measureRow(row) > style.columns)) return null;
  const [firstFrame = ''] = getGlyphs(style).spinner;
  return rows.map(({ segments }) =>
    segments
      .map((segment) => styleText(segment.spinner === undefined ? segment.text : firstFrame, segment, style).join(''))
      .join(''),
  );
}

/** Ends a link (OSC 8). */
export const LINK_END = '\u001b]8;;\u0007';

/** Wraps a text into the sequences of a segment's style, and those that end it. */
export function styleText(text: string, segment: Segment, style: TerminalStyle): readonly [string, string] {
  const parameters = listStyleParameters(segment, style);
  const endParameters = parameters.map(
    (parameter) => END_PARAMETERS.find(([pattern]) => pattern.test(parameter))?.[1] ?? '0',
  );
  const link = segment.link === undefined || !style.hasLinks ? '' : segment.link;
  return [
    `${link === '' ? '' : `\u001b]8;;${link}\u0007`}${parameters.map(toSequence).join('')}${text}`,
    `${[...new Set(endParameters)].map(toSequence).join('')}${link === '' ? '' : LINK_END}`,
  ];
}
