import stringWidth from 'string-width';
import { isNarrow, isSeparate } from './narrow.ts';

let segmenter: Intl.Segmenter | null = null;

/** The graphemes of a text: what a person counts as characters. */
export function graphemesOf(text: string): string[] {
  if (isSeparate(text)) return text.split('');
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Terminal cells that a text takes. */
export function widthOf(text: string): number {
  return isNarrow(text) ? text.length : stringWidth(text);
}

/**
 * The text cut to at most `width` cells; where something is lost, `mark` stands at its end. Never cuts a wide character in
 * two.
 */
export function cut(text: string, width: number, mark: string): string {
  if (width <= 0) return '';
  if (widthOf(text) <= width) return text;
  const room = width - widthOf(mark);
  if (room < 0) return '';
  let used = 0;
  let kept = '';
  for (const grapheme of graphemesOf(text)) {
    const cells = widthOf(grapheme);
    if (used + cells > room) break;
    used += cells;
    kept += grapheme;
  }
  return kept + mark;
}

/** The text in exactly `width` cells: cut with `mark`, or filled with spaces at the side away from `align`. */
export function pad(text: string, width: number, mark: string, align: 'left' | 'right' = 'left'): string {
  const kept = cut(text, width, mark);
  const fill = ' '.repeat(Math.max(0, width - widthOf(kept)));
  return align === 'right' ? fill + kept : kept + fill;
}

/**
 * Breaks a text into lines of at most `width` cells at spaces; a word that is longer, and text without spaces (Japanese),
 * is broken anywhere. Newlines in the text are kept.
 */
export function wrapLines(text: string, width: number): string[] {
  if (width <= 0) return [];
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, width));
}

/** The text wrapped beside `head`: the first line stands behind it, the others under the first, within `width` cells. */
export function wrapBeside(head: string, text: string, width: number): string[] {
  const indent = widthOf(head);
  return wrapLines(text, width - indent).map((line, index) => `${index === 0 ? head : ' '.repeat(indent)}${line}`);
}

/** The text in lines of at most `width` cells, at most `height` of them; where something is lost, `mark` stands at the end of the last. */
export function wrapWithin(text: string, width: number, height: number, mark: string): string[] {
  const lines = wrapLines(text, width);
  if (lines.length <= height || height <= 0) return lines.slice(0, Math.max(0, height));
  return [...lines.slice(0, height - 1), cut(`${lines[height - 1]} ${lines[height]}`, width, mark)];
}

function wrapParagraph(paragraph: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(/(?<= )(?=[^ ])/).flatMap((part) => breakWord(part, width))) {
    if (widthOf(line + word.trimEnd()) <= width) line += word;
    else {
      lines.push(line.trimEnd());
      line = word;
    }
  }
  return [...lines, line.trimEnd()];
}

function breakWord(word: string, width: number): string[] {
  const hasWide = !isNarrow(word) && widthOf(word) > graphemesOf(word).length;
  if (widthOf(word.trimEnd()) <= width && !hasWide) return [word];
  const parts: string[] = [''];
  for (const grapheme of graphemesOf(word)) {
    const last = parts.at(-1) ?? '';
    const isBreak = hasWide ? last !== '' && widthOf(grapheme) > 1 : widthOf(last + grapheme) > width;
    if (isBreak || widthOf(last + grapheme) > width) parts.push(grapheme);
    else parts[parts.length - 1] = last + grapheme;
  }
  return parts;
}
