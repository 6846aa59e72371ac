import { wrapProse } from '../../src/i18n/prose.ts';
import { displayWidth, padEnd, wrapBeside, wrapLines, wrapWithin } from '../../src/platform/text.ts';
import { Label, Row } from '../../src/ui/components/select.tsx';
import type { TextLine } from '../../src/ui/components/text-views.tsx';
import { getGlyphs, type Tone, useArea, useTerminalStyle } from '../../src/ui/terminal-style.tsx';

interface ParagraphProps {
  readonly text: string;
  readonly tone?: Tone;
  /** Maximum lines; 2 by default. */
  readonly height?: number;
}

/**
 * Renders a text wrapped to at most `height` lines, with a mark if it is cut off. `countParagraphRows` counts those
 * lines.
 */
export function Paragraph({ text, tone, height = 2 }: ParagraphProps) {
  const { columns } = useArea();
  const { ellipsis } = getGlyphs(useTerminalStyle());
  return (
    <>
      {wrapWithin(text, columns, height, ellipsis).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label {...(tone ? { tone } : {})}>{line}</Label>
        </Row>
      ))}
    </>
  );
}

/** Counts the number of lines of a Paragraph at this width. */
export function countParagraphRows(text: string, columns: number, height = 2): number {
  return Math.min(height, wrapLines(text, columns).length);
}

/**
 * Renders Markdown that we write (headings, lists, tables, commands) as lines of at most `columns` cells: without
 * markup, wrapped, and with every command in one piece.
 */
export function renderMarkdown(lines: readonly string[], columns: number): TextLine[] {
  const rows = lines.filter(isRow).map(splitCells);
  const widths = rows
    .filter((cells) => !isRule(cells))
    .reduce<number[]>(
      (widest, cells) => cells.map((cell, index) => Math.max(widest[index] ?? 0, displayWidth(cell))),
      [],
    );
  return lines.flatMap((line): TextLine[] => {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    if (heading !== undefined) return wrapProse(heading, columns).map(({ text }) => ({ text, tone: 'accent' }));
    if (isRow(line)) return renderRow(splitCells(line), widths, columns).map((text) => ({ text }));
    const [head = ''] = /^ *(?:- )?/.exec(line) ?? [];
    const rest = line.slice(head.length);
    if (rest.includes('`'))
      return wrapProse(rest, columns).map(({ text, isCommand }) => ({ text, tone: isCommand ? 'accent' : 'text' }));
    return wrapBeside(head, rest, columns).map((text) => ({ text }));
  });
}

const isRow = (line: string) => /^\|.*\|$/.test(line);
const splitCells = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
const isRule = (cells: readonly string[]) => cells.every((cell) => /^-+$/.test(cell));

/** Returns a table row with aligned cells. If they do not fit side by side, the other cells go below the first. */
function renderRow(cells: readonly string[], widths: readonly number[], columns: number): string[] {
  if (isRule(cells)) return [];
  const line = cells
    .map((cell, index) => padEnd(cell, widths[index] ?? 0, ''))
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
