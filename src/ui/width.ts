import stringWidth from 'string-width';
import { graphemesOf, wrapLines } from '../text/wrap.ts';

export { widthOf, wrapLines } from '../text/wrap.ts';

/**
 * The text cut to at most `width` cells; where something is lost, `mark` stands at its end. Never cuts a wide character in
 * two.
 */
export function cut(text: string, width: number, mark: string): string {
  if (width <= 0) return '';
  if (stringWidth(text) <= width) return text;
  const room = width - stringWidth(mark);
  if (room < 0) return '';
  let used = 0;
  let kept = '';
  for (const grapheme of graphemesOf(text)) {
    const cells = stringWidth(grapheme);
    if (used + cells > room) break;
    used += cells;
    kept += grapheme;
  }
  return kept + mark;
}

/** The text in exactly `width` cells: cut with `mark`, or filled with spaces at the side away from `align`. */
export function pad(text: string, width: number, mark: string, align: 'left' | 'right' = 'left'): string {
  const kept = cut(text, width, mark);
  const fill = ' '.repeat(Math.max(0, width - stringWidth(kept)));
  return align === 'right' ? fill + kept : kept + fill;
}

/** The text in lines of at most `width` cells, at most `height` of them; where something is lost, `mark` stands at the end of the last. */
export function wrapWithin(text: string, width: number, height: number, mark: string): string[] {
  const lines = wrapLines(text, width);
  if (lines.length <= height || height <= 0) return lines.slice(0, Math.max(0, height));
  return [...lines.slice(0, height - 1), cut(`${lines[height - 1]} ${lines[height]}`, width, mark)];
}
