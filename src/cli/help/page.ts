import { fitToWidth, getDisplayWidth, wrapBeside, wrapLines } from '../../platform/text.ts';

/** A part of a help page. Texts are sentences without line breaks; the layout wraps them. */
export type Block =
  /** `isCommand`: its case matters. */
  | { readonly kind: 'heading'; readonly text: string; readonly isCommand?: true }
  | { readonly kind: 'text'; readonly text: string }
  /** Names and their meanings: side by side, or the meaning below a long name. */
  | { readonly kind: 'terms'; readonly layout: 'beside' | 'below'; readonly terms: readonly Term[] }
  /** Lines that keep their breaks: commands, examples. */
  | { readonly kind: 'verbatim'; readonly text: string; readonly indent: number };

export interface Term {
  readonly name: string;
  /** Each starts on a new line and may wrap. */
  readonly lines: readonly string[];
}

export const heading = (text: string): Block => ({ kind: 'heading', text });
export const text = (content: string): Block => ({ kind: 'text', text: content });
export const verbatim = (content: string): Block => ({ kind: 'verbatim', text: content, indent: INDENT });
export const terms = (list: readonly Term[]): Block => ({ kind: 'terms', layout: 'beside', terms: list });
export const longTerms = (list: readonly Term[]): Block => ({ kind: 'terms', layout: 'below', terms: list });
/** Terms with one sentence each, from a table of texts. */
export const termsFromTable = (table: Readonly<Record<string, string>>): Block =>
  terms(Object.entries(table).map(([name, meaning]) => ({ name, lines: [meaning] })));

const INDENT = 2;
/** A narrower terminal wraps the lines itself: that is easier to read than shorter lines. */
const MIN_WIDTH = 40;

/**
 * Renders a page as text: blocks separated by an empty line, each line at most `width` columns wide, but not below
 * MIN_WIDTH.
 * @param width of the terminal, in columns
 */
export function renderPage(blocks: readonly Block[], width: number): string {
  const lineWidth = Math.max(MIN_WIDTH, width);
  return `${blocks.map((block) => renderBlock(block, lineWidth).join('\n')).join('\n\n')}\n`;
}

/** A command that a sentence mentions stays on one line: half of it would be another command. */
const NO_BREAK = '\u00a0';
const keepCommandsWhole = (text: string) => text.replaceAll(/`[^`]+`/g, (part) => part.replaceAll(' ', NO_BREAK));

/** @returns the lines of the block, each at most `width` columns wide except verbatim ones */
function renderBlock(block: Block, width: number): string[] {
  return layOutBlock(block, width).map((line) => line.replaceAll(NO_BREAK, ' '));
}

function layOutBlock(block: Block, width: number): string[] {
  switch (block.kind) {
    case 'heading':
      return wrapLines(block.isCommand ? block.text : block.text.toUpperCase(), width);
    case 'text':
      return wrapLines(keepCommandsWhole(block.text), width);
    case 'verbatim':
      return block.text.split('\n').map((line) => (line === '' ? '' : `${' '.repeat(block.indent)}${line}`));
    case 'terms':
      return block.layout === 'beside'
        ? renderTermsBeside(block.terms, width)
        : block.terms.flatMap(({ name, lines }) => [
            `${' '.repeat(INDENT)}${name}`,
            ...wrapBeside(' '.repeat(3 * INDENT), keepCommandsWhole(lines.join('\n')), width),
          ]);
  }
}

function renderTermsBeside(list: readonly Term[], width: number): string[] {
  const nameWidth = INDENT + Math.max(...list.map(({ name }) => getDisplayWidth(name)));
  return list.flatMap(({ name, lines }) =>
    wrapBeside(`${' '.repeat(INDENT)}${fitToWidth(name, nameWidth, '')}`, keepCommandsWhole(lines.join('\n')), width),
  );
}
