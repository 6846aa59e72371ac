import { Box, Text, useAnimation, useCursor } from 'ink';
import { Fragment, memo } from 'react';
import type { TerminalSize } from '../rows/frame.ts';
import { getGlyphs, type PageRow, type Segment, type SpinnerPace } from '../rows/page-rows.ts';
import { styleText } from './segment-style.ts';
import { type TerminalStyle, useTerminalStyle } from './terminal-style.tsx';

interface DrawnRowsProps {
  readonly draw: (terminal: TerminalSize) => readonly PageRow[];
}

/** Draws the rows that a pure function returns for the current size of the terminal, from its top left corner. */
export function DrawnRows({ draw }: DrawnRowsProps) {
  const terminal = useTerminalStyle();
  return <RowList rows={draw(terminal)} style={terminal} />;
}

interface RowListProps {
  readonly rows: readonly PageRow[];
  readonly style: TerminalStyle;
}

/**
 * Draws rows. Ink lays out only the rows that changed, but composes the whole screen for each commit: 6 MB of
 * temporary data at 120×40. A state that draws the same rows as the one before therefore commits nothing. The
 * terminal's own cursor is placed at the text cursor: input methods compose at it, and it is visible if reverse video
 * is off.
 */
const RowList = memo(
  ({ rows, style }: RowListProps) => {
    const { setCursorPosition } = useCursor();
    const y = rows.findIndex(({ cursor }) => cursor !== undefined);
    const x = rows[y]?.cursor;
    setCursorPosition(x === undefined ? undefined : { x, y });
    return (
      <Box flexDirection="column" width={style.columns} height={rows.length}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place on the screen
          <Row key={index} row={row} style={style} />
        ))}
      </Box>
    );
  },
  (previousProps, nextProps) =>
    previousProps.style === nextProps.style &&
    previousProps.rows.length === nextProps.rows.length &&
    previousProps.rows.every((row, index) => isDrawnAlike(row, nextProps.rows[index])),
);

const isDrawnAlike = (a: PageRow, b: PageRow | undefined) =>
  b !== undefined && a.cursor === b.cursor && areEqualRows(a, b);

interface RowProps {
  readonly row: PageRow;
  readonly style: TerminalStyle;
}

/** Draws a row as one text that has its styles already: for Ink, each nested text costs as much as a row. */
const Row = memo(
  ({ row, style }: RowProps) => {
    const parts = joinEqualSegments(row.segments).map((segment) => {
      const [text, end] = styleText(segment.spinner === undefined ? segment.text : '', segment, style);
      return { text, end, spinner: segment.spinner };
    });
    if (parts.length === 0) return <Text> </Text>;
    return (
      <Text wrap="truncate">
        {parts.map(({ text, end, spinner }, index) =>
          spinner === undefined ? (
            text + end
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line
            <Fragment key={index}>
              {text}
              <SpinnerGlyph pace={spinner} />
              {end}
            </Fragment>
          ),
        )}
      </Text>
    );
  },
  (previousProps, nextProps) =>
    hasEqualColours(previousProps.style, nextProps.style) && areEqualRows(previousProps.row, nextProps.row),
);

const hasEqualColours = (a: TerminalStyle, b: TerminalStyle) =>
  a.hasColour === b.hasColour && a.depth === b.depth && a.background === b.background && a.hasLinks === b.hasLinks;

function areEqualRows({ segments: a }: PageRow, { segments: b }: PageRow): boolean {
  return a === b || (a.length === b.length && a.every((segment, index) => areEqualSegments(segment, b[index])));
}

function areEqualSegments(a: Segment, b: Segment | undefined): boolean {
  return b !== undefined && a.text === b.text && hasEqualStyle(a, b);
}

const hasEqualStyle = (a: Segment, b: Segment) =>
  (a.tone ?? 'text') === (b.tone ?? 'text') &&
  a.isBold === b.isBold &&
  a.isItalic === b.isItalic &&
  a.isSelected === b.isSelected &&
  a.link === b.link &&
  a.isInverse === b.isInverse &&
  a.spinner === b.spinner;

/** Joins neighbours of one style: each text costs Ink as much as a row. */
function joinEqualSegments(segments: readonly Segment[]): Segment[] {
  const joinedSegments: Segment[] = [];
  for (const segment of segments) {
    const lastSegment = joinedSegments.at(-1);
    if (segment.text === '') continue;
    if (lastSegment && lastSegment.spinner === undefined && hasEqualStyle(lastSegment, segment))
      joinedSegments[joinedSegments.length - 1] = { ...lastSegment, text: lastSegment.text + segment.text };
    else joinedSegments.push(segment);
  }
  return joinedSegments;
}

/** Every frame has a cost: a wait of minutes advances once a second, and after its first minute every five seconds. */
const FRAME_INTERVALS_MS: Readonly<Record<SpinnerPace, number>> = { quick: 120, calm: 1000, slow: 5000 };

function SpinnerGlyph({ pace }: { readonly pace: SpinnerPace }) {
  const { spinner } = getGlyphs(useTerminalStyle());
  const { frame } = useAnimation({ interval: FRAME_INTERVALS_MS[pace] });
  return spinner[frame % spinner.length];
}
