import { catalogue } from '../i18n/catalogue.ts';
import { wrapProse } from '../i18n/prose.ts';
import { wrapLines } from '../platform/text.ts';
import { createRow, EMPTY_ROW, type PageRow, type Viewport } from './page-rows.ts';
import {
  createParagraphRows,
  createTextRows,
  getLastTop,
  getNoticeSign,
  NOTICE_TONES,
  type NoticeContent,
  type TextLine,
  toTextLine,
} from './text.ts';

const words = () => catalogue().ui;

/** A yes-or-no question that replaces a page. */
export interface Confirmation {
  readonly question: string;
  /** The changes and losses that a yes causes. */
  readonly details?: readonly (string | TextLine)[];
  /** Index of the first visible line of the details. */
  readonly top?: number;
  /** Labels of the two keys: `approve 3 requests`, `leave them`. Null: the user cannot say yes now. */
  readonly yesLabel?: string | null;
  readonly noLabel?: string;
  /** Other keys that lead on, each with its label: `O allow overwriting`. */
  readonly alternativeKeys?: readonly string[];
}

/** Lays out a question: its lines, the lines of its details, how many of these fit, and the top of their last page. */
function layOutConfirmation({ question, details = [] }: Confirmation, { columns, rows }: Viewport) {
  const head = wrapLines(question, columns);
  const body = details.flatMap<TextLine>((line) =>
    typeof line === 'string' ? wrapProse(line, columns).map(toTextLine) : [line],
  );
  const visibleRows = Math.max(0, rows - head.length - 4);
  return { head, body, visibleRows, lastTop: getLastTop(body.length, visibleRows) };
}

/** Returns the lines of the details of a question, how many are visible, and the first line of their last page. */
export function getConfirmationRange(confirmation: Confirmation, viewport: Viewport) {
  const { body, visibleRows, lastTop } = layOutConfirmation(confirmation, viewport);
  return { lineCount: body.length, visibleRows, lastTop };
}

/** Creates the rows of a notice below a question, after a gap; none without a notice. */
export const createNoticeRowsBelow = (notice: NoticeContent | null, viewport: Viewport): readonly PageRow[] =>
  notice === null
    ? []
    : [
        EMPTY_ROW,
        ...createParagraphRows(`${getNoticeSign(notice.kind, viewport)} ${notice.text}`, viewport, {
          tone: NOTICE_TONES[notice.kind],
        }),
      ];

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
  const { top = 0, yesLabel = words().confirmKeys.yes, noLabel = words().confirmKeys.no } = confirmation;
  const { alternativeKeys = [] } = confirmation;
  const keys = [...(yesLabel === null ? [] : [`y ${yesLabel}`]), ...alternativeKeys, `n ${noLabel}`];
  const { head, body, visibleRows } = layOutConfirmation(confirmation, viewport);
  const rows = Math.min(visibleRows, body.length);
  return [
    ...head.map((line) => createRow(line, 'text', true)),
    EMPTY_ROW,
    ...(body.length > 0
      ? [...createTextRows({ lines: body, top, key: 'right' }, { ...viewport, rows }), EMPTY_ROW]
      : []),
    createRow(keys.join('   '), 'focus'),
  ];
}
