import { getDisplayWidth, truncate } from '../platform/text.ts';

/** The size of an area of the screen, in cells. */
export interface Area {
  readonly columns: number;
  readonly rows: number;
}

/** The area of a page or of a part of it, and what the terminal can draw there. */
export interface Viewport extends Area {
  /** Columns of the whole terminal: a wide one shows help beside the page. */
  readonly terminalColumns: number;
  readonly hasUnicode: boolean;
  /** False if each frame is costly (serial lines) or read aloud: spinners do not turn. */
  readonly canAnimate: boolean;
}

/** The meaning of a colour; only the component that draws the rows decides how it looks. */
export type Tone = 'text' | 'muted' | 'accent' | 'ok' | 'warn' | 'error' | 'info' | 'border' | 'focus';

/** How often a spinner turns. */
export type SpinnerPace = 'quick' | 'calm' | 'slow';

/** A part of a row in one tone. Its text is sanitized already. */
export interface Segment {
  readonly text: string;
  readonly tone?: Tone;
  readonly isBold?: boolean;
  readonly isInverse?: boolean;
  readonly isItalic?: boolean;
  /** The segment is in the selected row: it has the background of the selection, and keeps its tone. */
  readonly isSelected?: boolean;
  /** The address that opens when the text is clicked, on terminals with links. */
  readonly link?: string;
  /** The text is a glyph of a spinner: its next glyphs replace it. */
  readonly spinner?: SpinnerPace;
}

/** The part of a longer list or text that is visible: `first` (inclusive) to `end` (exclusive). */
export interface ScrollWindow {
  readonly first: number;
  readonly end: number;
  readonly total: number;
  /** Of a table: whether its titles already show the range. */
  readonly isRangeShown?: boolean;
  /** The window counts lines, each of which may take several rows. */
  readonly hasWrappedLines?: boolean;
  /** The key that shows the next part. */
  readonly key?: string;
}

/** One row of a page, exactly one cell high. */
export interface PageRow {
  readonly segments: readonly Segment[];
  /** The row is an item of a list. Its first segment is the pointer, or as many blanks. */
  readonly item?: { readonly id: string; readonly isSelected: boolean };
  /** The column of the text cursor. */
  readonly cursor?: number;
  /** The row belongs to a window that scrolls; its rows share one object. */
  readonly window?: ScrollWindow;
  /**
   * The range of a window in the left one of two columns that begin here. It belongs above, at the end of that column.
   */
  readonly rangeAbove?: { readonly text: string; readonly columns: number };
  /** The whole line of a file that begins in this row; null: the row continues one. Plain mode prints it unwrapped. */
  readonly fileLine?: string | null;
  /** The row in which a filter or a search is typed: the frame shows it in its upper edge, on every page. */
  readonly prompt?: PageRow;
}

/** An empty row. */
export const EMPTY_ROW: PageRow = { segments: [] };

/** Creates a row in one tone. */
export function createRow(text: string, tone: Tone = 'text', isBold = false): PageRow {
  return { segments: [{ text, tone, ...(isBold ? { isBold } : {}) }] };
}

/** Returns the text of a row, without trailing blanks. */
export function getRowText({ segments }: PageRow): string {
  return segments
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** Returns the text of an item of a list, without its pointer. */
export function getItemText({ segments }: PageRow): string {
  return getRowText({ segments: segments.slice(1) }).trim();
}

/** Returns the cells that a row takes. */
export function measureRow({ segments }: PageRow): number {
  return segments.reduce((sum, { text }) => sum + getDisplayWidth(text), 0);
}

/** Returns exactly `count` rows: the first ones, or all of them and empty ones. */
export function fitRows(rows: readonly PageRow[], count: number): readonly PageRow[] {
  if (rows.length >= count) return rows.slice(0, Math.max(0, count));
  return [...rows, ...Array.from({ length: count - rows.length }, () => EMPTY_ROW)];
}

/** Truncates a row to `columns` cells, with `mark` at its end if something is lost. */
export function truncateRow(row: PageRow, columns: number, mark: string): PageRow {
  if (measureRow(row) <= columns) return row;
  const segments: Segment[] = [];
  const markWidth = getDisplayWidth(mark);
  let availableWidth = columns;
  for (const segment of row.segments) {
    const width = getDisplayWidth(segment.text);
    // The mark of the end needs its cells, even if the next segment is the first that does not fit.
    if (width <= availableWidth - markWidth) segments.push(segment);
    else {
      segments.push({
        ...segment,
        text: truncate(`${segment.text}${' '.repeat(markWidth + 1)}`, availableWidth, mark),
      });
      break;
    }
    availableWidth -= width;
  }
  return { ...row, segments };
}

/** Gives a selected item of a list its background over `columns` cells; returns any other row unchanged. */
export function highlightRow(row: PageRow, columns: number): PageRow {
  if (!row.item?.isSelected || row.segments.some(({ isSelected }) => isSelected)) return row;
  const gap = columns - measureRow(row);
  const segments = [...row.segments, ...(gap > 0 ? [{ text: ' '.repeat(gap) }] : [])];
  return { ...row, segments: segments.map((segment) => ({ ...segment, isSelected: true })) };
}

/** Puts a row beside another one, which gets exactly `leftColumns` cells. */
export function joinRows(left: PageRow, leftColumns: number, right: PageRow): PageRow {
  const gap = leftColumns - measureRow(left);
  const cursor = left.cursor ?? (right.cursor === undefined ? undefined : right.cursor + leftColumns);
  const prompt = left.prompt ?? right.prompt;
  return {
    segments: [...left.segments, ...(gap > 0 ? [{ text: ' '.repeat(gap) }] : []), ...right.segments],
    ...(cursor === undefined ? {} : { cursor }),
    ...(right.window === undefined ? {} : { window: right.window }),
    ...(prompt === undefined ? {} : { prompt }),
  };
}

/** The drawn part of a list: indices `first` (inclusive) to `end` (exclusive). */
interface VisibleRange {
  readonly first: number;
  readonly end: number;
}

/** Selects `size` items of `total` around the selected one, as near to the middle as the ends allow. */
export function getRangeAround(total: number, selectedIndex: number, size: number): VisibleRange {
  const count = Math.max(0, Math.min(size, total));
  const first = Math.min(Math.max(0, selectedIndex - Math.floor(count / 2)), total - count);
  return { first, end: first + count };
}

/** Selects `size` items of `total` from `top` on; null is the end of the list, for a log that is followed. */
export function getRangeFrom(total: number, top: number | null, size: number): VisibleRange {
  const count = Math.max(0, Math.min(size, total));
  const maxFirst = total - count;
  const first = top === null ? maxFirst : Math.min(Math.max(0, top), maxFirst);
  return { first, end: first + count };
}

/** The lines of a frame. The names of tees and corners say where they are. */
interface Box {
  readonly horizontal: string;
  readonly vertical: string;
  readonly topLeft: string;
  readonly topRight: string;
  readonly bottomLeft: string;
  readonly bottomRight: string;
  readonly topJunction: string;
  readonly bottomJunction: string;
  readonly leftJunction: string;
  readonly rightJunction: string;
}

interface Glyphs {
  readonly ok: string;
  readonly warning: string;
  readonly failed: string;
  readonly pending: string;
  readonly running: string;
  readonly unknown: string;
  readonly skipped: string;
  readonly info: string;
  /** The row or field that has the focus. */
  readonly pointer: string;
  readonly ellipsis: string;
  readonly mask: string;
  readonly box: Box;
  readonly scrollBar: string;
  /** The keys Up and Down as one; empty: only their names can be drawn. */
  readonly upAndDown: string;
  /** The parts of a progress bar: before it, its full cells, the half one, its empty ones, and after it. */
  readonly bar: {
    readonly begin: string;
    readonly full: string;
    readonly half: string;
    readonly empty: string;
    /** The empty cell of a bar in the edge of the frame: the edge itself looks like `empty`. */
    readonly emptyInEdge: string;
    readonly end: string;
  };
  readonly spinner: readonly string[];
}

// Terminals that draw characters of ambiguous width, such as the ellipsis, in two cells get the ASCII glyphs.
const UNICODE_GLYPHS: Glyphs = {
  ok: '✔',
  warning: '!',
  failed: '✖',
  pending: '◦',
  running: '▸',
  unknown: '?',
  skipped: '-',
  info: '\u2022',
  pointer: '▸',
  ellipsis: '…',
  mask: '*',
  box: {
    horizontal: '─',
    vertical: '│',
    topLeft: '┌',
    topRight: '┐',
    bottomLeft: '└',
    bottomRight: '┘',
    topJunction: '┬',
    bottomJunction: '┴',
    leftJunction: '├',
    rightJunction: '┤',
  },
  scrollBar: '▐',
  upAndDown: '↑↓',
  bar: { begin: '', full: '━', half: '╸', empty: '─', emptyInEdge: '·', end: '' },
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

const ASCII_GLYPHS: Glyphs = {
  ok: '[OK]',
  warning: '[!]',
  failed: '[X]',
  pending: '[ ]',
  running: '[>]',
  unknown: '[?]',
  skipped: '[-]',
  info: '[*]',
  pointer: '>',
  ellipsis: '...',
  mask: '*',
  box: {
    horizontal: '-',
    vertical: '|',
    topLeft: '+',
    topRight: '+',
    bottomLeft: '+',
    bottomRight: '+',
    topJunction: '+',
    bottomJunction: '+',
    leftJunction: '+',
    rightJunction: '+',
  },
  scrollBar: '#',
  upAndDown: '',
  bar: { begin: '[', full: '#', half: '.', empty: '.', emptyInEdge: '.', end: ']' },
  spinner: ['|', '/', '-', '\\'],
};

/** Returns the glyphs that this terminal can draw. */
export function getGlyphs({ hasUnicode }: { readonly hasUnicode: boolean }): Glyphs {
  return hasUnicode ? UNICODE_GLYPHS : ASCII_GLYPHS;
}

/** Creates the glyph of a spinner, or the fixed sign of a running task where frames are costly. */
export function createSpinner(pace: SpinnerPace, viewport: Pick<Viewport, 'hasUnicode' | 'canAnimate'>): Segment {
  const { running, spinner } = getGlyphs(viewport);
  return viewport.canAnimate ? { text: spinner[0] ?? running, spinner: pace } : { text: running };
}
