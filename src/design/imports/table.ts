import { CsvError, parse } from 'csv-parse/sync';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { canonicalMac } from '../address.ts';
import { type Column, columnOf, columnsByContent, isRoleWord } from './columns.ts';
import { type NodeRow, readAddresses, roleOf, splitHostName } from './node-row.ts';

const words = () => catalogue().imports;

/** Rows of a list, and what was left out of it, in words. */
export interface Rows {
  readonly rows: readonly NodeRow[];
  readonly notes: readonly string[];
}

type Cells = Partial<Record<Column, string>>;
type Note = (text: string) => void;

/**
 * Reads a table of nodes: one node a line, cells between tabs (as a spreadsheet copies them), semicolons, commas or blanks,
 * with or without a line of headings. Null when no line names a node.
 */
export function readTable(text: string): Rows | null {
  const notes: string[] = [];
  const lines = split(text, notes);
  const [first] = lines;
  if (!first) return null;
  const headings = headingsOf(lines.map(({ cells }) => cells));
  if (headings) {
    for (const [index, heading] of first.cells.entries())
      if (!headings[index] && heading !== '') notes.push(words().noColumn(sanitizeLine(heading, 40)));
  }
  const unknownRoles: string[] = [];
  const rows = (headings ? lines.slice(1) : lines).flatMap(({ cells, line }) => {
    const named = headings ? byHeading(cells, headings) : byContent(cells);
    const row = rowOf(named, line, (note) => notes.push(note));
    if (row === null) {
      notes.push(words().noRow(line));
      return [];
    }
    if (!isRoleKnown(named)) unknownRoles.push(row.name);
    return [row];
  });
  if (rows.length === 0) return null;
  if (unknownRoles.length > 0) notes.push(words().guessedRole(unknownRoles.join(', ')));
  return { rows, notes };
}

interface Line {
  readonly cells: readonly string[];
  /** 1-based. */
  readonly line: number;
}

const EXCEL_SEPARATOR = /^\ufeff?"?sep=."?(?=\r?\n)/;

function split(text: string, notes: string[]): Line[] {
  // A first line of its own tells Excel the separator.
  const delimiter = delimiterOf(text.replace(EXCEL_SEPARATOR, ''));
  const lines: Line[] = [];
  try {
    const plain = text.replace(EXCEL_SEPARATOR, '#');
    const source = delimiter === ' ' ? plain.replaceAll(/[ \t]+/g, ' ') : plain;
    parse(source, {
      delimiter,
      bom: true,
      trim: true,
      comment: '#',
      comment_no_infix: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      on_record(cells: string[], { lines: line }) {
        if (cells.some((cell) => cell !== '')) lines.push({ cells, line });
        return null;
      },
    });
    return lines;
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    notes.push(words().badTable(Number(thrown.lines ?? 0), sanitizeLine(thrown.message, 120)));
    // What stands before the damage is not half of a table.
    return [];
  }
}

/** The separator that most lines hold; blanks when there is none. */
function delimiterOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const held = ['\t', ';', ','].find((sign) => lines.filter((line) => line.includes(sign)).length * 2 > lines.length);
  return held ?? ' ';
}

/** The columns, when the first line holds headings: a known one and no address or MAC. */
function headingsOf([first = [], ...rows]: readonly (readonly string[])[]): readonly (Column | null)[] | null {
  if (first.some((cell) => canonicalMac(cell) !== null || readAddresses(cell).length > 0)) return null;
  const known = first.map(columnOf);
  if (known.every((column) => column === null)) return null;
  const columns = columnsByContent(known, rows);
  return columns.some((column) => column === 'ip' || column === 'mac' || column === 'name') ? columns : null;
}

function byHeading(cells: readonly string[], headings: readonly (Column | null)[]): Cells {
  const named: Cells = {};
  for (const [index, column] of headings.entries()) {
    const cell = cells[index] ?? '';
    // Two columns of addresses (IPv4, IPv6) are one list.
    if (column && cell !== '') named[column] = column === 'ip' && named.ip ? `${named.ip} ${cell}` : cell;
  }
  return named;
}

/** Without headings the content of a cell decides its column, except for numbers, which could be any size. */
function byContent(cells: readonly string[]): Cells {
  const named: Cells = {};
  for (const cell of cells) {
    if (canonicalMac(cell) !== null) named.mac ??= cell;
    else if (readAddresses(cell).length > 0) named.ip = named.ip ? `${named.ip} ${cell}` : cell;
    else if (cell.startsWith('/dev/')) named.installDisk ??= cell;
    else if (isRoleWord(cell)) named.role ??= cell;
    else if (/^[a-z]/i.test(cell)) named.name ??= cell;
  }
  // A machine may be called as its role is: "bootstrap".
  if (named.name === undefined && named.role !== undefined) named.name = named.role;
  return named;
}

function isRoleKnown({ role, name }: Cells): boolean {
  return roleOf(role ?? '') !== null || roleOf(name ?? '') !== null;
}

function rowOf(cells: Cells, line: number, note: Note): NodeRow | null {
  const bad = (column: Exclude<Column, 'name'>) =>
    note(words().badCell(line, words().cells[column], sanitizeLine(cells[column] ?? '', 40)));
  const ip = readAddresses(cells.ip ?? '');
  const mac = canonicalMac(cells.mac ?? '');
  if (cells.ip && ip.length === 0) bad('ip');
  if (cells.mac && mac === null) bad('mac');
  const { name, domain } = splitHostName(cells.name ?? '');
  if (name === '' || (ip.length === 0 && mac === null && cells.role === undefined)) return null;
  if (cells.role && roleOf(cells.role) === null) bad('role');
  return {
    name,
    domain,
    role: roleOf(cells.role ?? '') ?? roleOf(name) ?? 'compute',
    ip,
    mac: mac ?? '',
    ...sizesOf(cells, bad),
  };
}

function sizesOf(cells: Cells, bad: (column: Exclude<Column, 'name'>) => void): Partial<NodeRow> {
  const whole = (column: 'vcpu' | 'vlan') => {
    if (!cells[column]) return {};
    if (/^\d{1,5}$/.test(cells[column])) return { [column]: Number(cells[column]) };
    bad(column);
    return {};
  };
  const gib = (column: 'memoryGiB' | 'diskGiB') => {
    if (!cells[column]) return {};
    const size = gibOf(cells[column]);
    if (size === null) bad(column);
    return size === null ? {} : { [column]: size };
  };
  const firmware = /uefi|efi/i.test(cells.firmware ?? '')
    ? 'uefi'
    : /bios|legacy/i.test(cells.firmware ?? '')
      ? 'bios'
      : null;
  if (cells.firmware && firmware === null) bad('firmware');
  // "Disk" may be a size or a device; a device says where to install.
  const device = deviceOf(cells.installDisk) ?? deviceOf(cells.diskGiB);
  return {
    ...whole('vcpu'),
    ...gib('memoryGiB'),
    ...(deviceOf(cells.diskGiB) ? {} : gib('diskGiB')),
    ...(device ? { installDisk: device } : {}),
    ...(cells.interface ? { interface: cells.interface } : {}),
    ...whole('vlan'),
    ...(firmware ? { firmware } : {}),
  };
}

/** `sda`, `nvme0n1` or a path below /dev as a path, or null. */
export function deviceOf(text: string | undefined): string | null {
  if (!text) return null;
  if (text.startsWith('/dev/')) return text;
  return /^(?:[shv]d[a-z]+|xvd[a-z]+|nvme\d+n\d+|dasd[a-z]+|mmcblk\d+)$/.test(text) ? `/dev/${text}` : null;
}

const IN_GIB: Readonly<Record<string, number>> = { m: 1 / 1024, g: 1, t: 1024 };

/** `16`, `16 GB`, `16,0`, `16384 MiB`, `1T` in GiB, rounded down; null when it is no size. */
function gibOf(text: string): number | null {
  const [, number = '', unit = 'g'] = /^(\d+(?:[.,]\d+)?)\s*([mgt])?(?:i?b)?$/i.exec(text.trim()) ?? [];
  if (number === '') return null;
  const size = Math.floor(Number(number.replace(',', '.')) * (IN_GIB[unit.toLowerCase()] ?? 1));
  return size >= 1 ? size : null;
}
