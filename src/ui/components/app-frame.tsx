import { Box } from 'ink';
import type { ReactNode } from 'react';
import { catalogue } from '../../text/catalogue.ts';
import { cut, pad, widthOf, wrapLines } from '../../text/width.ts';
import { type Binding, footerText } from '../keys/keymap.ts';
import { type Area, AreaProvider, useLook } from '../look.tsx';
import { glyphs, type Tone } from '../theme.ts';
import { windowAround } from '../window.ts';
import { Label, Row } from './label.tsx';
import { barText } from './progress.tsx';

const words = () => catalogue().ui;

/** Below this the frame only asks for a larger window. */
export const SMALLEST: Area = { columns: 60, rows: 15 };

/** Whether a terminal of this size shows more than that it is too small. */
export function hasRoom({ columns, rows }: Area): boolean {
  return columns >= SMALLEST.columns && rows >= SMALLEST.rows;
}

/** A step at the left of the frame. `problem`: something there wants to be looked at. */
export interface RailItem {
  readonly label: string;
  readonly state: 'done' | 'current' | 'open' | 'problem';
  /** The keys move in the list, and this is where they are. */
  readonly isSelected?: boolean;
}

export interface AppFrameProps {
  /** Cluster name with its domain; empty: not known yet. */
  readonly cluster: string;
  /** `4.18`; empty: not known yet. */
  readonly version: string;
  /** That this is a rehearsal, and how its time runs; empty in life. */
  readonly rehearsal?: string;
  /** Where we are: `Design > Networks`. */
  readonly place: string;
  /** Which step of how many: `3/17`. */
  readonly position: string;
  /** How far the installation is; null where that is not known. `says`: the time spent and the usual rest. */
  readonly course?: { readonly share: number | null; readonly says: string } | null;
  /** The steps at the left; none, or an empty list, gives the body their room. */
  readonly rail?: readonly RailItem[];
  /** The keys that work now, most important first. */
  readonly bindings: readonly Binding<unknown>[];
  /** At the right of the footer, such as `saved 10:41`. */
  readonly footerNote?: string;
  readonly children: ReactNode;
}

/**
 * The frame around every screen: exactly as large as the terminal, and nothing in it wraps or overlaps.
 *
 *      upi-wizard   ocp45.example.localdomain   OpenShift 4.18        Design > Networks   3/17
 *     ------------------------------------------------------------------------------------------
 *      ✔ Cluster    | (the screen)
 *      ▸ Networks   |
 *     ------------------------------------------------------------------------------------------
 *      Enter next   Tab field   Esc back   Ctrl-G help                             saved 10:41
 */
export function AppFrame(props: AppFrameProps) {
  const look = useLook();
  const { columns, rows } = look;
  if (!hasRoom(look)) return <TooSmall />;
  const rail = props.rail ?? [];
  const area = frameArea(look, rail);
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      <TitleLine {...props} />
      <CourseRule columns={columns} course={props.course ?? null} />
      <Box height={area.rows} flexShrink={0} overflow="hidden">
        {rail.length > 0 && <Rail items={rail} width={railWidth(rail, columns)} rows={area.rows} />}
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

/** The room that the frame leaves for the screen. */
export function frameArea({ columns, rows }: Area, rail: readonly RailItem[]): Area {
  const left = rail.length > 0 ? railWidth(rail, columns) + 1 : 0;
  return { columns: columns - left - 2, rows: rows - 4 };
}

/** A mark, a space on each side of it, and the longest label, but never more than a quarter of the terminal. */
function railWidth(rail: readonly RailItem[], columns: number): number {
  return Math.min(Math.max(...rail.map(({ label }) => widthOf(label))) + 4, Math.floor(columns / 4));
}

function TitleLine({ cluster, version, place, position, rehearsal = '' }: AppFrameProps) {
  const look = useLook();
  const mark = glyphs(look).ellipsis;
  const gap = ' '.repeat(look.columns < 100 ? 2 : 3);
  const marker = rehearsal === '' ? '' : `${gap}${rehearsal}`;
  const fixed = widthOf(words().product) + widthOf(marker) + 4;
  const right = cut(joined(gap, place, position), look.columns - fixed, mark);
  const room = look.columns - fixed - widthOf(right);
  // The cluster's name gives way first, down to what still tells it apart; then the version.
  const forVersion = room - 2 * gap.length - Math.min(LEAST_NAME, widthOf(cluster));
  const versions = version === '' ? [] : [words().openShift(version), version];
  const release = versions.find((text) => widthOf(text) <= forVersion) ?? '';
  const name = cut(cluster, room - gap.length - (release === '' ? 0 : widthOf(release) + gap.length), mark);
  const left = joined(gap, '', name, release);
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
      <Label>{`${pad(left === '' ? '' : gap + left, room, mark)}  `}</Label>
      <Label isBold>{right}</Label>
    </Row>
  );
}

const LEAST_NAME = 12;

function joined(gap: string, ...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(gap);
}

function Rule({ columns }: { readonly columns: number }) {
  return (
    <Row>
      <Label tone="border">{'-'.repeat(columns)}</Label>
    </Row>
  );
}

const COURSE_CELLS = 20;
const LEAST_COURSE_CELLS = 6;

/** The line under the title, with how far the installation is at its right. */
function CourseRule({ columns, course }: { readonly columns: number; readonly course: AppFrameProps['course'] }) {
  const look = useLook();
  if (!course) return <Rule columns={columns} />;
  const says = cut(course.says, columns - 6, glyphs(look).ellipsis);
  const cells = Math.min(COURSE_CELLS, columns - 9 - widthOf(says));
  const bar = course.share === null || cells < LEAST_COURSE_CELLS ? '' : `${barText(course.share, cells, look)} `;
  const text = ` ${bar}${says} `;
  return (
    <Row>
      <Label tone="border">{'-'.repeat(columns - widthOf(text) - 2)}</Label>
      <Label tone="accent">{text}</Label>
      <Label tone="border">--</Label>
    </Row>
  );
}

const RAIL_TONES: Readonly<Record<RailItem['state'], Tone>> = {
  done: 'ok',
  current: 'focus',
  open: 'dim',
  problem: 'warn',
};

function Rail({
  items,
  width,
  rows,
}: {
  readonly items: readonly RailItem[];
  readonly width: number;
  readonly rows: number;
}) {
  const look = useLook();
  const signs = glyphs(look);
  const marks = { done: signs.done, current: signs.pointer, open: ' ', problem: signs.problem };
  const selected = items.findIndex(({ isSelected }) => isSelected);
  const current = Math.max(0, selected < 0 ? items.findIndex(({ state }) => state === 'current') : selected);
  const { first, end } = windowAround(items.length, current, rows);
  return (
    <>
      <Box width={width} flexShrink={0} flexDirection="column" overflow="hidden">
        {items.slice(first, end).map(({ label, state, isSelected = false }) => (
          <Row key={label}>
            <Label tone={isSelected ? 'focus' : RAIL_TONES[state]}>
              {`${isSelected ? '>' : ' '}${marks[state]} ${cut(label, width - 4, signs.ellipsis)}`}
            </Label>
          </Row>
        ))}
      </Box>
      <Box width={1} height={rows} flexShrink={0} overflow="hidden">
        {/* One text: a row each would be every fourth box of a frame. */}
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
  const look = useLook();
  const room = columns - 2 - (note === '' ? 0 : widthOf(note) + 1);
  const mark = glyphs(look).ellipsis;
  return (
    <Row>
      <Label>{` ${pad(footerText(bindings, room, mark), room, mark)}`}</Label>
      {note !== '' && <Label tone="dim">{` ${note}`}</Label>}
    </Row>
  );
}

function TooSmall() {
  const { columns, rows } = useLook();
  const sentences = words().tooSmall(columns, rows, SMALLEST.columns, SMALLEST.rows);
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
