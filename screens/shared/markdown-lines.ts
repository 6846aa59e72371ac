import { proseLines } from '../../src/text/command-lines.ts';
import { pad, widthOf, wrapBeside } from '../../src/text/width.ts';
import type { TextLine } from '../../src/ui/components/text-views.tsx';

/**
 * The Markdown that we write (headings, lists, tables, commands) as lines of a page, each at most `columns` cells wide: without its
 * marks, wrapped, and commands whole.
 */
export function markdownLines(lines: readonly string[], columns: number): TextLine[] {
  const rows = lines.filter(isRow).map(cellsOf);
  const widths = rows
    .filter((cells) => !isRule(cells))
    .reduce<number[]>((widest, cells) => cells.map((cell, index) => Math.max(widest[index] ?? 0, widthOf(cell))), []);
  return lines.flatMap((line): TextLine[] => {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    if (heading !== undefined) return proseLines(heading, columns).map(({ text }) => ({ text, tone: 'accent' }));
    if (isRow(line)) return rowLines(cellsOf(line), widths, columns).map((text) => ({ text }));
    const [head = ''] = /^ *(?:- )?/.exec(line) ?? [];
    const rest = line.slice(head.length);
    if (rest.includes('`'))
      return proseLines(rest, columns).map(({ text, isCommand }) => ({ text, tone: isCommand ? 'accent' : 'text' }));
    return wrapBeside(head, rest, columns).map((text) => ({ text }));
  });
}

const isRow = (line: string) => /^\|.*\|$/.test(line);
const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
const isRule = (cells: readonly string[]) => cells.every((cell) => /^-+$/.test(cell));

/** A row with its cells under each other; where they have no room beside each other, the others under the first. */
function rowLines(cells: readonly string[], widths: readonly number[], columns: number): string[] {
  if (isRule(cells)) return [];
  const line = cells
    .map((cell, index) => pad(cell, widths[index] ?? 0, ''))
    .join('  ')
    .trimEnd();
  const needed = widths.reduce((sum, width) => sum + width, 0) + 2 * (widths.length - 1);
  if (needed <= columns) return [line];
  const [first = '', ...others] = cells;
  return [
    ...wrapBeside('', first, columns),
    ...wrapBeside('    ', others.filter((cell) => cell !== '').join('  '), columns),
  ];
}
