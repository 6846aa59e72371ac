import { fitToWidth, getDisplayWidth, wrapLines } from '../../platform/text.ts';
import type { Tone } from '../../rows/page-rows.ts';
import { formatStatusText, getStatusTone, type Status } from '../../rows/status.ts';
import { type Span, type StyledLine, truncateStyledLine } from './colours.ts';
import type { OutputStyle } from './process-io.ts';

const TOKEN_BY_TONE: Readonly<Partial<Record<Tone, NonNullable<Span['token']>>>> = {
  muted: 'muted',
  accent: 'accent',
  ok: 'ok',
  warn: 'warn',
  error: 'error',
  info: 'info',
};

/** Returns a status with the sign and the colour that it has on the screens. */
export function createStatusSpan(status: Status, word: string, style: OutputStyle | undefined): Span {
  const token = TOKEN_BY_TONE[getStatusTone(status)];
  const text = style === undefined ? word : formatStatusText(status, style, word);
  return token === undefined ? { text } : { text, token };
}

/** Returns the width of a line: that of the terminal. In a pipe or a file, nothing is truncated. */
export const getLineColumns = (output: { readonly columns: number; readonly style?: OutputStyle }): number =>
  output.style === undefined ? Number.POSITIVE_INFINITY : output.columns;

/** Minimum columns of a last column that wraps; a narrower one is truncated. */
const MIN_WRAPPED_COLUMNS = 20;
const GAP = 2;

/**
 * Formats a table. The first row has the headings, and each column is as wide as its longest cell. On a terminal the
 * last column wraps; otherwise a longer line is truncated.
 */
export function formatTableLines(
  rows: readonly (readonly Span[])[],
  columns: number,
  style: OutputStyle | undefined,
): StyledLine[] {
  const widths = (rows[0] ?? []).map((_, index) =>
    Math.max(...rows.map((row) => getDisplayWidth(row[index]?.text ?? ''))),
  );
  const lastIndex = widths.length - 1;
  const indent = widths.slice(0, lastIndex).reduce((sum, width) => sum + width + GAP, 0);
  const availableColumns = columns - indent;
  const canWrap = style !== undefined && availableColumns >= MIN_WRAPPED_COLUMNS;
  return rows.flatMap((row): StyledLine[] => {
    const cells = row.map((span, index) => ({
      ...span,
      text: index === lastIndex ? span.text : `${fitToWidth(span.text, widths[index] ?? 0, '')}${' '.repeat(GAP)}`,
    }));
    const lastCell = cells.at(-1);
    if (!canWrap || lastCell === undefined || getDisplayWidth(lastCell.text) <= availableColumns)
      return [truncateStyledLine(cells, columns)];
    const [firstLine = '', ...otherLines] = wrapLines(lastCell.text, availableColumns);
    return [
      [...cells.slice(0, -1), { ...lastCell, text: firstLine }],
      ...otherLines.map((text): StyledLine => [{ text: ' '.repeat(indent) }, { ...lastCell, text }]),
    ];
  });
}

/** Returns the cells of a row of headings. */
export const createHeadingCells = (titles: readonly string[]): Span[] =>
  titles.map((text) => ({ text, token: 'muted' }));

/** Formats `Label   text` with its label in the colour of labels. */
export function formatLabelledLine(line: string, token?: Span['token']): StyledLine {
  const [, label = '', text = line] = /^(\S+(?: \S+)* {2,})(.*)$/.exec(line) ?? [];
  return [{ text: label, token: 'muted' }, token === undefined ? { text } : { text, token }];
}

/** Formats `Label   text` as `formatLabelledLine` does, with its text wrapped in the column of the text. */
export function wrapLabelledLine(line: string, columns: number, token?: Span['token']): StyledLine[] {
  const [label, text] = formatLabelledLine(line, token);
  const head = label?.text ?? '';
  return wrapLines(text?.text ?? '', columns - getDisplayWidth(head)).map((part, index) => [
    { text: index === 0 ? head : ' '.repeat(getDisplayWidth(head)), token: 'muted' },
    { ...text, text: part },
  ]);
}

/** Returns the lines of a plan in colours: headings, and the signs of a diff. */
export function stylePlanText(text: string): StyledLine[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line): StyledLine => {
      if (/^(?:==|~~~|\+\+\+|---) /.test(line)) return [{ text: line, token: 'accent', isBold: true }];
      const token = line.startsWith('+ ') ? 'ok' : line.startsWith('- ') ? 'error' : undefined;
      return [token === undefined ? { text: line } : { text: line, token }];
    });
}
