import { pad, widthOf, wrapBeside, wrapLines } from '../../text/width.ts';

/** A part of a help page. Texts are sentences without line breaks; the layout wraps them. */
export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** Names and their meanings: side by side, or the meaning below a long name. */
  | { readonly kind: 'beside' | 'below'; readonly terms: readonly Term[] }
  /** Lines that keep their breaks: commands, examples. */
  | { readonly kind: 'verbatim'; readonly text: string; readonly indent: number };

/** Facts for a page that only the command line knows. */
export interface PageFacts {
  /** What `--help` prints. */
  readonly usage: string;
}

export interface Term {
  readonly name: string;
  /** Each in a line of its own, or in several. */
  readonly lines: readonly string[];
}

export const heading = (text: string): Block => ({ kind: 'heading', text });
export const text = (said: string): Block => ({ kind: 'text', text: said });
export const verbatim = (said: string): Block => ({ kind: 'verbatim', text: said, indent: INDENT });
export const terms = (all: readonly Term[]): Block => ({ kind: 'beside', terms: all });
export const longTerms = (all: readonly Term[]): Block => ({ kind: 'below', terms: all });
/** Terms with one sentence each, from a table of words. */
export const termsOf = (all: Readonly<Record<string, string>>): Block =>
  terms(Object.entries(all).map(([name, said]) => ({ name, lines: [said] })));

const INDENT = 2;
/** Narrower lines are harder to read than lines that the terminal breaks. */
const NARROWEST = 40;

/**
 * A page as text: blocks with an empty line between them, each line at most `width` cells.
 * @param width of the terminal, in cells
 */
export function layOut(blocks: readonly Block[], width: number): string {
  const room = Math.max(NARROWEST, width);
  return `${blocks.map((block) => linesOf(block, room).join('\n')).join('\n\n')}\n`;
}

function linesOf(block: Block, width: number): string[] {
  switch (block.kind) {
    case 'heading':
      return wrapLines(block.text.toUpperCase(), width);
    case 'text':
      return wrapLines(block.text, width);
    case 'verbatim':
      return block.text.split('\n').map((line) => (line === '' ? '' : `${' '.repeat(block.indent)}${line}`));
    case 'beside':
      return besideLines(block.terms, width);
    case 'below':
      return block.terms.flatMap(({ name, lines }) => [
        `${' '.repeat(INDENT)}${name}`,
        ...wrapBeside(' '.repeat(3 * INDENT), lines.join('\n'), width),
      ]);
  }
}

function besideLines(all: readonly Term[], width: number): string[] {
  const column = INDENT + Math.max(...all.map(({ name }) => widthOf(name)));
  return all.flatMap(({ name, lines }) =>
    wrapBeside(`${' '.repeat(INDENT)}${pad(name, column, '')}`, lines.join('\n'), width),
  );
}
