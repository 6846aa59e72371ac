import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The graphemes of a text: what a person counts as characters. */
export function graphemesOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Terminal cells that a text takes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/**
 * Breaks a text into lines of at most `width` cells at spaces; a word that is longer, and text without spaces (Japanese),
 * is broken anywhere. Newlines in the text are kept.
 */
export function wrapLines(text: string, width: number): string[] {
  if (width <= 0) return [];
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, width));
}

function wrapParagraph(paragraph: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(/(?<= )(?=[^ ])/).flatMap((part) => breakWord(part, width))) {
    if (stringWidth(line + word.trimEnd()) <= width) line += word;
    else {
      lines.push(line.trimEnd());
      line = word;
    }
  }
  return [...lines, line.trimEnd()];
}

function breakWord(word: string, width: number): string[] {
  const hasWide = stringWidth(word) > graphemesOf(word).length;
  if (stringWidth(word.trimEnd()) <= width && !hasWide) return [word];
  const parts: string[] = [''];
  for (const grapheme of graphemesOf(word)) {
    const last = parts.at(-1) ?? '';
    const isBreak = hasWide ? last !== '' && stringWidth(grapheme) > 1 : stringWidth(last + grapheme) > width;
    if (isBreak || stringWidth(last + grapheme) > width) parts.push(grapheme);
    else parts[parts.length - 1] = last + grapheme;
  }
  return parts;
}
