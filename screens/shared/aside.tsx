import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { Design } from '../../src/design/model.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { wrapProse } from '../../src/i18n/prose.ts';
import { displayWidth } from '../../src/platform/text.ts';
import { Gap, Label, Row } from '../../src/ui/components/select.tsx';
import type { TextLine } from '../../src/ui/components/text-views.tsx';
import { type Area, AreaProvider, useArea, useTerminalStyle } from '../../src/ui/terminal-style.tsx';
import type { WizardState } from '../../src/wizard/state.ts';

import { renderNetworkDiagram } from './design/network-diagram.ts';

/** Minimum columns of a terminal that shows help beside the body. */
export const MIN_WIDE_COLUMNS = 120;
/** Columns of the help text: the maximum for comfortable reading, and the minimum that is still readable. */
const MAX_ASIDE_COLUMNS = 72;
const MIN_ASIDE_COLUMNS = 32;
/** A vertical bar between spaces. */
const SEPARATOR_COLUMNS = 3;

/** Columns for the help beside a body that needs `needed` columns. Null: there is no room beside the body. */
function asideColumns(columns: number, area: Pick<Area, 'columns'>, needed: number): number | null {
  const free = area.columns - needed - SEPARATOR_COLUMNS;
  return columns < MIN_WIDE_COLUMNS || free < MIN_ASIDE_COLUMNS ? null : Math.min(free, MAX_ASIDE_COLUMNS);
}

/** Provides the area of a body that needs `needed` columns; the help beside it gets the rest. */
export function useBodyArea(needed: number): Area {
  const area = useArea();
  const { columns } = useTerminalStyle();
  const aside = asideColumns(columns, area, needed);
  return { columns: aside === null ? area.columns : area.columns - aside - SEPARATOR_COLUMNS, rows: area.rows };
}

interface AsideProps {
  readonly state: WizardState;
  /** Columns in which the body truncates nothing. */
  readonly needed: number;
  /** Maximum rows of the body, if known: a high window then has free rows below it. */
  readonly neededRows?: number;
  /** The long help: paragraphs, with commands in backticks, the first a heading. */
  readonly help: readonly string[];
  /** The body. It reads its own size with `useArea`. */
  readonly children: ReactNode;
}

/**
 * On a wide terminal, shows the long help of the focused element beside the body, or below it if the lines need width;
 * the network diagram follows if there is room. Otherwise, only the body is shown.
 *
 *     ▸ Gateway   172.16.0.254       | Gateway
 *       …                            | Nodes send what is not for their own network to this
 *                                    | address. …
 */
export function WithAside({ state, needed, neededRows, help, children }: AsideProps) {
  const area = useArea();
  const { columns, hasUnicode } = useTerminalStyle();
  const body = useBodyArea(needed);
  if (columns < MIN_WIDE_COLUMNS) return children;
  const design = state.design ?? state.inForce?.design ?? null;
  const width = asideColumns(columns, area, needed);
  if (width !== null) {
    const lines = asideLines(help, design, { columns: width, rows: area.rows }, hasUnicode);
    return (
      <Box height={area.rows} flexShrink={0} width={area.columns} overflow="hidden">
        <Box width={body.columns} height={area.rows} flexShrink={0} flexDirection="column" overflow="hidden">
          <AreaProvider area={body}>{children}</AreaProvider>
        </Box>
        <Box width={width + SEPARATOR_COLUMNS} flexShrink={0} flexDirection="column" overflow="hidden">
          <Lines lines={lines} before={' | '} />
        </Box>
      </Box>
    );
  }
  const rows = neededRows === undefined ? 0 : area.rows - neededRows - 1;
  const shortHelp = helpLines(help, area.columns, MAX_HELP_ROWS);
  const isFilled = rows === shortHelp.length;
  if (neededRows === undefined || (rows < MIN_ROWS_BELOW && !isFilled)) return children;
  const belowLines = isFilled ? shortHelp : asideLines(help, design, { columns: area.columns, rows }, hasUnicode);
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

/** With fewer rows, help below the body is omitted. */
const MIN_ROWS_BELOW = 4;

/** A scrolling body keeps at least MIN_SCROLLED_ROWS; the help below it takes at most MAX_HELP_ROWS. */
const MIN_SCROLLED_ROWS = 18;
const MAX_HELP_ROWS = 6;

/**
 * Computes the rows of a body that has help below it, out of the free rows. Null: there is no help below it. A body
 * that is complete in `needed` rows leaves all other rows. A body that scrolls, or takes any height, leaves only the
 * rows that the help fills, and only in a high window.
 * @param free.isAlone nothing stands beside the body
 */
export function computeBodyRows(
  terminal: Pick<Area, 'columns'>,
  free: Area & { readonly isAlone: boolean },
  needed: number | undefined,
  help: readonly string[],
): number | null {
  const { columns, rows, isAlone } = free;
  if (terminal.columns < MIN_WIDE_COLUMNS || !isAlone) return null;
  if (needed !== undefined && rows - needed > MIN_ROWS_BELOW) return needed;
  if (rows - 1 - MAX_HELP_ROWS < MIN_SCROLLED_ROWS) return null;
  return rows - 1 - helpLines(help, columns, MAX_HELP_ROWS).length;
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

/** Returns the help, followed by the network diagram if both are complete. */
function asideLines(help: readonly string[], design: Design | null, { columns, rows }: Area, hasUnicode: boolean) {
  const lines = helpLines(help, columns, rows);
  const diagram = design === null ? [] : renderNetworkDiagram(design, Math.min(columns, MAX_ASIDE_COLUMNS), hasUnicode);
  const canFit =
    diagram.every(({ text }) => displayWidth(text) <= columns) && lines.length + 1 + diagram.length <= rows;
  return canFit && diagram.length > 0 ? [...lines, { text: '' }, ...diagram] : lines;
}

/** Complete paragraphs, as many as fit. The help page has the rest. */
function helpLines(help: readonly string[], width: number, rows: number): TextLine[] {
  const lines: TextLine[] = [];
  for (const [index, text] of help.entries()) {
    const block = wrapProse(text, width).map(
      ({ text: line, isCommand }): TextLine => ({ text: line, tone: isCommand || index === 0 ? 'accent' : 'text' }),
    );
    const gap: TextLine[] = index < 2 ? [] : [{ text: '' }];
    const isLast = index === help.length - 1;
    if (lines.length + gap.length + block.length + (isLast ? 0 : 2) > rows) {
      const more = wrapProse(catalogue().screens.step.moreNotes, width);
      return [...lines, ...more.map(({ text: line }): TextLine => ({ text: line, tone: 'accent' }))].slice(0, rows);
    }
    lines.push(...gap, ...block);
  }
  return lines;
}
