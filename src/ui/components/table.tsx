import { Box, Text } from 'ink';
import { catalogue } from '../../text/catalogue.ts';
import { pad } from '../../text/width.ts';
import { useArea, useLook } from '../look.tsx';
import { COLUMN_GAP, type Column, type PlacedColumn, placeColumns } from '../table-layout.ts';
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

/**
 * Rows and columns; only what is in sight is drawn, and columns give way by priority where it is narrow. `1-9 of 30` stands
 * at the right of the titles when there is more.
 *
 *       NAME     ROLE           ADDRESS         STATE
 *     ▸ m1       control-plane  172.16.0.21     ✔ Ready
 *       m2       control-plane  172.16.0.22     ◦ not yet
 */
export function Table({ columns, rows, selected, top = 0, height, empty = words().noRows }: TableProps) {
  const look = useLook();
  const area = useArea();
  const room = area.columns - 2;
  const placed = placeColumns(columns, rows, room);
  const lines = Math.max(0, (height ?? area.rows) - 1);
  const { first, end } = windowAround(
    rows.length,
    selected ?? top + Math.floor(Math.min(lines, rows.length) / 2),
    lines,
  );
  const count = end - first < rows.length && rows.length > 0 ? words().moreRows(first + 1, end, rows.length) : '';
  return (
    <Box flexDirection="column" flexShrink={0} width={area.columns} overflow="hidden">
      <TitleRow placed={placed} note={count} room={room} />
      {rows.length === 0 && lines > 0 && (
        <Row>
          <Label tone="dim">{`  ${empty}`}</Label>
        </Row>
      )}
      {rows.slice(first, end).map((row, index) => (
        <TableLine key={row.id} row={row} placed={placed} isSelected={first + index === selected} look={look} />
      ))}
    </Box>
  );
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
  const titles = placed
    .map(({ column, width }) => pad(column.title, width, '~', column.align))
    .join(' '.repeat(COLUMN_GAP));
  const noteRoom = note === '' ? 0 : note.length + 2;
  return (
    <Row>
      <Label tone="dim">{`  ${pad(titles, room - noteRoom, '')}`}</Label>
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
          // The ellipsis may be two cells wide in an East Asian terminal: only the last column may end in it.
          const text = pad(row.cells[column.id] ?? '', width, isLast ? signs.ellipsis : '~', column.align);
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
