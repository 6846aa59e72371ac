import { catalogue } from '../i18n/catalogue.ts';
import { displayWidth, padEnd, truncate, wrapLines } from '../platform/text.ts';
import { type Binding, footerText } from './bindings.ts';
import {
  type Area,
  createRow,
  fitRows,
  GAP,
  getGlyphs,
  getRangeAround,
  highlightRow,
  joinRows,
  type PageRow,
  type Segment,
  type Tone,
  truncateRow,
  type Viewport,
} from './page-rows.ts';
import { formatBar } from './text.ts';

const words = () => catalogue().ui;

/** A smaller terminal only gets a request to enlarge the window. */
const MIN_AREA: Area = { columns: 60, rows: 15 };

/** Whether a terminal of this size is large enough for the frame. */
export function isLargeEnough({ columns, rows }: Area): boolean {
  return columns >= MIN_AREA.columns && rows >= MIN_AREA.rows;
}

/** The size of the terminal and what it can draw. */
export type TerminalSize = Omit<Viewport, 'terminalColumns'>;

/** A step in the sidebar. `problem`: it needs attention. */
export interface SidebarItem {
  readonly label: string;
  readonly state: 'done' | 'current' | 'open' | 'problem';
  /** The cursor is on this item while the keys move in the sidebar. */
  readonly isSelected?: boolean;
}

export interface Frame {
  /** Cluster name with its domain; empty if not known yet. */
  readonly cluster: string;
  /** `4.18`; empty if not known yet. */
  readonly version: string;
  /** The mark of a rehearsal and its speed; empty in a real installation. */
  readonly rehearsal?: string;
  /** The current place: `Design > Networks`. */
  readonly place: string;
  /** The number of the step: `3/17`. */
  readonly position: string;
  /** Progress of the installation; null if not known. `label`: the elapsed time and the usual remaining time. */
  readonly progress?: { readonly share: number | null; readonly label: string } | null;
  /** The steps at the left; without any, the body gets their columns. */
  readonly sidebar?: readonly SidebarItem[];
  /** The keys that work now, most important first. */
  readonly bindings: readonly Binding<unknown>[];
  /** The right end of the footer, such as `saved 10:41`. */
  readonly footerNote?: string;
  /** The rows of the page. */
  readonly body: (viewport: Viewport) => readonly PageRow[];
}

/**
 * The frame around every screen. It is exactly as large as the terminal, and nothing in it wraps or overlaps.
 *
 *      upi-wizard   ocp45.example.localdomain   OpenShift 4.18        Design > Networks   3/17
 *     ------------------------------------------------------------------------------------------
 *      ✔ Cluster    | (the screen)
 *      ▸ Networks   |
 *     ------------------------------------------------------------------------------------------
 *      Enter next   Tab field   Esc back   Ctrl-G help                             saved 10:41
 */
export function frameRows(frame: Frame, terminal: TerminalSize): readonly PageRow[] {
  const { columns } = terminal;
  if (!isLargeEnough(terminal)) return tooSmallRows(terminal);
  const { sidebar = [], progress = null, footerNote = '' } = frame;
  const viewport = getPageViewport(terminal, sidebar);
  const { ellipsis } = getGlyphs(terminal);
  const rule = createRow('-'.repeat(columns), 'border');
  const left = sidebarRows(sidebar, viewport.rows, terminal);
  const body = fitRows(frame.body(viewport), viewport.rows).map((row, index) =>
    joinRows(
      left.rows[index] ?? GAP,
      left.columns + 1,
      highlightRow(truncateRow(row, viewport.columns, ellipsis), viewport.columns),
    ),
  );
  return [
    createTitleRow(frame, terminal),
    progress === null ? rule : createProgressRule(progress, terminal),
    ...body,
    rule,
    createFooterRow(frame.bindings, footerNote, terminal),
  ];
}

/** Returns the part of the terminal that the frame leaves for the page; that of the smallest one if it is too small. */
export function getPageViewport(terminal: TerminalSize, sidebar: readonly SidebarItem[]): Viewport {
  const columns = Math.max(terminal.columns, MIN_AREA.columns);
  const rows = Math.max(terminal.rows, MIN_AREA.rows);
  const left = sidebar.length > 0 ? measureSidebar(sidebar, columns) + 1 : 0;
  return { ...terminal, columns: columns - left - 2, rows: rows - 4, terminalColumns: columns };
}

/** Returns a mark with a space on each side and the longest label, but at most a quarter of the terminal. */
function measureSidebar(sidebar: readonly SidebarItem[], columns: number): number {
  return Math.min(Math.max(...sidebar.map(({ label }) => displayWidth(label))) + 4, Math.floor(columns / 4));
}

function createTitleRow({ cluster, version, place, position, rehearsal = '' }: Frame, terminal: TerminalSize): PageRow {
  const { ellipsis: mark } = getGlyphs(terminal);
  const gap = ' '.repeat(terminal.columns < 100 ? 2 : 3);
  const marker = rehearsal === '' ? '' : `${gap}${rehearsal}`;
  const fixedWidth = displayWidth(words().product) + displayWidth(marker) + 4;
  const right = truncate(joinNonEmpty(gap, place, position), terminal.columns - fixedWidth, mark);
  const available = terminal.columns - fixedWidth - displayWidth(right);
  // The cluster name is cut first, down to a minimum that still identifies it; then the version is dropped.
  const versionLimit = available - 2 * gap.length - Math.min(MIN_NAME_WIDTH, displayWidth(cluster));
  const versions = version === '' ? [] : [words().openShift(version), version];
  const release = versions.find((text) => displayWidth(text) <= versionLimit) ?? '';
  const name = truncate(
    cluster,
    available - gap.length - (release === '' ? 0 : displayWidth(release) + gap.length),
    mark,
  );
  const left = joinNonEmpty(gap, '', name, release);
  return {
    segments: [
      { text: ' ' },
      { text: words().product, tone: 'accent', isBold: true },
      { text: marker, tone: 'warn', isBold: true },
      { text: `${padEnd(left === '' ? '' : gap + left, available, mark)}  ` },
      { text: right, isBold: true },
    ],
  };
}

const MIN_NAME_WIDTH = 12;

function joinNonEmpty(gap: string, ...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(gap);
}

const PROGRESS_CELLS = 20;
const MIN_PROGRESS_CELLS = 6;

/** The line under the title, with the progress of the installation at its right end. */
function createProgressRule(progress: NonNullable<Frame['progress']>, terminal: TerminalSize): PageRow {
  const { columns } = terminal;
  const label = truncate(progress.label, columns - 6, getGlyphs(terminal).ellipsis);
  const cells = Math.min(PROGRESS_CELLS, columns - 9 - displayWidth(label));
  const bar =
    progress.share === null || cells < MIN_PROGRESS_CELLS ? '' : `${formatBar(progress.share, cells, terminal)} `;
  const text = ` ${bar}${label} `;
  return {
    segments: [
      { text: '-'.repeat(columns - displayWidth(text) - 2), tone: 'border' },
      { text, tone: 'accent' },
      { text: '--', tone: 'border' },
    ],
  };
}

const SIDEBAR_TONES: Readonly<Record<SidebarItem['state'], Tone>> = {
  done: 'ok',
  current: 'focus',
  open: 'dim',
  problem: 'warn',
};

/** Lays out the sidebar with the line beside it; without items, it takes no columns. */
function sidebarRows(items: readonly SidebarItem[], rows: number, terminal: TerminalSize) {
  if (items.length === 0) return { rows: [], columns: 0 };
  const signs = getGlyphs(terminal);
  const width = measureSidebar(items, terminal.columns);
  const marks = { done: signs.done, current: signs.pointer, open: ' ', problem: signs.problem };
  const selected = items.findIndex(({ isSelected }) => isSelected);
  const current = Math.max(0, selected < 0 ? items.findIndex(({ state }) => state === 'current') : selected);
  const { first, end } = getRangeAround(items.length, current, rows);
  const border: Segment = { text: '|', tone: 'border' };
  const shown = items
    .slice(first, end)
    .map(({ label, state, isSelected = false }) =>
      createRow(
        `${isSelected ? '>' : ' '}${marks[state]} ${truncate(label, width - 4, signs.ellipsis)}`,
        isSelected ? 'focus' : SIDEBAR_TONES[state],
      ),
    );
  return {
    rows: fitRows(shown, rows).map((row) => joinRows(row, width, { segments: [border] })),
    columns: width + 1,
  };
}

function createFooterRow(bindings: readonly Binding<unknown>[], note: string, terminal: TerminalSize): PageRow {
  const available = terminal.columns - 2 - (note === '' ? 0 : displayWidth(note) + 1);
  const { ellipsis: mark } = getGlyphs(terminal);
  return {
    segments: [
      { text: ` ${padEnd(footerText(bindings, available, mark), available, mark)}` },
      ...(note === '' ? [] : [{ text: ` ${note}`, tone: 'dim' as const }]),
    ],
  };
}

function tooSmallRows({ columns, rows }: TerminalSize): readonly PageRow[] {
  const sentences = words().tooSmall(columns, rows, MIN_AREA.columns, MIN_AREA.rows);
  return sentences
    .flatMap((sentence) => wrapLines(sentence, columns))
    .slice(0, rows)
    .map((line) => createRow(line));
}
