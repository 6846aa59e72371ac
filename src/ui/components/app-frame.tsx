import { Box } from 'ink';
import type { ReactNode } from 'react';
import { catalogue } from '../../i18n/catalogue.ts';
import { displayWidth, padEnd, truncate, wrapLines } from '../../platform/text.ts';
import { type Binding, footerText } from '../keys.tsx';
import { getRangeAround } from '../table-layout.ts';
import { type Area, AreaProvider, getGlyphs, type Tone, useTerminalStyle } from '../terminal-style.tsx';
import { formatBar } from './notices.tsx';
import { Label, Row } from './select.tsx';

const words = () => catalogue().ui;

/** A smaller terminal only gets a request to enlarge the window. */
const MIN_AREA: Area = { columns: 60, rows: 15 };

/** Whether a terminal of this size is large enough for the frame. */
export function isLargeEnough({ columns, rows }: Area): boolean {
  return columns >= MIN_AREA.columns && rows >= MIN_AREA.rows;
}

/** A step in the sidebar. `problem`: it needs attention. */
export interface SidebarItem {
  readonly label: string;
  readonly state: 'done' | 'current' | 'open' | 'problem';
  /** The cursor is on this item while the keys move in the sidebar. */
  readonly isSelected?: boolean;
}

export interface AppFrameProps {
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
  readonly children: ReactNode;
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
export function AppFrame(props: AppFrameProps) {
  const style = useTerminalStyle();
  const { columns, rows } = style;
  if (!isLargeEnough(style)) return <TooSmall />;
  const sidebar = props.sidebar ?? [];
  const area = frameArea(style, sidebar);
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      <TitleLine {...props} />
      <ProgressRule columns={columns} progress={props.progress ?? null} />
      <Box height={area.rows} flexShrink={0} overflow="hidden">
        {sidebar.length > 0 && <Sidebar items={sidebar} width={measureSidebar(sidebar, columns)} rows={area.rows} />}
        <Box width={1} flexShrink={0} />
        <Box width={area.columns} height={area.rows} flexShrink={0} flexDirection="column" overflow="hidden">
          <AreaProvider area={area}>{props.children}</AreaProvider>
        </Box>
      </Box>
      <Rule columns={columns} />
      <FooterLine bindings={props.bindings} note={props.footerNote ?? ''} columns={columns} />
    </Box>
  );
}

/** Returns the area that the frame leaves for the screen. */
export function frameArea({ columns, rows }: Area, sidebar: readonly SidebarItem[]): Area {
  const left = sidebar.length > 0 ? measureSidebar(sidebar, columns) + 1 : 0;
  return { columns: columns - left - 2, rows: rows - 4 };
}

/** Returns a mark with a space on each side and the longest label, but at most a quarter of the terminal. */
function measureSidebar(sidebar: readonly SidebarItem[], columns: number): number {
  return Math.min(Math.max(...sidebar.map(({ label }) => displayWidth(label))) + 4, Math.floor(columns / 4));
}

function TitleLine({ cluster, version, place, position, rehearsal = '' }: AppFrameProps) {
  const style = useTerminalStyle();
  const mark = getGlyphs(style).ellipsis;
  const gap = ' '.repeat(style.columns < 100 ? 2 : 3);
  const marker = rehearsal === '' ? '' : `${gap}${rehearsal}`;
  const fixedWidth = displayWidth(words().product) + displayWidth(marker) + 4;
  const right = truncate(joinNonEmpty(gap, place, position), style.columns - fixedWidth, mark);
  const available = style.columns - fixedWidth - displayWidth(right);
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
  return (
    <Row>
      <Label> </Label>
      <Label tone="accent" isBold>
        {words().product}
      </Label>
      {marker !== '' && (
        <Label tone="warn" isBold>
          {marker}
        </Label>
      )}
      <Label>{`${padEnd(left === '' ? '' : gap + left, available, mark)}  `}</Label>
      <Label isBold>{right}</Label>
    </Row>
  );
}

const MIN_NAME_WIDTH = 12;

function joinNonEmpty(gap: string, ...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(gap);
}

function Rule({ columns }: { readonly columns: number }) {
  return (
    <Row>
      <Label tone="border">{'-'.repeat(columns)}</Label>
    </Row>
  );
}

const PROGRESS_CELLS = 20;
const MIN_PROGRESS_CELLS = 6;

/** The line under the title, with the progress of the installation at its right end. */
function ProgressRule({
  columns,
  progress,
}: {
  readonly columns: number;
  readonly progress: AppFrameProps['progress'];
}) {
  const style = useTerminalStyle();
  if (!progress) return <Rule columns={columns} />;
  const label = truncate(progress.label, columns - 6, getGlyphs(style).ellipsis);
  const cells = Math.min(PROGRESS_CELLS, columns - 9 - displayWidth(label));
  const bar =
    progress.share === null || cells < MIN_PROGRESS_CELLS ? '' : `${formatBar(progress.share, cells, style)} `;
  const text = ` ${bar}${label} `;
  return (
    <Row>
      <Label tone="border">{'-'.repeat(columns - displayWidth(text) - 2)}</Label>
      <Label tone="accent">{text}</Label>
      <Label tone="border">--</Label>
    </Row>
  );
}

const SIDEBAR_TONES: Readonly<Record<SidebarItem['state'], Tone>> = {
  done: 'ok',
  current: 'focus',
  open: 'dim',
  problem: 'warn',
};

function Sidebar({
  items,
  width,
  rows,
}: {
  readonly items: readonly SidebarItem[];
  readonly width: number;
  readonly rows: number;
}) {
  const style = useTerminalStyle();
  const signs = getGlyphs(style);
  const marks = { done: signs.done, current: signs.pointer, open: ' ', problem: signs.problem };
  const selected = items.findIndex(({ isSelected }) => isSelected);
  const current = Math.max(0, selected < 0 ? items.findIndex(({ state }) => state === 'current') : selected);
  const { first, end } = getRangeAround(items.length, current, rows);
  return (
    <>
      <Box width={width} flexShrink={0} flexDirection="column" overflow="hidden">
        {items.slice(first, end).map(({ label, state, isSelected = false }) => (
          <Row key={label}>
            <Label tone={isSelected ? 'focus' : SIDEBAR_TONES[state]}>
              {`${isSelected ? '>' : ' '}${marks[state]} ${truncate(label, width - 4, signs.ellipsis)}`}
            </Label>
          </Row>
        ))}
      </Box>
      <Box width={1} height={rows} flexShrink={0} overflow="hidden">
        {/* A single text: separate rows would make up a quarter of the boxes in a frame. */}
        <Label tone="border">{Array.from({ length: rows }, () => '|').join('\n')}</Label>
      </Box>
    </>
  );
}

function FooterLine({
  bindings,
  note,
  columns,
}: {
  readonly bindings: readonly Binding<unknown>[];
  readonly note: string;
  readonly columns: number;
}) {
  const style = useTerminalStyle();
  const available = columns - 2 - (note === '' ? 0 : displayWidth(note) + 1);
  const mark = getGlyphs(style).ellipsis;
  return (
    <Row>
      <Label>{` ${padEnd(footerText(bindings, available, mark), available, mark)}`}</Label>
      {note !== '' && <Label tone="dim">{` ${note}`}</Label>}
    </Row>
  );
}

function TooSmall() {
  const { columns, rows } = useTerminalStyle();
  const sentences = words().tooSmall(columns, rows, MIN_AREA.columns, MIN_AREA.rows);
  const lines = sentences.flatMap((sentence) => wrapLines(sentence, columns));
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      {lines.slice(0, rows).map((line) => (
        <Row key={line}>
          <Label>{line}</Label>
        </Row>
      ))}
    </Box>
  );
}
