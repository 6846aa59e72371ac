import { Box, Text } from 'ink';
import { catalogue } from '../../i18n/catalogue.ts';
import { stripBackticks, wrapProse } from '../../i18n/prose.ts';
import { displayWidth, padEnd, truncate, wrapLines } from '../../platform/text.ts';
import {
  COLUMN_GAP,
  type Column,
  getRangeAround,
  listCutCells,
  type PlacedColumn,
  placeColumns,
  sumNaturalWidths,
} from '../table-layout.ts';
import { getGlyphs, getToneStyle, type Tone, useArea, useTerminalStyle } from '../terminal-style.tsx';
import { Label, Row } from './select.tsx';

const words = () => catalogue().ui;

/** A row of a table; `id` identifies it and is not shown. */
export interface TableRow {
  readonly id: string;
  /** Text by column id. */
  readonly cells: Readonly<Record<string, string>>;
  /** Tone of single cells, by column id; the text must carry the same meaning. */
  readonly tones?: Readonly<Record<string, Tone>>;
}

export interface TableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  /** Index of the selected row; null if no row can be selected (`top` then sets the first visible row). */
  readonly selected: number | null;
  /** First visible row while no row is selected. */
  readonly top?: number;
  /** Maximum lines including the title line; by default those of the surrounding area. */
  readonly height?: number;
  /** The text shown in place of rows. */
  readonly empty?: string;
}

/** The properties that determine the height of a table. */
type TableContent = Pick<TableProps, 'columns' | 'rows' | 'selected'>;

/** Minimum rows that stay visible beside the cut cells of the selected row. */
const MIN_VISIBLE_ROWS = 3;

/** Formats the cut cells of the selected row, each in full under its heading. */
function formatCutCells({ columns, rows, selected }: TableContent, available: number): string[] {
  const row = selected === null ? undefined : rows[selected];
  if (row === undefined) return [];
  return listCutCells(placeColumns(columns, rows, available), row).flatMap(({ title, text }) =>
    wrapProse(text, available, title === '' ? '' : `${title}: `).map(({ text: line }) => line),
  );
}

/** Lines that a table of this width needs to show all its rows, and the selected one in full. */
export function tableHeight(table: TableContent, columns: number): number {
  return 1 + Math.max(1, table.rows.length) + formatCutCells(table, columns - INDENT).length;
}

/** Width in columns at which no cell is cut; infinity for an empty table, whose text takes all available columns. */
export const measureUncutTable = (columns: readonly Column[], rows: readonly TableRow[]) =>
  rows.length === 0 ? Number.POSITIVE_INFINITY : INDENT + sumNaturalWidths(columns, rows);

/** Lists the ids of the columns that a table of this width shows. */
export const listShownColumns = (
  { columns, rows }: Pick<TableContent, 'columns' | 'rows'>,
  available: number,
): string[] => placeColumns(columns, rows, available - INDENT).map(({ column }) => column.id);

const INDENT = 2;

/**
 * Rows and columns; only visible rows are drawn, and a narrow table drops columns by priority. `1-9 of 30` stands
 * at the right of the titles when there is more, or under the rows where it would cover a title. The cut cells of the selected
 * row are shown in full under the rows.
 *
 *       NAME     ROLE           ADDRESS         STATE
 *     ▸ m1       control-plane  172.16.0.21     ✔ Ready
 *       m2       control-plane  172.16.0.22     ◦ not yet
 */
export function Table({ columns, rows, selected, top = 0, height, empty = words().noRows }: TableProps) {
  const style = useTerminalStyle();
  const area = useArea();
  const available = area.columns - INDENT;
  const placed = placeColumns(columns, rows, available);
  const maxLines = Math.max(0, (height ?? area.rows) - 1);
  const markContinuation = (line: string) =>
    truncate(`${line} ${getGlyphs(style).ellipsis}`, available, getGlyphs(style).ellipsis);
  const limit = Math.max(0, maxLines - Math.min(MIN_VISIBLE_ROWS, rows.length));
  const cutLines = limitLines(formatCutCells({ columns, rows, selected }, available), limit, markContinuation);
  const emptyLines = rows.length === 0 ? limitLines(wrapLines(empty, available), maxLines, markContinuation) : [];
  const isCountBelow =
    maxLines - cutLines.length < rows.length &&
    !fitsCounter(placed, available, rows.length, maxLines - cutLines.length);
  const lines = Math.max(0, maxLines - cutLines.length - (isCountBelow ? 1 : 0));
  const { first, end } = getRangeAround(
    rows.length,
    selected ?? top + Math.floor(Math.min(lines, rows.length) / 2),
    lines,
  );
  const count = end - first < rows.length && rows.length > 0 ? words().moreRows(first + 1, end, rows.length) : '';
  return (
    <Box flexDirection="column" flexShrink={0} width={area.columns} overflow="hidden">
      <TitleRow placed={placed} note={isCountBelow ? '' : count} available={available} />
      {emptyLines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label tone="dim">{`  ${line}`}</Label>
        </Row>
      ))}
      {rows.slice(first, end).map((row, index) => (
        <TableLine key={row.id} row={row} placed={placed} isSelected={first + index === selected} style={style} />
      ))}
      {isCountBelow && (
        <Row>
          <Label tone="dim">{`  ${count}`}</Label>
        </Row>
      )}
      {cutLines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label tone="dim">{`  ${line}`}</Label>
        </Row>
      ))}
    </Box>
  );
}

/** Limits the lines to those that fit; marks the last one if lines are left out. */
function limitLines(lines: readonly string[], limit: number, mark: (line: string) => string): readonly string[] {
  const last = lines[limit - 1];
  return lines.length <= limit || last === undefined
    ? lines.slice(0, limit)
    : [...lines.slice(0, limit - 1), mark(last)];
}

const formatTitles = (placed: readonly PlacedColumn[]) =>
  placed
    .map(({ column, width }) => padEnd(column.title, width, '', column.align))
    .join(' '.repeat(COLUMN_GAP))
    .trimEnd();

/** Whether the counter of `total` rows fits beside the titles for any position of the visible `lines`. */
function fitsCounter(placed: readonly PlacedColumn[], available: number, total: number, lines: number): boolean {
  const longest = words().moreRows(Math.max(1, total - lines + 1), total, total);
  return displayWidth(formatTitles(placed)) + COLUMN_GAP + displayWidth(longest) <= available;
}

function TitleRow({
  placed,
  note,
  available,
}: {
  readonly placed: readonly PlacedColumn[];
  readonly note: string;
  readonly available: number;
}) {
  const noteWidth = note === '' ? 0 : displayWidth(note) + COLUMN_GAP;
  return (
    <Row>
      <Label tone="dim">{`  ${padEnd(formatTitles(placed), available - noteWidth, '')}`}</Label>
      {note !== '' && <Label tone="dim">{`  ${note}`}</Label>}
    </Row>
  );
}

interface TableLineProps {
  readonly row: TableRow;
  readonly placed: readonly PlacedColumn[];
  readonly isSelected: boolean;
  readonly style: { readonly hasUnicode: boolean; readonly hasColour: boolean };
}

function TableLine({ row, placed, isSelected, style }: TableLineProps) {
  const signs = getGlyphs(style);
  const rowTone: Tone = isSelected ? 'focus' : 'text';
  return (
    <Row>
      <Text wrap="truncate">
        <Text {...getToneStyle('focus', style.hasColour)}>{isSelected ? `${signs.pointer} ` : '  '}</Text>
        {placed.map(({ column, width }, index) => {
          const isLast = index === placed.length - 1;
          const text = padEnd(stripBackticks(row.cells[column.id] ?? ''), width, signs.ellipsis, column.align);
          return (
            <Text key={column.id} {...getToneStyle(row.tones?.[column.id] ?? rowTone, style.hasColour)}>
              {isLast ? text.trimEnd() : text + ' '.repeat(COLUMN_GAP)}
            </Text>
          );
        })}
      </Text>
    </Row>
  );
}
