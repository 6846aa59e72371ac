import { Box, Text, useAnimation, useCursor } from 'ink';
import { memo } from 'react';
import type { TerminalSize } from '../rows/frame.ts';
import { getGlyphs, type PageRow, type Segment, type SpinnerPace, type Tone } from '../rows/page-rows.ts';
import { useTerminalStyle } from './terminal-style.tsx';

interface ToneStyle {
  readonly color?: string;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
}

const TONE_STYLES: Readonly<Record<Tone, ToneStyle>> = {
  text: {},
  dim: { dimColor: true },
  accent: { color: 'cyan' },
  ok: { color: 'green' },
  warn: { color: 'yellow' },
  error: { color: 'red' },
  border: { dimColor: true },
  focus: { color: 'cyan', bold: true },
};

/** Returns the style of a segment as properties of Ink's Text. Without colour, no meaning is lost. */
function getTextStyle({ tone = 'text', isBold, isInverse = false }: Segment, hasColour: boolean) {
  const { bold = false, ...style } = hasColour ? TONE_STYLES[tone] : {};
  return { ...style, bold: isBold ?? bold, inverse: isInverse };
}

/**
 * Draws the rows that a pure function returns for the current size of the terminal, from its top left corner. Ink lays
 * out only the rows that changed. The terminal's own cursor is placed at the text cursor: input methods compose at it,
 * and it is visible if reverse video is off.
 */
export function DrawnRows({ draw }: { readonly draw: (terminal: TerminalSize) => readonly PageRow[] }) {
  const terminal = useTerminalStyle();
  const { columns, hasColour } = terminal;
  const rows = draw(terminal);
  const { setCursorPosition } = useCursor();
  const y = rows.findIndex(({ cursor }) => cursor !== undefined);
  const x = rows[y]?.cursor;
  setCursorPosition(x === undefined ? undefined : { x, y });
  return (
    <Box flexDirection="column" width={columns} height={rows.length}>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place on the screen
        <Row key={index} row={row} hasColour={hasColour} />
      ))}
    </Box>
  );
}

interface RowProps {
  readonly row: PageRow;
  readonly hasColour: boolean;
}

const Row = memo(
  ({ row, hasColour }: RowProps) => {
    const segments = joinEqualSegments(row.segments);
    const [only] = segments;
    if (only === undefined) return <Text> </Text>;
    if (segments.length === 1) return <SegmentText segment={only} hasColour={hasColour} />;
    return (
      <Text wrap="truncate">
        {segments.map((segment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line
          <SegmentText key={index} segment={segment} hasColour={hasColour} />
        ))}
      </Text>
    );
  },
  (before, after) => before.hasColour === after.hasColour && areEqualRows(before.row, after.row),
);

function areEqualRows({ segments: a }: PageRow, { segments: b }: PageRow): boolean {
  return a === b || (a.length === b.length && a.every((segment, index) => areEqualSegments(segment, b[index])));
}

function areEqualSegments(a: Segment, b: Segment | undefined): boolean {
  return b !== undefined && a.text === b.text && hasEqualStyle(a, b);
}

const hasEqualStyle = (a: Segment, b: Segment) =>
  (a.tone ?? 'text') === (b.tone ?? 'text') &&
  a.isBold === b.isBold &&
  a.isInverse === b.isInverse &&
  a.spinner === b.spinner;

/** Joins neighbours of one style: each text costs Ink as much as a row. */
function joinEqualSegments(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (segment.text === '') continue;
    if (last && last.spinner === undefined && hasEqualStyle(last, segment))
      joined[joined.length - 1] = { ...last, text: last.text + segment.text };
    else joined.push(segment);
  }
  return joined;
}

function SegmentText({ segment, hasColour }: { readonly segment: Segment; readonly hasColour: boolean }) {
  return (
    <Text {...getTextStyle(segment, hasColour)} wrap="truncate">
      {segment.spinner === undefined ? segment.text : <SpinnerGlyph pace={segment.spinner} />}
    </Text>
  );
}

/** Every frame has a cost: a wait of minutes advances once a second, and after its first minute every five seconds. */
const FRAME_INTERVALS_MS: Readonly<Record<SpinnerPace, number>> = { quick: 120, calm: 1000, slow: 5000 };

function SpinnerGlyph({ pace }: { readonly pace: SpinnerPace }) {
  const { spinner } = getGlyphs(useTerminalStyle());
  const { frame } = useAnimation({ interval: FRAME_INTERVALS_MS[pace] });
  return spinner[frame % spinner.length];
}
