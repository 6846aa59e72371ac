import { catalogue } from '../i18n/catalogue.ts';
import { createSpinner, getGlyphs, type PageRow, type Segment, type Viewport } from './page-rows.ts';

const words = () => catalogue().ui;

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
  const halfCellCount = Math.floor(Math.min(1, Math.max(0, share)) * innerCells * 2);
  const fullCells = Math.floor(halfCellCount / 2);
  const isHalf = halfCellCount % 2 === 1;
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
