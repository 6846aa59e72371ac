import stringWidth from 'string-width';

// Before the first frame, an `Intl.Segmenter` costs 14 ms of CPU, and the first call of the width library 25 ms. So
// text of characters that take one cell each and never combine with their neighbours is counted without either: Latin,
// and the symbols, brackets and spinners of our screens.
const NARROW_CHARACTERS =
  '\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u1e00-\\u1eff\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2500-\\u25fc\\u2713-\\u2718\\u27e6-\\u27eb\\u2800-\\u28ff';
const NARROW_TEXT = new RegExp(`^[${NARROW_CHARACTERS}]*$`);
const SINGLE_UNIT = new RegExp(`^[\\x1b${NARROW_CHARACTERS}]*$`);

/** Whether each UTF-16 unit of a text takes one cell. */
export const isNarrow = (text: string): boolean => NARROW_TEXT.test(text);

/** Whether each UTF-16 unit of a text is a grapheme; escape sequences may be among them. */
export const hasSingleUnitGraphemes = (text: string): boolean => SINGLE_UNIT.test(text);

let segmenter: Intl.Segmenter | null = null;

/** Splits a text into graphemes: the characters that a reader counts. */
export function splitGraphemes(text: string): string[] {
  if (hasSingleUnitGraphemes(text)) return text.split('');
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Returns the number of terminal cells that a text takes. */
export function getDisplayWidth(text: string): number {
  return isNarrow(text) ? text.length : stringWidth(text);
}

/**
 * Truncates a text to at most `width` cells, with `mark` at its end if something is lost. Never splits a wide
 * character.
 */
export function truncate(text: string, width: number, mark: string): string {
  if (width <= 0) return '';
  if (getDisplayWidth(text) <= width) return text;
  const availableCells = width - getDisplayWidth(mark);
  if (availableCells < 0) return truncate(mark, width, '');
  let usedCells = 0;
  let truncatedText = '';
  for (const grapheme of splitGraphemes(text)) {
    const cells = getDisplayWidth(grapheme);
    if (usedCells + cells > availableCells) break;
    usedCells += cells;
    truncatedText += grapheme;
  }
  return truncatedText + mark;
}

/**
 * Truncates a text to at most `width` cells, with `mark` in its middle if something is lost: names that share their
 * beginning stay different.
 */
export function truncateMiddle(text: string, width: number, mark: string): string {
  const availableCells = width - getDisplayWidth(mark);
  if (getDisplayWidth(text) <= width || availableCells < 2) return truncate(text, width, mark);
  const start = truncate(text, Math.ceil(availableCells / 2), '');
  const reversedText = splitGraphemes(text).toReversed().join('');
  const end = splitGraphemes(truncate(reversedText, Math.floor(availableCells / 2), '')).toReversed();
  return `${start}${mark}${end.join('')}`;
}

/**
 * Returns the text in exactly `width` cells: truncated with `mark`, or filled with spaces on the side opposite to
 * `align`.
 */
export function fitToWidth(text: string, width: number, mark: string, align: 'left' | 'right' = 'left'): string {
  const truncatedText = truncate(text, width, mark);
  const padding = ' '.repeat(Math.max(0, width - getDisplayWidth(truncatedText)));
  return align === 'right' ? padding + truncatedText : truncatedText + padding;
}

/**
 * Wraps a text at spaces into lines of at most `width` cells. A longer name is broken after a dot or a colon. Any other
 * longer word, and text without spaces (Japanese), is broken anywhere. Newlines in the text are kept.
 * @param keepsUrls a URL stays whole, and its line may be longer
 */
export function wrapLines(text: string, width: number, keepsUrls = false): string[] {
  if (width <= 0) return [];
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, width, keepsUrls));
}

/**
 * Wraps a text beside `head`: the first line follows it, and the others are indented to the same column, within `width`
 * cells.
 */
export function wrapBeside(head: string, text: string, width: number): string[] {
  const indent = getDisplayWidth(head);
  return wrapLines(text, width - indent).map((line, index) => `${index === 0 ? head : ' '.repeat(indent)}${line}`);
}

/**
 * Wraps a text into at most `height` lines of at most `width` cells; if something is lost, `mark` ends the last line.
 */
export function wrapWithin(text: string, width: number, height: number, mark: string): string[] {
  const lines = wrapLines(text, width);
  if (lines.length <= height || height <= 0) return lines.slice(0, Math.max(0, height));
  const [lastLine, nextLine] = [lines[height - 1], lines[height]];
  // A long name is broken inside itself: no blank is lost there.
  const rest = text.includes(`${lastLine} ${nextLine}`) ? `${lastLine} ${nextLine}` : `${lastLine}${nextLine}`;
  return [...lines.slice(0, height - 1), truncate(rest, width, mark)];
}

function wrapParagraph(paragraph: string, width: number, keepsUrls: boolean): string[] {
  const lines: string[] = [];
  let line = '';
  const breakPart = (part: string) => (keepsUrls && part.includes('://') ? [part] : breakWord(part, width));
  for (const word of paragraph.split(/(?<= )(?=[^ ])/).flatMap(breakPart)) {
    if (getDisplayWidth(line + word.trimEnd()) <= width) line += word;
    else {
      lines.push(line.trimEnd());
      line = word;
    }
  }
  return [...lines, line.trimEnd()];
}

/** A name that needs more lines is broken anywhere: fewer lines are worth more than its parts. */
const MAX_NAME_LINES = 4;
/**
 * A DNS name or the name of an account, also in brackets, with a wildcard, or followed by punctuation. A URL has a
 * slash: it links as a whole.
 */
const LONG_NAME = /^[^\w*]?(?:[\w*-]+[.:])+[\w-]+[^\w/]*\s*$/;

/** Joins parts of a word again, as many as fit into `width` cells. */
function joinWithin(parts: readonly string[], width: number): string[] {
  const lines = [''];
  for (const part of parts) {
    const line = `${lines.at(-1)}${part}`;
    if (getDisplayWidth(line.trimEnd()) <= width) lines[lines.length - 1] = line;
    else lines.push(part);
  }
  return lines;
}

/** Puts a blank behind a separator of each name that is wider than `width` cells, so that it is wrapped there. */
export function breakLongNames(text: string, width: number): string {
  const breakName = (name: string) =>
    getDisplayWidth(name) <= width ? name : joinWithin(name.split(/(?<=[:.,/-])/), width).join(' ');
  return text.split(' ').map(breakName).join(' ');
}

function breakWord(word: string, width: number): string[] {
  const hasWideCharacters = !isNarrow(word) && getDisplayWidth(word) > splitGraphemes(word).length;
  if (getDisplayWidth(word.trimEnd()) <= width && !hasWideCharacters) return [word];
  const isName = getDisplayWidth(word) <= MAX_NAME_LINES * width && LONG_NAME.test(word);
  if (isName)
    return joinWithin(
      word.split(/(?<=[.:])/).flatMap((label) => breakAnywhere(label, width)),
      width,
    );
  return breakAnywhere(word, width);
}

function breakAnywhere(word: string, width: number): string[] {
  const hasWideCharacters = !isNarrow(word) && getDisplayWidth(word) > splitGraphemes(word).length;
  const parts: string[] = [''];
  for (const grapheme of splitGraphemes(word)) {
    const lastPart = parts.at(-1) ?? '';
    const isBreak = hasWideCharacters
      ? lastPart !== '' && getDisplayWidth(grapheme) > 1
      : getDisplayWidth(lastPart + grapheme) > width;
    if (isBreak || getDisplayWidth(lastPart + grapheme) > width) parts.push(grapheme);
    else parts[parts.length - 1] = lastPart + grapheme;
  }
  return parts;
}

/**
 * ASCII replacements for typographic characters on a terminal without Unicode: one cell for one cell, so that no column
 * shifts. The rows of a page have the mark of cut text already: these are the characters of sentences.
 */
const ASCII_REPLACEMENTS: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2013': '-',
  '\u2014': '-',
  '\u2026': '.',
  '\u21b3': '>',
  '\u00d7': 'x',
  '\u00b7': '-',
  '\u00a0': ' ',
};
const REPLACEABLE_CHARACTER = new RegExp(`[${Object.keys(ASCII_REPLACEMENTS).join('')}]`, 'g');

/** Replaces the typographic characters of our own sentences by ASCII; other characters are left as they are. */
export function toAsciiPunctuation(text: string): string {
  return text.replace(REPLACEABLE_CHARACTER, (character) => ASCII_REPLACEMENTS[character] ?? character);
}

/**
 * Formats a host as written in a URL and before a port: `172.16.0.1` and names unchanged, `2001:db8::1` in brackets.
 */
export function formatUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the host of a URL as an address or a name, without brackets: the reverse of `formatUrlHost`. */
export function getUrlHost({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Returns the last part of a path or a URL: `m1.sh`. */
export function getFileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Computes the SHA-256 of a text (as UTF-8) or of bytes, in lowercase hexadecimal digits. */
export function computeSha256(data: string | NodeJS.ArrayBufferView): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', data);
}
