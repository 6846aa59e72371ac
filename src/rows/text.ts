import { catalogue } from '../i18n/catalogue.ts';
import { type ProseLine, wrapProse } from '../i18n/prose.ts';
import { getDisplayWidth, truncate, wrapLines, wrapWithin } from '../platform/text.ts';
import {
  createRow,
  createSpinner,
  EMPTY_ROW,
  fitRows,
  getGlyphs,
  getRangeFrom,
  type PageRow,
  type Segment,
  type Tone,
  type Viewport,
} from './page-rows.ts';
import { markWindow } from './scroll.ts';

const words = () => catalogue().ui;

/** A line of text, in one tone or in several. It is sanitised already. */
export interface TextLine {
  readonly text: string;
  readonly tone?: Tone;
  /** The same text in several tones; `tone` is then ignored. */
  readonly spans?: readonly Segment[];
  readonly fileLine?: PageRow['fileLine'];
}

/** Converts a prose line: a command to type gets the accent tone. */
export const toTextLine = ({ text, isCommand }: ProseLine): TextLine => ({ text, tone: isCommand ? 'accent' : 'text' });

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
  readonly empty?: string;
}

/**
 * Creates the visible lines of a log, a file or a page, cut at the right edge. They fill all rows of the viewport. If
 * there are more lines, the frame draws a scroll bar beside them and their range above.
 */
export function createTextRows(content: LongText, viewport: Viewport): readonly PageRow[] {
  const { lines, top, key, empty = words().emptyLog, decorate = (line) => line } = content;
  const { columns, rows } = viewport;
  if (lines.length === 0) return fitRows([createRow(empty, 'muted')], rows);
  const { ellipsis } = getGlyphs(viewport);
  const { first, end } = getRangeFrom(lines.length, top, rows);
  const shownRows = lines.slice(first, end).map((rawLine): PageRow => {
    const line = decorate(rawLine);
    const { text, tone = 'text', spans, fileLine }: TextLine = typeof line === 'string' ? { text: line } : line;
    if (spans) return { segments: truncateSpans(spans, columns, ellipsis) };
    const row = createRow(truncate(text.replaceAll('\t', '  '), columns, ellipsis), tone);
    return fileLine === undefined ? row : { ...row, fileLine };
  });
  const window = { first, end, total: lines.length, ...(key === undefined ? {} : { key }) };
  return fitRows(markWindow(shownRows, window), rows);
}

function truncateSpans(spans: readonly Segment[], columns: number, mark: string): Segment[] {
  let availableWidth = columns;
  return spans.map((span) => {
    const plainText = span.text.replaceAll('\t', '  ');
    const text = truncate(plainText, availableWidth, mark);
    availableWidth = Math.max(0, availableWidth - getDisplayWidth(plainText));
    return { ...span, text };
  });
}

/** Returns the index of the first line of the last page of a text with this number of lines. */
export const getLastTop = (lines: number, visibleRows: number) => Math.max(0, lines - visibleRows);

type NoticeKind = 'info' | 'ok' | 'warning' | 'error';

const NOTICE_TONES: Readonly<Record<NoticeKind, Tone>> = { info: 'accent', ok: 'ok', warning: 'warn', error: 'error' };
const NOTICE_SIGNS = { info: 'info', ok: 'ok', warning: 'warning', error: 'failed' } as const;

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
  const signs = getGlyphs(viewport);
  const head = `${signs[NOTICE_SIGNS[kind]]} ${words().notices[kind]}  `;
  const availableWidth = viewport.columns - getDisplayWidth(head);
  const allLines = wrapProse(text, availableWidth);
  const lines = allLines.slice(0, height);
  const lastLine = lines.at(-1);
  // A command with a missing end is no longer a command: the ellipsis shows that the text continues.
  if (allLines.length > height && lastLine !== undefined)
    lines[lines.length - 1] = {
      ...lastLine,
      text: truncate(`${lastLine.text} ${allLines[height]?.text ?? ''}`, availableWidth, signs.ellipsis),
    };
  return lines.map(({ text: line, isCommand }, index) => ({
    segments: [
      { text: index === 0 ? head : ' '.repeat(getDisplayWidth(head)), tone: NOTICE_TONES[kind] },
      { text: line, tone: isCommand ? 'accent' : 'text' },
    ],
  }));
}

/** Renders a notice as lines, as many as it needs, for an area of fixed height. */
export function renderNotice({ kind, text }: NoticeContent, viewport: Viewport): TextLine[] {
  return createNoticeRows({ kind, text, height: Number.POSITIVE_INFINITY }, viewport).map((row) => ({
    text: row.segments.map((segment) => segment.text).join(''),
    spans: row.segments,
  }));
}

/** A yes-or-no question that replaces a page. */
export interface Confirmation {
  readonly question: string;
  /** The changes and losses that a yes causes. */
  readonly details?: readonly (string | TextLine)[];
  /** Index of the first visible line of the details. */
  readonly top?: number;
  /** Labels of the two keys: `approve 3 requests`, `leave them`. */
  readonly yes?: string;
  readonly no?: string;
}

/** Lays out a question: its lines, those of its details, the number of visible ones, and the top of the last page. */
function layOutConfirmation({ question, details = [] }: Confirmation, { columns, rows }: Viewport) {
  const head = wrapLines(question, columns);
  const body = details.flatMap<TextLine>((line) =>
    typeof line === 'string' ? wrapProse(line, columns).map(toTextLine) : [line],
  );
  const visibleRows = Math.max(0, rows - head.length - 4);
  return { head, body, visibleRows, lastTop: getLastTop(body.length, visibleRows) };
}

/** Returns the number of lines of the details of a question, and the first line of their last page. */
export function getConfirmationRange(confirmation: Confirmation, viewport: Viewport) {
  const { body, lastTop } = layOutConfirmation(confirmation, viewport);
  return { lines: body.length, lastTop };
}

/** Creates the rows of a notice below a question, after a gap; none without a notice. */
export const createNoticeBelow = (notice: { readonly text: string } | null, viewport: Viewport): readonly PageRow[] =>
  notice === null ? [] : [EMPTY_ROW, ...createParagraphRows(notice.text, viewport, { tone: 'warn' })];

/**
 * Creates the rows of a question, which replace the body of the screen. Only `y` and `n` answer it, not Enter.
 *
 *     Quit upi-wizard?
 *
 *     Everything is saved; start again in the same directory to go on.
 *
 *     y quit   n stay
 */
export function createConfirmationRows(confirmation: Confirmation, viewport: Viewport): PageRow[] {
  const { top = 0, yes = words().confirmKeys.yes, no = words().confirmKeys.no } = confirmation;
  const { head, body, visibleRows } = layOutConfirmation(confirmation, viewport);
  const rows = Math.min(visibleRows, body.length);
  return [
    ...head.map((line) => createRow(line, 'text', true)),
    EMPTY_ROW,
    ...(body.length > 0
      ? [...createTextRows({ lines: body, top, key: 'right' }, { ...viewport, rows }), EMPTY_ROW]
      : []),
    createRow(`y ${yes}   n ${no}`, 'focus'),
  ];
}

/** Creates the row of a running task, with a spinner before its label. */
export function createSpinnerRow(label: string, viewport: Viewport): PageRow {
  return {
    segments: [
      { ...createSpinner('quick', viewport), tone: 'accent' },
      { text: ` ${label}`, tone: 'accent' },
    ],
  };
}

/**
 * Draws the completed share of a task as a bar of `cells` cells.
 *
 *     ━━━━━━━━╸───────────      [########............]
 *
 * @param isInEdge whether the bar is in the edge of the frame, from which its empty cells must differ
 */
export function createBarSegments(
  share: number,
  cells: number,
  style: { readonly hasUnicode: boolean },
  isInEdge = false,
): Segment[] {
  const { bar } = getGlyphs(style);
  const empty = isInEdge ? bar.emptyInEdge : bar.empty;
  const innerCells = cells - bar.begin.length - bar.end.length;
  const halves = Math.floor(Math.min(1, Math.max(0, share)) * innerCells * 2);
  const fullCells = Math.floor(halves / 2);
  const isHalf = halves % 2 === 1;
  return [
    { text: `${bar.begin}${bar.full.repeat(fullCells)}${isHalf ? bar.half : ''}`, tone: 'accent' },
    { text: `${empty.repeat(innerCells - fullCells - (isHalf ? 1 : 0))}${bar.end}`, tone: 'border' },
  ];
}

/**
 * Creates the row of the completed share of a task, with its percentage or another label.
 *
 *     ━━━━━━━━╸───────────  40 %
 */
export function createProgressRow(
  { done, total, width, label }: { done: number; total: number; width: number; label?: string },
  viewport: Pick<Viewport, 'hasUnicode'>,
): PageRow {
  const share = total > 0 ? done / total : 0;
  return {
    segments: [
      ...createBarSegments(share, width, viewport),
      { text: `  ${label ?? words().percent(Math.min(1, Math.max(0, share)) * 100)}` },
    ],
  };
}

/** The status of an item. `unknown`: it could not be probed, which is neither good nor bad. */
export type Status = 'ok' | 'warning' | 'failed' | 'pending' | 'running' | 'unknown' | 'skipped';

/** Signs of the states of infra moves, on screens and in tables. */
export const MOVE_STATUS = {
  done: 'ok',
  needed: 'pending',
  moving: 'running',
  blocked: 'warning',
  absent: 'skipped',
  failed: 'failed',
} as const satisfies Readonly<Record<string, Status>>;

/** Signs of the verdicts on certificate requests, on screens and in tables: one that waits for the user stands out. */
export const REQUEST_STATUS = {
  expected: 'running',
  refused: 'failed',
  'not-ours': 'skipped',
  approved: 'ok',
  // The node of a denied or failed request sends a new one.
  denied: 'warning',
  failed: 'warning',
  superseded: 'skipped',
} as const satisfies Readonly<Record<string, Status>>;

const STATUS_TONES: Readonly<Record<Status, Tone>> = {
  ok: 'ok',
  warning: 'warn',
  failed: 'error',
  pending: 'muted',
  running: 'accent',
  unknown: 'warn',
  skipped: 'muted',
};

/**
 * Formats a status as sign and word, for a table cell. Sign, word and tone each carry the meaning
 * alone.
 *
 *     ✔ Ready      [OK] Ready
 * @param word the word beside the sign; the general one ("ok", "not yet", ...) by default
 */
export function formatStatusText(status: Status, style: { readonly hasUnicode: boolean }, word?: string): string {
  return `${getGlyphs(style)[status]} ${word ?? words().status[status]}`;
}

/** Returns the tone of a status; `unknown` deserves as much attention as a warning. */
export function getStatusTone(status: Status): Tone {
  return STATUS_TONES[status];
}

const COMMENT = /^\s*(?:#|\/\/|;|<!--)/;
/** Values that users compare: quoted text, addresses with a prefix length or a port, MACs. */
const HIGHLIGHTED_VALUE =
  /"[^"]*"|'[^']*'|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\b\d{1,3}(?:\.\d{1,3}){3}(?:[/:]\d+)?\b|\b[0-9a-f]{1,4}(?:(?::[0-9a-f]{1,4})*::[0-9a-f:]*|(?::[0-9a-f]{1,4}){7})(?:\/\d+)?/gi;
/** The first word of a statement, or the key of a YAML or JSON line. */
const FIRST_WORD = /^(\s*(?:- )?)("[^"]+"(?=\s*:)|[\w.@*/-]+)(?=[\s:;{=]|$)/;

/**
 * Splits a line of a configuration file of any language into spans: comments muted, then the leading directive or key,
 * quoted text, addresses and MACs. The joined spans equal the line.
 */
export function highlightLine(line: string): Segment[] {
  if (line === '') return [];
  if (COMMENT.test(line)) return [{ text: line, tone: 'muted' }];
  const [, indent = '', head = ''] = FIRST_WORD.exec(line) ?? [];
  const isAddress = !head.startsWith('"') && new RegExp(`^(?:${HIGHLIGHTED_VALUE.source})$`, 'i').test(head);
  const headSegments: Segment[] =
    head === '' || isAddress
      ? []
      : [
          { text: indent, tone: 'text' },
          { text: head, tone: 'accent' },
        ];
  const valueText = line.slice(headSegments.reduce((length, { text }) => length + text.length, 0));
  return [...headSegments, ...highlightValues(valueText)].filter(({ text }) => text !== '');
}

function highlightValues(text: string): Segment[] {
  const spans: Segment[] = [];
  let position = 0;
  for (const match of text.matchAll(HIGHLIGHTED_VALUE)) {
    spans.push({ text: text.slice(position, match.index), tone: 'text' });
    spans.push({ text: match[0], tone: /^["']/.test(match[0]) ? 'ok' : 'warn' });
    position = match.index + match[0].length;
  }
  return [...spans, { text: text.slice(position), tone: 'text' }];
}
