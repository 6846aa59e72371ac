import { catalogue } from '../i18n/catalogue.ts';
import { type ProseLine, wrapProse } from '../i18n/prose.ts';
import {
  breakLongNames,
  fitToWidth,
  getDisplayWidth,
  truncate,
  wrapBeside,
  wrapLines,
  wrapWithin,
} from '../platform/text.ts';
import {
  createRow,
  fitRows,
  getGlyphs,
  getRangeFrom,
  type PageRow,
  type Segment,
  type Tone,
  truncateRow,
  type Viewport,
} from './page-rows.ts';
import { markWindow } from './scroll.ts';

const words = () => catalogue().ui;

/** A line of text, in one tone or in several. It is sanitized already. */
export interface TextLine {
  readonly text: string;
  readonly tone?: Tone;
  /** The same text in several tones; `tone` is then ignored. */
  readonly spans?: readonly Segment[];
  readonly fileLine?: PageRow['fileLine'];
}

/** Converts a prose line: a command to type gets the accent tone. */
export const toTextLine = ({ text, isCommand }: ProseLine): TextLine => ({ text, tone: isCommand ? 'accent' : 'text' });

/**
 * Wraps a paragraph of help. A label at its beginning, such as `Why:`, is bold.
 * @param columns columns of the area
 */
export function wrapHelpParagraph(paragraph: string, columns: number): TextLine[] {
  const [indent = ''] = /^ */.exec(paragraph) ?? [];
  const text = paragraph.slice(indent.length);
  const label = /^[^:.`]{2,24}:(?= |$)/.exec(text)?.[0];
  return wrapProse(text, columns, indent).map((line, index): TextLine => {
    if (index > 0 || label === undefined || !line.text.startsWith(indent + label)) return toTextLine(line);
    const rest = line.text.slice(indent.length + label.length);
    return { text: line.text, spans: [{ text: indent + label, isBold: true }, { text: rest }] };
  });
}

/** Columns of the labels of facts, with the colon and a blank. */
const FACT_LABEL_COLUMNS = 13;

/**
 * Wraps a value beside its label. A fingerprint that does not fit there is not broken where it fits below the label.
 */
export function wrapFact(
  { label, value }: { readonly label: string; readonly value: string },
  columns: number,
): string[] {
  const head = fitToWidth(`${label}:`, FACT_LABEL_COLUMNS, '');
  const valueColumns = columns - FACT_LABEL_COLUMNS;
  const { length } = /^[0-9a-f]{32,}(?= |$)/.exec(value)?.[0] ?? '';
  return length > valueColumns && length <= columns
    ? wrapLines(`${head}${value}`, columns)
    : wrapBeside(head, breakLongNames(value, valueColumns), columns);
}

/** Creates the rows of a text, wrapped to at most `height` lines, with a mark if the text is cut. */
export function createParagraphRows(
  text: string,
  viewport: Viewport,
  { tone = 'text' as Tone, height = 2 } = {},
): PageRow[] {
  return wrapWithin(text, viewport.columns, height, getGlyphs(viewport).ellipsis).map((line) => createRow(line, tone));
}

/** A long text of which only a part is visible. */
export interface LongText {
  /** The known lines, oldest first. Only the visible ones become rows, so there may be many. */
  readonly lines: readonly (string | TextLine)[];
  /** Index of the first visible line; null follows the end. */
  readonly top: number | null;
  /** The key that scrolls, to be named beside the range of visible lines. */
  readonly key?: string;
  /** Changes a visible line before it is drawn. */
  readonly decorate?: (line: string | TextLine) => string | TextLine;
  /** The text shown while there are no lines. */
  readonly emptyText?: string;
}

/**
 * Creates the visible lines of a log, a file or a page, cut at the right edge. They fill all rows of the viewport. If
 * there are more lines, the frame draws a scroll bar beside them and their range above.
 */
export function createTextRows(content: LongText, viewport: Viewport): readonly PageRow[] {
  const { lines, top, key, emptyText = words().emptyLog, decorate = (line) => line } = content;
  const { columns, rows } = viewport;
  if (lines.length === 0) return fitRows([createRow(emptyText, 'muted')], rows);
  const { ellipsis } = getGlyphs(viewport);
  const { first, end } = getRangeFrom(lines.length, top, rows);
  const shownRows = lines.slice(first, end).map((rawLine): PageRow => {
    const line = decorate(rawLine);
    const { text, tone = 'text', spans, fileLine }: TextLine = typeof line === 'string' ? { text: line } : line;
    const segments = (spans ?? [{ text, tone }]).map((span) => ({ ...span, text: span.text.replaceAll('\t', '  ') }));
    return truncateRow({ segments, ...(fileLine === undefined ? {} : { fileLine }) }, columns, ellipsis);
  });
  const window = { first, end, total: lines.length, ...(key === undefined ? {} : { key }) };
  return fitRows(markWindow(shownRows, window), rows);
}

/** Returns the index of the first line of the last page of a text with this number of lines. */
export const getLastTop = (lineCount: number, visibleRows: number) => Math.max(0, lineCount - visibleRows);

type NoticeKind = 'info' | 'ok' | 'warning' | 'error';

/** The tones of notices. */
export const NOTICE_TONES: Readonly<Record<NoticeKind, Tone>> = {
  info: 'accent',
  ok: 'ok',
  warning: 'warn',
  error: 'error',
};
const NOTICE_SIGNS = { info: 'info', ok: 'ok', warning: 'warning', error: 'failed' } as const;

/** Returns the sign of a notice. */
export const getNoticeSign = (kind: NoticeKind, style: Pick<Viewport, 'hasUnicode'>) =>
  getGlyphs(style)[NOTICE_SIGNS[kind]];

/** A notice of a page. */
export interface NoticeContent {
  readonly kind: NoticeKind;
  readonly text: string;
  /** Lines it may take; 2 by default. */
  readonly height?: number;
}

/**
 * Creates the rows of a notice: as many as it needs, up to `height`.
 *
 *     ! Warning  The ignition files are valid for 2 h 10 min more.
 */
export function createNoticeRows({ kind, text, height = 2 }: NoticeContent, viewport: Viewport): PageRow[] {
  const head = `${getNoticeSign(kind, viewport)} ${words().notices[kind]}  `;
  const availableWidth = viewport.columns - getDisplayWidth(head);
  const allLines = wrapProse(text, availableWidth);
  const lines = allLines.slice(0, height);
  const lastLine = lines.at(-1);
  // A command with a missing end is no longer a command: the ellipsis shows that the text continues.
  if (allLines.length > height && lastLine !== undefined)
    lines[lines.length - 1] = {
      ...lastLine,
      text: truncate(`${lastLine.text} ${allLines[height]?.text ?? ''}`, availableWidth, getGlyphs(viewport).ellipsis),
    };
  return lines.map(({ text: line, isCommand }, index) => ({
    segments: [
      { text: index === 0 ? head : ' '.repeat(getDisplayWidth(head)), tone: NOTICE_TONES[kind] },
      { text: line, tone: isCommand ? 'accent' : 'text' },
    ],
  }));
}

/** Creates the lines of a notice, as many as it needs, for an area of fixed height. */
export function createNoticeLines({ kind, text }: NoticeContent, viewport: Viewport): TextLine[] {
  return createNoticeRows({ kind, text, height: Number.POSITIVE_INFINITY }, viewport).map((row) => ({
    text: row.segments.map((segment) => segment.text).join(''),
    spans: row.segments,
  }));
}
