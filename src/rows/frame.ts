import { catalogue } from '../i18n/catalogue.ts';
import { fitToWidth, getDisplayWidth, truncate, wrapLines } from '../platform/text.ts';
import { type Binding, FOOTER_GAP, listFooterEntries } from './bindings.ts';
import { linkUrls } from './links.ts';
import {
  type Area,
  createRow,
  fitRows,
  getGlyphs,
  getRangeAround,
  highlightRow,
  joinRows,
  measureRow,
  type PageRow,
  type Segment,
  type Tone,
  truncateRow,
  type Viewport,
} from './page-rows.ts';
import { createBarSegments } from './progress.ts';
import { drawEdges, writeRanges } from './scroll.ts';

const words = () => catalogue().ui;

/** Minimum size of a terminal for the frame. A smaller one only shows a request to enlarge the window. */
const MIN_AREA: Area = { columns: 60, rows: 15 };

/** Whether a terminal of this size is large enough for the frame. */
export function isLargeEnough({ columns, rows }: Area): boolean {
  return columns >= MIN_AREA.columns && rows >= MIN_AREA.rows;
}

/** The size of the terminal and what it can draw. */
export type TerminalSize = Omit<Viewport, 'terminalColumns'>;

/** A step in the sidebar. `problem`: it needs attention. `skipped`: a later step was opened before it was done. */
export interface SidebarItem {
  readonly label: string;
  readonly state: 'done' | 'current' | 'open' | 'problem' | 'skipped';
  /** The heading of the steps that it belongs to. */
  readonly group?: string;
  /** The cursor is on this item while the keys move in the sidebar. */
  readonly isSelected?: boolean;
}

/** A group of steps: its heading in the sidebar, and the state of its steps together. */
export interface StepGroup {
  readonly label: string;
  readonly state: SidebarItem['state'];
}

/** The content of the frame around a page. */
export interface Frame {
  /** Cluster name with its domain; empty if not known yet. */
  readonly cluster: string;
  /** `4.18`; empty if not known yet. */
  readonly version: string;
  /** The mark of a rehearsal and its speed; empty in a real installation. */
  readonly rehearsal?: string;
  /** The breadcrumb of the page: `Design > Networks`. */
  readonly breadcrumb: string;
  /** The number of the step: `3/17`. */
  readonly position: string;
  /** Progress of the installation; null if not known. `label`: the elapsed time and the usual remaining time. */
  readonly progress?: { readonly share: number | null; readonly label: string } | null;
  /** The groups of steps, in the upper edge of a terminal without a sidebar. */
  readonly groups?: readonly StepGroup[];
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
 * Creates the frame around a page. It is exactly as large as the terminal, and nothing in it wraps or overlaps.
 *
 *      upi-wizard   ocp45.example.localdomain   OpenShift 4.18        Design > Networks   3/17
 *     ┌ Design ────┬──────────────────────────────────────────────────────────────────────────┐
 *     │ ✔ Cluster  │ (the screen)                                                             │
 *     │ ▸ Networks │                                                                          │
 *     └────────────┴──────────────────────────────────────────────────────────────────────────┘
 *      Enter next   Tab field   Esc back   Ctrl-G help                             saved 10:41
 */
export function createFrameRows(frame: Frame, terminal: TerminalSize): readonly PageRow[] {
  if (!isLargeEnough(terminal)) return createTooSmallRows(terminal);
  const { sidebar = [], progress = null, footerNote = '' } = frame;
  const groups = sidebar.length === 0 ? (frame.groups ?? []) : [];
  const viewport = getPageViewport(terminal, sidebar);
  const { ellipsis, box } = getGlyphs(terminal);
  const sidebarLayout = layOutSidebar(sidebar, viewport.rows, terminal);
  const leftEdge: PageRow = { segments: [{ text: box.vertical, tone: 'border' }] };
  const pageRows = fitRows(frame.body(viewport), viewport.rows);
  const { rows: shownRows, remainingLabels } = writeRanges(
    linkUrls(pageRows, viewport.columns, ellipsis),
    viewport.columns,
  );
  const edges = drawEdges(shownRows, terminal);
  const body = shownRows.map((row, index) => {
    const shownRow = highlightRow(truncateRow(row, viewport.columns, ellipsis), viewport.columns);
    const paddedRow = joinRows({ segments: [{ text: ' ' }] }, 1, shownRow);
    return joinRows(
      sidebarLayout.rows[index] ?? leftEdge,
      sidebarLayout.columns,
      joinRows(paddedRow, terminal.columns - sidebarLayout.columns - 1, { segments: edges.slice(index, index + 1) }),
    );
  });
  return [
    createTitleRow(frame, terminal),
    createTopRow(sidebarLayout, { groups, prompt: pageRows.find(({ prompt }) => prompt)?.prompt, progress }, terminal),
    ...body,
    createBottomRow(sidebarLayout, remainingLabels.at(-1) ?? '', terminal),
    createFooterRow(frame.bindings, footerNote, terminal),
  ];
}

/** Returns the area that the frame leaves for the page. A terminal that is too small counts as one of minimum size. */
export function getPageViewport(terminal: TerminalSize, sidebar: readonly SidebarItem[]): Viewport {
  const columns = Math.max(terminal.columns, MIN_AREA.columns);
  const rows = Math.max(terminal.rows, MIN_AREA.rows);
  const leftColumns = sidebar.length > 0 ? measureSidebar(sidebar, { ...terminal, columns }) + 2 : 1;
  const padding = columns < MIN_PADDED_COLUMNS ? 1 : 2;
  return { ...terminal, columns: columns - leftColumns - padding - 1, rows: rows - 4, terminalColumns: columns };
}

/** From this width on, a blank also stands before the right edge: on a narrow terminal each column counts. */
const MIN_PADDED_COLUMNS = 120;

/** Returns the columns of a mark with a space on each side and the longest label, at most a quarter of the terminal. */
function measureSidebar(sidebar: readonly SidebarItem[], terminal: TerminalSize): number {
  const labelWidth = Math.max(...sidebar.map(({ label }) => getDisplayWidth(label)));
  return Math.min(labelWidth + measureMarks(terminal) + 3, Math.floor(terminal.columns / 4));
}

const measureMarks = (terminal: TerminalSize) => Math.max(...Object.values(listMarks(terminal)).map(getDisplayWidth));

/** Returns the marks of the step states: the glyphs that pages use. */
function listMarks(terminal: TerminalSize): Readonly<Record<SidebarItem['state'], string>> {
  const { ok, running, warning, skipped } = getGlyphs(terminal);
  return { done: ok, current: running, open: '', problem: warning, skipped };
}

function createTitleRow(
  { cluster, version, breadcrumb, position, rehearsal = '' }: Frame,
  terminal: TerminalSize,
): PageRow {
  const { ellipsis } = getGlyphs(terminal);
  const gap = ' '.repeat(terminal.columns < 100 ? 2 : 3);
  const rehearsalMark = rehearsal === '' ? '' : `${gap}${rehearsal}`;
  const fixedWidth = getDisplayWidth(words().product) + getDisplayWidth(rehearsalMark) + 4;
  const rightText = truncate(joinNonEmpty(gap, breadcrumb, position), terminal.columns - fixedWidth, ellipsis);
  const availableWidth = terminal.columns - fixedWidth - getDisplayWidth(rightText);
  // The version is shortened first, then dropped; the cluster name is cut last.
  const versionLimit = availableWidth - 2 * gap.length - getDisplayWidth(cluster);
  const versions = version === '' ? [] : [words().release(version), version];
  const release = versions.find((text) => getDisplayWidth(text) <= versionLimit) ?? '';
  const name = truncate(
    cluster,
    availableWidth - gap.length - (release === '' ? 0 : getDisplayWidth(release) + gap.length),
    ellipsis,
  );
  const leftText = joinNonEmpty(gap, '', name, release);
  return {
    segments: [
      { text: ' ' },
      { text: words().product, tone: 'accent', isBold: true },
      { text: rehearsalMark, tone: 'warn', isBold: true },
      { text: `${fitToWidth(leftText === '' ? '' : gap + leftText, availableWidth, ellipsis)}  ` },
      { text: rightText, isBold: true },
    ],
  };
}

function joinNonEmpty(gap: string, ...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(gap);
}

const PROGRESS_CELLS = 20;
const MIN_PROGRESS_CELLS = 6;

/**
 * Creates the upper edge, with the heading of the first steps, and the progress of the installation at the right end. A
 * filter or search text replaces the progress while it is typed. Without a sidebar, the groups of steps are at the
 * left: only the present one beside the progress, whose text becomes longer and shorter, or in a narrow terminal.
 *
 *     ┌ ✔ Design ─ ✔ Build ─ • Install ─ ◦ Finish ──────────────────┐
 */
function createTopRow(
  sidebarLayout: SidebarLayout,
  {
    groups,
    prompt,
    progress,
  }: { groups: readonly StepGroup[]; prompt: PageRow | undefined; progress: Frame['progress'] },
  terminal: TerminalSize,
): PageRow {
  const { columns } = terminal;
  const { box, ellipsis } = getGlyphs(terminal);
  const head: Segment[] = [
    { text: box.topLeft, tone: 'border' },
    ...(sidebarLayout.top.length === 0
      ? []
      : [...sidebarLayout.top, { text: box.topJunction, tone: 'border' as const }]),
  ];
  const availableWidth = columns - measureRow({ segments: head }) - 1;
  const drawLine = (length: number): Segment => ({ text: box.horizontal.repeat(length), tone: 'border' });
  const corner: Segment = { text: box.topRight, tone: 'border' };
  if (prompt !== undefined) {
    const typedRow = truncateRow(joinRows({ segments: [{ text: ' ' }] }, 1, prompt), availableWidth - 1, ellipsis);
    const line = [{ text: ' ' }, drawLine(availableWidth - measureRow(typedRow) - 1), corner];
    return joinRows({ segments: head }, measureRow({ segments: head }), {
      ...typedRow,
      segments: [...typedRow.segments, ...line],
    });
  }
  const labelWidth = progress ? getDisplayWidth(progress.label) + 4 : 0;
  const shownGroups = [...(progress ? [] : [groups]), groups.filter(({ state }) => state === 'current'), []]
    .map((candidates) => createGroupSegments(candidates, terminal))
    .find((segments) => measureRow({ segments }) + labelWidth <= availableWidth);
  head.push(...(shownGroups ?? []));
  const lineWidth = availableWidth - measureRow({ segments: shownGroups ?? [] });
  if (!progress) return { segments: [...head, drawLine(lineWidth), corner] };
  const label = truncate(progress.label, lineWidth - 4, ellipsis);
  const cells = Math.min(PROGRESS_CELLS, lineWidth - 6 - getDisplayWidth(label));
  const bar =
    progress.share === null || cells < MIN_PROGRESS_CELLS
      ? []
      : createBarSegments(progress.share, cells, terminal, true);
  const progressSegments = [{ text: ' ' }, ...bar, { text: `${bar.length > 0 ? '  ' : ''}${label} ` }];
  return {
    segments: [
      ...head,
      drawLine(lineWidth - measureRow({ segments: progressSegments }) - 1),
      ...progressSegments,
      drawLine(1),
      corner,
    ],
  };
}

/** Creates the part of the upper edge with these groups, each with the mark and the colours of its state. */
function createGroupSegments(groups: readonly StepGroup[], terminal: TerminalSize): Segment[] {
  const { box, info, pending } = getGlyphs(terminal);
  // The mark of the present step looks like the pointer of a list, which is on the same screen.
  const marks = { ...listMarks(terminal), current: info, open: pending };
  return groups.flatMap(({ label, state }, index): Segment[] => {
    const tones = SIDEBAR_TONES[state];
    return [
      ...(index === 0 ? [] : [{ text: box.horizontal, tone: 'border' as const }]),
      { text: ` ${marks[state]}`, tone: tones.mark },
      { text: ` ${label} `, tone: tones.label },
    ];
  });
}

/** Creates the lower edge. It shows the range of a text that could not be written in the row above that text. */
function createBottomRow({ columns: leftColumns }: SidebarLayout, range: string, terminal: TerminalSize): PageRow {
  const { box } = getGlyphs(terminal);
  const leftEdge = leftColumns === 1 ? '' : box.horizontal.repeat(leftColumns - 2) + box.bottomJunction;
  const label = range === '' ? '' : ` ${range} `;
  const line = box.bottomLeft + leftEdge;
  const gap = terminal.columns - line.length - getDisplayWidth(label) - (label === '' ? 1 : 2);
  return {
    segments: [
      { text: line + box.horizontal.repeat(gap), tone: 'border' },
      { text: label, tone: 'muted' },
      { text: `${label === '' ? '' : box.horizontal}${box.bottomRight}`, tone: 'border' },
    ],
  };
}

/** Only the mark of a finished step is coloured, so that steps that need the user stand out. */
const SIDEBAR_TONES: Readonly<Record<SidebarItem['state'], { readonly mark: Tone; readonly label: Tone }>> = {
  done: { mark: 'ok', label: 'muted' },
  current: { mark: 'focus', label: 'focus' },
  open: { mark: 'muted', label: 'muted' },
  problem: { mark: 'warn', label: 'warn' },
  skipped: { mark: 'warn', label: 'warn' },
};

interface SidebarLayout {
  /** The rows with the edges at both sides. */
  readonly rows: readonly PageRow[];
  /** The part of the upper edge over the sidebar; empty without steps. */
  readonly top: readonly Segment[];
  /** The columns with the edges; without steps, only the left edge. */
  readonly columns: number;
}

/**
 * Lays out the sidebar. The heading of each group is in the edge above it; with too few rows, only the first is shown.
 */
function layOutSidebar(items: readonly SidebarItem[], rows: number, terminal: TerminalSize): SidebarLayout {
  if (items.length === 0) return { rows: [], top: [], columns: 1 };
  const { box, ellipsis, info, pointer } = getGlyphs(terminal);
  const width = measureSidebar(items, terminal);
  const markWidth = measureMarks(terminal);
  const hasSelection = items.some(({ isSelected }) => isSelected);
  // The pointer of the selection looks like the mark of the current step: that mark differs while both are visible.
  const marks = hasSelection ? { ...listMarks(terminal), current: info } : listMarks(terminal);
  const createHeading = (group: string): Segment[] => {
    const heading = group === '' ? '' : ` ${truncate(group, width - 3, ellipsis)} `;
    return [
      { text: heading, tone: 'muted' },
      { text: box.horizontal.repeat(width - getDisplayWidth(heading)), tone: 'border' },
    ];
  };
  const edge: Segment = { text: box.vertical, tone: 'border' };
  const createItemRow = ({ label, state, isSelected = false }: SidebarItem) => {
    const mark = fitToWidth(isSelected && state === 'current' ? '' : marks[state], markWidth, '');
    const tones = isSelected ? SIDEBAR_TONES.current : SIDEBAR_TONES[state];
    const row: PageRow = {
      segments: [
        { text: `${isSelected ? pointer : ' '}${mark}`, tone: tones.mark },
        { text: ` ${truncate(label, width - markWidth - 3, ellipsis)}`, tone: tones.label },
      ],
      item: { id: label, isSelected },
    };
    const { segments } = joinRows(highlightRow(row, width), width, { segments: [edge] });
    return { segments: [edge, ...segments] };
  };
  const headingCount = items.filter(({ group }, index) => index > 0 && group !== items[index - 1]?.group).length;
  const hasHeadings = items.length + headingCount <= rows;
  const selectedIndex = items.findIndex(({ isSelected }) => isSelected);
  const currentIndex = Math.max(
    0,
    selectedIndex < 0 ? items.findIndex(({ state }) => state === 'current') : selectedIndex,
  );
  const { first, end } = getRangeAround(items.length, currentIndex, rows);
  const itemRows = items.slice(first, end).flatMap((item, index) => {
    const isGroupStart = hasHeadings && index > 0 && item.group !== items[index - 1]?.group;
    const heading: PageRow = {
      segments: [
        { text: box.leftJunction, tone: 'border' },
        ...createHeading(item.group ?? ''),
        { text: box.rightJunction, tone: 'border' },
      ],
    };
    return [...(isGroupStart ? [heading] : []), createItemRow(item)];
  });
  const blankRow: PageRow = { segments: [edge, { text: ' '.repeat(width) }, edge] };
  return {
    rows: [...itemRows, ...Array.from({ length: Math.max(0, rows - itemRows.length) }, () => blankRow)],
    top: createHeading(hasHeadings ? (items[0]?.group ?? '') : ''),
    columns: width + 2,
  };
}

function createFooterRow(bindings: readonly Binding<unknown>[], note: string, terminal: TerminalSize): PageRow {
  const availableWidth = terminal.columns - 2 - (note === '' ? 0 : getDisplayWidth(note) + 1);
  const { ellipsis, upAndDown } = getGlyphs(terminal);
  const entries = listFooterEntries(bindings, availableWidth, ellipsis, upAndDown);
  const keySegments = entries.flatMap(({ key, label }, index): Segment[] => [
    { text: index === 0 ? ' ' : FOOTER_GAP },
    ...(key === null ? [] : [{ text: key, tone: 'accent' as const }]),
    { text: key === null ? label : ` ${label}`, tone: 'muted' },
  ]);
  const noteSegments: Segment[] = note === '' ? [] : [{ text: ` ${note}`, tone: 'muted' }];
  const width = availableWidth + 1;
  return joinRows(truncateRow({ segments: keySegments }, width, ellipsis), width, { segments: noteSegments });
}

function createTooSmallRows({ columns, rows }: TerminalSize): readonly PageRow[] {
  const sentences = words().tooSmall(columns, rows, MIN_AREA.columns, MIN_AREA.rows);
  // The first cell stays blank, like that of the title row: the query that measures symbols overwrites it.
  return sentences
    .flatMap((sentence) => wrapLines(sentence, columns - 1))
    .slice(0, rows)
    .map((line) => createRow(` ${line}`));
}
