import { Box, Text } from 'ink';
import { catalogue } from '../../text/catalogue.ts';
import { inOneLine, proseLines } from '../../text/command-lines.ts';
import { cut, pad, widthOf, wrapLines } from '../../text/width.ts';
import { useArea, useLook } from '../look.tsx';
import { COLUMN_GAP, type Column, cutCells, type PlacedColumn, placeColumns, wholeColumns } from '../table-layout.ts';
import { glyphs, styleOf, type Tone } from '../theme.ts';
import { windowAround } from '../window.ts';
import { Label, Row } from './label.tsx';

const words = () => catalogue().ui;

/** A row of a table; `id` names it and is not shown. */
export interface TableRow {
  readonly id: string;
  /** Text by column id. */
  readonly cells: Readonly<Record<string, string>>;
  /** Tone of single cells, by column id; the words must say it too. */
  readonly tones?: Readonly<Record<string, Tone>>;
}

export interface TableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  /** Index of the selected row; null where none can be selected (`top` then says what is seen). */
  readonly selected: number | null;
  /** First visible row while no row is selected. */
  readonly top?: number;
  /** Lines it may take with its title line; the room around it by default. */
  readonly height?: number;
  /** The text shown in place of rows. */
  readonly empty?: string;
}

/** What decides how high a table is. */
type Measured = Pick<TableProps, 'columns' | 'rows' | 'selected'>;

/** Rows that stay in sight beside the selected one's cut cells. */
const LEAST_ROWS = 3;

/** The cut cells of the selected row, each in full under its heading. */
function fullLines({ columns, rows, selected }: Measured, room: number): string[] {
  const row = selected === null ? undefined : rows[selected];
  if (row === undefined) return [];
  return cutCells(placeColumns(columns, rows, room), row).flatMap(({ title, text }) =>
    proseLines(text, room, title === '' ? '' : `${title}: `).map(({ text: line }) => line),
  );
}

/** How many lines a table needs to show all its rows, and the selected one in full, in so many cells. */
export function tableHeight(table: Measured, columns: number): number {
  return 1 + Math.max(1, table.rows.length) + fullLines(table, columns - INDENT).length;
}

/** Cells of a whole table in which nothing is cut; what stands there in place of rows takes all that there are. */
export const wholeTable = (columns: readonly Column[], rows: readonly TableRow[]) =>
  rows.length === 0 ? Number.POSITIVE_INFINITY : INDENT + wholeColumns(columns, rows);

/** The columns that a table shows in so many cells, by id. */
export const shownColumns = ({ columns, rows }: Pick<Measured, 'columns' | 'rows'>, room: number): string[] =>
  placeColumns(columns, rows, room - INDENT).map(({ column }) => column.id);

const INDENT = 2;

/**
 * Rows and columns; only what is in sight is drawn, and columns give way by priority where it is narrow. `1-9 of 30` stands
 * at the right of the titles when there is more, or under the rows where it would cover a title. What is cut in the selected
 * row stands under the rows in full.
 *
 *       NAME     ROLE           ADDRESS         STATE
 *     ▸ m1       control-plane  172.16.0.21     ✔ Ready
 *       m2       control-plane  172.16.0.22     ◦ not yet
 */
export function Table({ columns, rows, selected, top = 0, height, empty = words().noRows }: TableProps) {
  const look = useLook();
  const area = useArea();
  const room = area.columns - INDENT;
  const placed = placeColumns(columns, rows, room);
  const all = Math.max(0, (height ?? area.rows) - 1);
  const goesOn = (line: string) => cut(`${line} ${glyphs(look).ellipsis}`, room, glyphs(look).ellipsis);
  const most = Math.max(0, all - Math.min(LEAST_ROWS, rows.length));
  const full = marked(fullLines({ columns, rows, selected }, room), most, goesOn);
  const none = rows.length === 0 ? marked(wrapLines(empty, room), all, goesOn) : [];
  const isCountBelow = all - full.length < rows.length && !hasRoomFor(placed, room, rows.length, all - full.length);
  const lines = Math.max(0, all - full.length - (isCountBelow ? 1 : 0));
  const { first, end } = windowAround(
    rows.length,
    selected ?? top + Math.floor(Math.min(lines, rows.length) / 2),
    lines,
  );
  const count = end - first < rows.length && rows.length > 0 ? words().moreRows(first + 1, end, rows.length) : '';
  return (
    <Box flexDirection="column" flexShrink={0} width={area.columns} overflow="hidden">
      <TitleRow placed={placed} note={isCountBelow ? '' : count} room={room} />
      {none.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label tone="dim">{`  ${line}`}</Label>
        </Row>
      ))}
      {rows.slice(first, end).map((row, index) => (
        <TableLine key={row.id} row={row} placed={placed} isSelected={first + index === selected} look={look} />
      ))}
      {isCountBelow && (
        <Row>
          <Label tone="dim">{`  ${count}`}</Label>
        </Row>
      )}
      {full.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label tone="dim">{`  ${line}`}</Label>
        </Row>
      ))}
    </Box>
  );
}

/** As many of the lines as fit, the last one marked where there are more. */
function marked(lines: readonly string[], most: number, mark: (line: string) => string): readonly string[] {
  const last = lines[most - 1];
  return lines.length <= most || last === undefined ? lines.slice(0, most) : [...lines.slice(0, most - 1), mark(last)];
}

const titlesOf = (placed: readonly PlacedColumn[]) =>
  placed
    .map(({ column, width }) => pad(column.title, width, '', column.align))
    .join(' '.repeat(COLUMN_GAP))
    .trimEnd();

/** Whether the counter of `total` rows fits beside the titles, wherever the `lines` in sight are. */
function hasRoomFor(placed: readonly PlacedColumn[], room: number, total: number, lines: number): boolean {
  const longest = words().moreRows(Math.max(1, total - lines + 1), total, total);
  return widthOf(titlesOf(placed)) + COLUMN_GAP + widthOf(longest) <= room;
}

function TitleRow({
  placed,
  note,
  room,
}: {
  readonly placed: readonly PlacedColumn[];
  readonly note: string;
  readonly room: number;
}) {
  const noteRoom = note === '' ? 0 : widthOf(note) + COLUMN_GAP;
  return (
    <Row>
      <Label tone="dim">{`  ${pad(titlesOf(placed), room - noteRoom, '')}`}</Label>
      {note !== '' && <Label tone="dim">{`  ${note}`}</Label>}
    </Row>
  );
}

interface TableLineProps {
  readonly row: TableRow;
  readonly placed: readonly PlacedColumn[];
  readonly isSelected: boolean;
  readonly look: { readonly hasUnicode: boolean; readonly hasColour: boolean };
}

function TableLine({ row, placed, isSelected, look }: TableLineProps) {
  const signs = glyphs(look);
  const rowTone: Tone = isSelected ? 'focus' : 'text';
  return (
    <Row>
      <Text wrap="truncate">
        <Text {...styleOf('focus', look.hasColour)}>{isSelected ? `${signs.pointer} ` : '  '}</Text>
        {placed.map(({ column, width }, index) => {
          const isLast = index === placed.length - 1;
          const text = pad(inOneLine(row.cells[column.id] ?? ''), width, signs.ellipsis, column.align);
          return (
            <Text key={column.id} {...styleOf(row.tones?.[column.id] ?? rowTone, look.hasColour)}>
              {isLast ? text.trimEnd() : text + ' '.repeat(COLUMN_GAP)}
            </Text>
          );
        })}
      </Text>
    </Row>
  );
}
