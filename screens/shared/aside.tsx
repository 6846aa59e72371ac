import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { Design } from '../../src/design/model.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { proseLines } from '../../src/text/command-lines.ts';
import { widthOf } from '../../src/text/width.ts';
import { Gap, Label, Row } from '../../src/ui/components/label.tsx';
import type { TextLine } from '../../src/ui/components/text-views.tsx';
import { type Area, AreaProvider, useArea, useLook } from '../../src/ui/look.tsx';
import type { WizardState } from '../../src/wizard/state.ts';
import { networkDiagram } from './design/network-diagram.ts';

/** A terminal of at least so many columns has a half that is free. */
export const WIDE = 120;
/** Cells of a text that reads well, and of one that still does. */
const WIDEST = 72;
const NARROWEST = 32;
/** A bar between blanks. */
const GAP = 3;

/** The cells that a body which needs `needed` of them leaves for what stands beside it; null: it has the room to itself. */
export function asideColumns(columns: number, area: Pick<Area, 'columns'>, needed: number): number | null {
  const free = area.columns - needed - GAP;
  return columns < WIDE || free < NARROWEST ? null : Math.min(free, WIDEST);
}

/** The room of a body that needs `needed` cells: what stands beside it has the rest. */
export function useBodyArea(needed: number): Area {
  const area = useArea();
  const { columns } = useLook();
  const beside = asideColumns(columns, area, needed);
  return { columns: beside === null ? area.columns : area.columns - beside - GAP, rows: area.rows };
}

interface AsideProps {
  readonly state: WizardState;
  /** Cells that the body needs to cut nothing. */
  readonly needed: number;
  /** Lines that the body needs at most, where that is known: then the rest of a high window is free as well. */
  readonly neededRows?: number;
  /** The long help: paragraphs, with commands in backticks, the first a heading. */
  readonly help: readonly string[];
  /** The body, which is told its own room. */
  readonly children: ReactNode;
}

/**
 * On a wide terminal, a body with the long help of what has the focus beside it or, where its lines need the width, below it; and
 * the picture of the network where that has room too. Else the body alone.
 *
 *     ▸ Gateway   172.16.0.254       | Gateway
 *       …                            | Nodes send what is not for their own network to this
 *                                    | address. …
 */
export function WithAside({ state, needed, neededRows, help, children }: AsideProps) {
  const area = useArea();
  const { columns, hasUnicode } = useLook();
  const body = useBodyArea(needed);
  if (columns < WIDE) return children;
  const design = state.design ?? state.inForce?.design ?? null;
  const width = asideColumns(columns, area, needed);
  if (width !== null) {
    const lines = asideLines(help, design, { columns: width, rows: area.rows }, hasUnicode);
    return (
      <Box height={area.rows} flexShrink={0} width={area.columns} overflow="hidden">
        <Box width={body.columns} height={area.rows} flexShrink={0} flexDirection="column" overflow="hidden">
          <AreaProvider area={body}>{children}</AreaProvider>
        </Box>
        <Box width={width + GAP} flexShrink={0} flexDirection="column" overflow="hidden">
          <Lines lines={lines} before={' | '} />
        </Box>
      </Box>
    );
  }
  const rows = neededRows === undefined ? 0 : area.rows - neededRows - 1;
  const scrolled = helpLines(help, area.columns, HELP_SCROLLED);
  const isFilled = rows === scrolled.length;
  if (neededRows === undefined || (rows < LEAST_BELOW && !isFilled)) return children;
  const belowLines = isFilled ? scrolled : asideLines(help, design, { columns: area.columns, rows }, hasUnicode);
  return (
    <>
      <Box height={neededRows} flexShrink={0} flexDirection="column" overflow="hidden">
        <AreaProvider area={{ columns: area.columns, rows: neededRows }}>{children}</AreaProvider>
      </Box>
      <Gap />
      <Lines lines={belowLines} before="" />
    </>
  );
}

/** Fewer lines would not be worth it. */
const LEAST_BELOW = 4;

/** A body that scrolls keeps so many rows at least, and leaves so many at most for what stands below it. */
const MOST_SCROLLED = 18;
const HELP_SCROLLED = 6;

/**
 * The rows of a body that has help below it, of those that are free; null: it has no help there. One that is whole in `needed` rows
 * leaves all others; one that scrolls, or takes what it gets, leaves in a high window those that the help fills.
 * @param free.isAlone nothing stands beside it
 */
export function rowsAbove(
  look: Pick<Area, 'columns'>,
  free: Area & { readonly isAlone: boolean },
  needed: number | undefined,
  help: readonly string[],
): number | null {
  const { columns, rows, isAlone } = free;
  if (look.columns < WIDE || !isAlone) return null;
  if (needed !== undefined && rows - needed > LEAST_BELOW) return needed;
  if (rows - 1 - HELP_SCROLLED < MOST_SCROLLED) return null;
  return rows - 1 - helpLines(help, columns, HELP_SCROLLED).length;
}

function Lines({ lines, before }: { readonly lines: readonly TextLine[]; readonly before: string }) {
  return lines.map(({ text, tone = 'text' }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
    <Row key={index}>
      {before !== '' && <Label tone="border">{before}</Label>}
      <Label tone={tone}>{text}</Label>
    </Row>
  ));
}

/** The help, and the picture under it where both are whole. */
function asideLines(help: readonly string[], design: Design | null, { columns, rows }: Area, hasUnicode: boolean) {
  const lines = helpLines(help, columns, rows);
  const picture = design === null ? [] : networkDiagram(design, Math.min(columns, WIDEST), hasUnicode);
  const isWhole = picture.every(({ text }) => widthOf(text) <= columns) && lines.length + 1 + picture.length <= rows;
  return isWhole && picture.length > 0 ? [...lines, { text: '' }, ...picture] : lines;
}

/** Whole paragraphs, as many as there is room for; what is left is on the help page. */
function helpLines(help: readonly string[], width: number, rows: number): TextLine[] {
  const lines: TextLine[] = [];
  for (const [index, text] of help.entries()) {
    const block = proseLines(text, width).map(
      ({ text: line, isCommand }): TextLine => ({ text: line, tone: isCommand || index === 0 ? 'accent' : 'text' }),
    );
    const gap: TextLine[] = index < 2 ? [] : [{ text: '' }];
    const isLast = index === help.length - 1;
    if (lines.length + gap.length + block.length + (isLast ? 0 : 2) > rows) {
      const more = proseLines(catalogue().screens.step.moreNotes, width);
      return [...lines, ...more.map(({ text: line }): TextLine => ({ text: line, tone: 'accent' }))].slice(0, rows);
    }
    lines.push(...gap, ...block);
  }
  return lines;
}
