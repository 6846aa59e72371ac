import { escapeMarkup, sanitizeLine } from './sanitize.ts';

/** Colours with a contrast of at least 4.5, on a light and on a dark background. */
const STYLE = `
.diagram { --paper: #ffffff; --ink: #1b1f24; --quiet: #57606a; --edge: #8c959f; --band: #f3f5f7; --card: #ffffff; --key: #0b57d0; --bar: #0b57d0; --bad: #b42318; --usual: #d5dae1; }
@media screen and (prefers-color-scheme: dark) {
  .diagram { --paper: #16181d; --ink: #e6e8eb; --quiet: #a6adb8; --edge: #6b7380; --band: #1f2329; --card: #16181d; --key: #8ab4f8; --bar: #8ab4f8; --bad: #f28b82; --usual: #3b424d; }
}
.diagram text { font: 13px/1.3 ui-monospace, "DejaVu Sans Mono", monospace; fill: var(--ink); }
.diagram .quiet { fill: var(--quiet); font-size: 12px; }
.diagram .title { font-weight: 700; }
.diagram .paper { fill: var(--paper); }
.diagram .band { fill: var(--band); stroke: var(--edge); }
.diagram .card { fill: var(--card); stroke: var(--edge); }
.diagram .endpoint { fill: var(--card); stroke: var(--key); stroke-dasharray: 4 3; }
.diagram .wire { stroke: var(--edge); stroke-width: 2; }
.diagram .grid { stroke: var(--usual); stroke-width: 1; }
.diagram .bar { fill: var(--bar); }
.diagram .failed { fill: var(--bad); }
.diagram .open { fill: var(--usual); stroke: var(--bar); }
.diagram .usual { fill: none; stroke: var(--quiet); stroke-dasharray: 3 3; }
`;

/**
 * Assembles a drawing that needs no script and no other file, with a text alternative, in light and dark colours.
 * @param id begins the ids of its title and description: unique in the document
 * @param width of the drawing in pixels
 * @param height of the drawing in pixels
 * @param parts finished markup
 */
export function renderSvg(
  id: string,
  { title, description }: { readonly title: string; readonly description: string },
  { width, height }: { readonly width: number; readonly height: number },
  parts: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="diagram" role="img" aria-labelledby="${id}-title ${id}-text" viewBox="0 0 ${width} ${roundLength(height)}" width="${width}" height="${roundLength(height)}">`,
    `<title id="${id}-title">${escapeMarkup(title)}</title>`,
    `<desc id="${id}-text">${escapeMarkup(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${width}" height="${roundLength(height)}"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/**
 * Draws a rectangle; all lengths are in pixels.
 * @param className the CSS class
 * @param radius the radius of its corners
 */
export function drawRect(className: string, x: number, y: number, width: number, height: number, radius = 6): string {
  return `<rect class="${className}" x="${roundLength(x)}" y="${roundLength(y)}" width="${roundLength(width)}" height="${roundLength(height)}" rx="${radius}"/>`;
}

/**
 * Draws a line of text, escaped. A text that is too long ends with an ellipsis; its title has all of it.
 * @param maxLength the maximum number of characters
 */
export function drawText(
  text: string,
  x: number,
  y: number,
  { maxLength, style }: { readonly maxLength: number; readonly style: '' | 'title' | 'quiet' },
): string {
  const sanitizedText = sanitizeLine(text, 300);
  const characters = [...sanitizedText];
  const isCut = characters.length > maxLength;
  const shownText = isCut ? `${characters.slice(0, maxLength - 1).join('')}…` : sanitizedText;
  const titleElement = isCut ? `<title>${escapeMarkup(sanitizedText)}</title>` : '';
  return `<text${style === '' ? '' : ` class="${style}"`} x="${roundLength(x)}" y="${roundLength(y)}">${titleElement}${escapeMarkup(shownText)}</text>`;
}

/** Rounds a length of a drawing to one decimal place. */
export const roundLength = (length: number) => Math.round(length * 10) / 10;
