import { isDeepStrictEqual } from 'node:util';
import { CsvError, parse } from 'csv-parse/sync';
import { catalogue } from '../../i18n/catalogue.ts';
import { findClosestWord } from '../../platform/closest-word.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { toCanonicalAddress, toCanonicalMac } from '../address.ts';
import { NODE_ROLES, type NodeRole } from '../choices.ts';
import type { PartialDocument } from './imported-design.ts';

/** One machine of a list. Keys without a value are absent; values that cannot be parsed stay as written. */
export interface NodeRow {
  /** The first label of the host name, in lower case; empty when missing. */
  readonly name: string;
  /** The rest of the host name: `ocp45.example.localdomain`; empty for a short name. */
  readonly domain: string;
  readonly role: NodeRole;
  /** One address, or an IPv4 and an IPv6 one; empty when missing. */
  readonly ip: readonly string[];
  /** Lower case with colons; empty when missing. */
  readonly mac: string;
  readonly vcpu?: number;
  readonly memoryGiB?: number;
  readonly diskGiB?: number;
  readonly installDisk?: string;
  readonly interface?: string;
  readonly vlan?: number;
  readonly firmware?: 'uefi' | 'bios';
}

/** Splits a host name into the node's name and the domain, both in lower case. */
export function splitHostName(text: string): Pick<NodeRow, 'name' | 'domain'> {
  const [name = '', ...rest] = text.trim().toLowerCase().replace(/\.$/, '').split('.');
  return { name, domain: rest.join('.') };
}

// The order decides: "infra-worker1" is an infra node, "control-plane-storage" is not a storage node.
const ROLE_PATTERNS: readonly (readonly [RegExp, NodeRole])[] = [
  [/^(?:bootstrap|boot|bs)\d*$|bootstrap/, 'bootstrap'],
  [/master|control|^(?:m|cp|ctrl|ctlplane)-?\d+$/, 'control-plane'],
  [/arbiter/, 'arbiter'],
  [/infra|^i-?\d+$/, 'infra'],
  [/storage|^(?:ocs|odf|ceph|s)-?\d*$/, 'storage'],
];

/** Detects the role in a role word or machine name (`master`, `worker-3`, `cp1`, `infra2`); null when there is none. */
export function detectRole(text: string): NodeRole | null {
  const word = text.trim().toLowerCase();
  const match = ROLE_PATTERNS.find(([pattern]) => pattern.test(word));
  if (match) return match[1];
  return /worker|compute|^(?:w|wk|wrk|c|node)-?\d*$/.test(word) ? 'compute' : null;
}

/** Parses the addresses in a text and drops their prefix lengths: `172.16.0.21/24, fd00::21`. */
export function parseAddresses(text: string): string[] {
  return text
    .split(/[\s,;|]+/)
    .map((word) => toCanonicalAddress(word.replace(/\/\d{1,3}$/, '')))
    .filter((address) => address !== null);
}

/**
 * Whether a text has the form of a MAC address; it may be mistyped. That is six or more groups, three groups of four
 * characters, or four or more pairs of hexadecimal digits.
 */
export function looksLikeMac(text: string): boolean {
  return /^[\da-z]{1,3}(?:[:-][\da-z]{1,3}){5,}$|^[\da-z]{4}(?:\.[\da-z]{4}){2}$|^[\da-f]{2}(?:[:-][\da-f]{2}){3,}$/i.test(
    text,
  );
}

/** Converts rows to the nodes of a design document, sorted by role; keys without a value are left out. */
export function toDocumentNodes(rows: readonly NodeRow[]): PartialDocument[] {
  const sortedRows = [...rows].sort((a, b) => NODE_ROLES.indexOf(a.role) - NODE_ROLES.indexOf(b.role));
  return sortedRows.map(({ domain: _domain, ip, ...row }) => {
    const { name, role, mac, ...sizes } = row;
    return { name, role, ip: ip.length > 1 ? ip.slice(0, 2) : (ip[0] ?? ''), mac, ...sizes };
  });
}

const words = () => catalogue().imports;

/** Rows of a list, and notes for the user on what was left out. */
export interface ImportedNodes {
  readonly rows: readonly NodeRow[];
  readonly notes: readonly string[];
}

type CellsByColumn = Partial<Record<Column, string>>;
type AddNote = (text: string) => unknown;

/**
 * Parses a table of nodes: one node per line, cells separated by tabs (as a spreadsheet copies them), semicolons,
 * commas or blanks, with or without a heading line. Null when no line names a node.
 */
export function parseNodeTable(text: string): ImportedNodes | null {
  const notes: string[] = [];
  const lines = parseLines(text, notes);
  const [firstLine] = lines;
  if (!firstLine) return null;
  const headings = detectHeadings(lines.map(({ cells }) => cells));
  if (headings) {
    for (const [index, heading] of firstLine.cells.entries())
      if (!headings[index] && heading !== '')
        notes.push(words().noColumn(sanitizeLine(heading, 40), findClosestWord(heading, SUGGESTED_HEADINGS)));
  }
  const unknownRoles: string[] = [];
  // Two tables may be pasted one after the other, each with its heading line.
  const isHeadingLine = ({ cells }: Line) => headings !== null && isDeepStrictEqual(cells, firstLine.cells);
  const rows = lines
    .filter((line) => !isHeadingLine(line))
    .flatMap(({ cells, lineNumber }) => {
      const addNote = (note: string) => notes.push(note);
      const cellsByColumn = headings
        ? assignCellsByHeading(cells, headings)
        : assignCellsByContent(cells, lineNumber, addNote);
      const row = toNodeRow(cellsByColumn, lineNumber, addNote);
      if (row === null) {
        notes.push(words().noRow(lineNumber));
        return [];
      }
      if (!hasKnownRole(cellsByColumn)) unknownRoles.push(row.name);
      return [row];
    });
  if (rows.length === 0) return null;
  if (unknownRoles.length > 0) notes.push(words().guessedRole(unknownRoles.join(', ')));
  return { rows, notes };
}

interface Line {
  readonly cells: readonly string[];
  /** 1-based. */
  readonly lineNumber: number;
}

const EXCEL_SEPARATOR = /^\ufeff?"?sep=."?(?=\r?\n)/;

function parseLines(text: string, notes: string[]): Line[] {
  // A first line `sep=…` declares the separator for Excel.
  const delimiter = detectDelimiter(text.replace(EXCEL_SEPARATOR, ''));
  const lines: Line[] = [];
  try {
    const csv = text.replace(EXCEL_SEPARATOR, '#');
    const source = delimiter === ' ' ? csv.replaceAll(/[ \t]+/g, ' ') : csv;
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
        if (cells.some((cell) => cell !== '')) lines.push({ cells, lineNumber: line });
        return null;
      },
    });
    return lines;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    notes.push(words().badTable(Number(error.lines ?? 0), sanitizeLine(error.message, 120)));
    // Rows before the error are dropped: half a table would mislead.
    return [];
  }
}

/** Detects the separator on most lines; a blank when there is none. */
function detectDelimiter(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const separator = ['\t', ';', ','].find(
    (separator) => lines.filter((line) => line.includes(separator)).length * 2 > lines.length,
  );
  return separator ?? ' ';
}

/** Detects the columns when the first line is a heading line: a known heading, and no address or MAC. */
function detectHeadings([first = [], ...rows]: readonly (readonly string[])[]): readonly (Column | null)[] | null {
  if (first.some((cell) => toCanonicalMac(cell) !== null || parseAddresses(cell).length > 0)) return null;
  const headingColumns = first.map(findColumn);
  if (headingColumns.every((column) => column === null)) return null;
  const columns = detectColumns(headingColumns, rows);
  return columns.some((column) => column === 'ip' || column === 'mac' || column === 'name') ? columns : null;
}

function assignCellsByHeading(cells: readonly string[], headings: readonly (Column | null)[]): CellsByColumn {
  const cellsByColumn: CellsByColumn = {};
  for (const [index, column] of headings.entries()) {
    const cell = cells[index] ?? '';
    // Two columns of addresses (IPv4, IPv6) are one list.
    if (column && cell !== '')
      cellsByColumn[column] = column === 'ip' && cellsByColumn.ip ? `${cellsByColumn.ip} ${cell}` : cell;
  }
  return cellsByColumn;
}

/** Assigns cells to columns by their content, except numbers, which could be any size. Reports unassigned cells. */
function assignCellsByContent(cells: readonly string[], lineNumber: number, addNote: AddNote): CellsByColumn {
  const cellsByColumn: CellsByColumn = {};
  const numbers: string[] = [];
  for (const cell of cells.filter((text) => text !== '')) {
    const column = detectColumn(cell);
    const shortCell = sanitizeLine(cell, 40);
    if (column === 'number') numbers.push(shortCell);
    else if (column === 'ip' && cellsByColumn.ip) cellsByColumn.ip += ` ${cell}`;
    else if (column !== null && cellsByColumn[column] === undefined) cellsByColumn[column] = cell;
    else if (column === null || column === 'name') addNote(words().unknownCell(lineNumber, shortCell));
    else addNote(words().secondCell(lineNumber, words().cells[column], shortCell));
  }
  if (numbers.length > 0) addNote(words().numberCells(lineNumber, numbers.join(', ')));
  // A machine may be named after its role: "bootstrap".
  if (cellsByColumn.name === undefined && cellsByColumn.role !== undefined) cellsByColumn.name = cellsByColumn.role;
  return cellsByColumn;
}

/** Detects the column of a cell without a heading. A mistyped address or MAC belongs to its column; null: unknown. */
function detectColumn(cell: string): 'mac' | 'ip' | 'installDisk' | 'role' | 'name' | 'number' | null {
  if (toCanonicalMac(cell) !== null) return 'mac';
  if (parseAddresses(cell).length > 0) return 'ip';
  if (looksLikeMac(cell)) return 'mac';
  if (/^\d+(?:[.,]\d+)?\s*(?:[mgt]i?b?)?$/i.test(cell)) return 'number';
  if (/^[\d.]+(?:\/\d*)?$/.test(cell) || cell.includes(':')) return 'ip';
  if (cell.startsWith('/dev/')) return 'installDisk';
  if (isRoleWord(cell)) return 'role';
  return /^[a-z]/i.test(cell) ? 'name' : null;
}

function hasKnownRole({ role, name }: CellsByColumn): boolean {
  return detectRole(role ?? '') !== null || detectRole(name ?? '') !== null;
}

function toNodeRow(cells: CellsByColumn, lineNumber: number, addNote: AddNote): NodeRow | null {
  const reportBadCell = (column: Exclude<Column, 'name'>) =>
    addNote(words().badCell(lineNumber, words().cells[column], sanitizeLine(cells[column] ?? '', 40)));
  const ip = parseAddresses(cells.ip ?? '');
  const mac = toCanonicalMac(cells.mac ?? '');
  if (cells.ip && ip.length === 0) reportBadCell('ip');
  if (cells.mac && mac === null) reportBadCell('mac');
  const { name, domain } = splitHostName(cells.name ?? '');
  if (name === '' || (ip.length === 0 && mac === null && cells.role === undefined)) return null;
  if (cells.role && detectRole(cells.role) === null) reportBadCell('role');
  return {
    name,
    domain,
    role: detectRole(cells.role ?? '') ?? detectRole(name) ?? 'compute',
    ip,
    mac: mac ?? '',
    ...parseHardware(cells, reportBadCell),
  };
}

function parseHardware(
  cells: CellsByColumn,
  reportBadCell: (column: Exclude<Column, 'name'>) => void,
): Partial<NodeRow> {
  const parseIntegerCell = (column: 'vcpu' | 'vlan') => {
    if (!cells[column]) return {};
    if (/^\d{1,5}$/.test(cells[column])) return { [column]: Number(cells[column]) };
    reportBadCell(column);
    return {};
  };
  const parseSizeCell = (column: 'memoryGiB' | 'diskGiB') => {
    if (!cells[column]) return {};
    const size = parseGiB(cells[column]);
    if (size === null) reportBadCell(column);
    return size === null ? {} : { [column]: size };
  };
  const firmware = /uefi|efi/i.test(cells.firmware ?? '')
    ? 'uefi'
    : /bios|legacy/i.test(cells.firmware ?? '')
      ? 'bios'
      : null;
  if (cells.firmware && firmware === null) reportBadCell('firmware');
  // "Disk" may be a size or a device; a device says where to install.
  const device = toDevicePath(cells.installDisk) ?? toDevicePath(cells.diskGiB);
  return {
    ...parseIntegerCell('vcpu'),
    ...parseSizeCell('memoryGiB'),
    ...(toDevicePath(cells.diskGiB) ? {} : parseSizeCell('diskGiB')),
    ...(device ? { installDisk: device } : {}),
    ...(cells.interface ? { interface: cells.interface } : {}),
    ...parseIntegerCell('vlan'),
    ...(firmware ? { firmware } : {}),
  };
}

/** Normalizes `sda`, `nvme0n1` or a path below /dev to a device path; null for anything else. */
export function toDevicePath(text: string | undefined): string | null {
  if (!text) return null;
  if (text.startsWith('/dev/')) return text;
  return /^(?:[shv]d[a-z]+|xvd[a-z]+|nvme\d+n\d+|dasd[a-z]+|mmcblk\d+)$/.test(text) ? `/dev/${text}` : null;
}

const GIB_PER_UNIT: Readonly<Record<string, number>> = { m: 1 / 1024, g: 1, t: 1024 };

/** Parses `16`, `16 GB`, `16,0`, `16384 MiB` or `1T` as GiB, rounded down; null when it is no size. */
function parseGiB(text: string): number | null {
  const [, number = '', unit = 'g'] = /^(\d+(?:[.,]\d+)?)\s*([mgt])?(?:i?b)?$/i.exec(text.trim()) ?? [];
  if (number === '') return null;
  const size = Math.floor(Number(number.replace(',', '.')) * (GIB_PER_UNIT[unit.toLowerCase()] ?? 1));
  return size >= 1 ? size : null;
}

/** The content of a column in a table of nodes. */
type Column = 'name' | 'role' | 'ip' | 'mac' | Exclude<keyof NodeRow, 'name' | 'domain' | 'role' | 'ip' | 'mac'>;

const HEADING_PATTERNS: readonly (readonly [RegExp, Column])[] = [
  [
    /^(?:ip|ips|ipv[46]|address|addresses|(?:ip(?:v[46])?|static)(?:address|addr|addresses)|fixedaddress|ipaddr)$/,
    'ip',
  ],
  [/^(?:mac|macs|macaddr|macaddress|hwaddr|hwaddress|hardwareethernet|ethernet|bootmac|bootmacaddress)$/, 'mac'],
  [/^(?:name|host|hostname|node|nodename|fqdn|server|servername|machine|vm|vmname)$/, 'name'],
  [/^(?:role|roles|type|function|kind|group)$/, 'role'],
  [/^(?:vcpus?|cpus?|cores?|numcpus?)$/, 'vcpu'],
  [/^(?:memory|mem|ram|memorygi?b|memgi?b|ramgi?b)$/, 'memoryGiB'],
  [/^(?:installdisk|installdev(?:ice)?|rootdevice|device|rootdisk|diskdevice|bootdisk)$/, 'installDisk'],
  [/^(?:disk|disksize|diskgi?b|storage|storagegi?b|capacity|disksizegi?b)$/, 'diskGiB'],
  [/^(?:interface|nic|if|ifname|iface|networkinterface)$/, 'interface'],
  [/^(?:vlan|vlanid)$/, 'vlan'],
  [/^(?:firmware|bootmode|bios)$/, 'firmware'],
];

/** The headings that are suggested for an unknown one. */
const SUGGESTED_HEADINGS = [
  ...['name', 'hostname', 'role', 'address', 'ip', 'mac', 'macaddress', 'vcpu', 'cpu', 'memory', 'disk', 'installdisk'],
  ...['interface', 'vlan', 'firmware'],
];

/** Finds the column of a heading, ignoring capitals, blanks, brackets and units; null if it is unknown. */
function findColumn(heading: string): Column | null {
  const word = heading.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return HEADING_PATTERNS.find(([pattern]) => pattern.test(word))?.[1] ?? null;
}

// The order matters: a column that matches no other test is a name.
const CONTENT_TESTS: readonly (readonly [Column, (cells: readonly string[]) => boolean])[] = [
  ['mac', (cells) => cells.every((cell) => toCanonicalMac(cell) !== null)],
  ['ip', (cells) => cells.every((cell) => parseAddresses(cell).length > 0)],
  ['role', (cells) => cells.every(isRoleWord)],
  ['installDisk', (cells) => cells.every((cell) => cell.startsWith('/dev/'))],
  [
    'name',
    (cells) => cells.every((cell) => /^[a-z0-9][\w.-]*[a-z0-9]$/i.test(cell)) && new Set(cells).size === cells.length,
  ],
];

/**
 * Detects the columns of a table; a column with an unknown heading (in another language) is detected by its content.
 */
function detectColumns(
  headingColumns: readonly (Column | null)[],
  rows: readonly (readonly string[])[],
): readonly (Column | null)[] {
  const columns = [...headingColumns];
  for (const [column, matchesColumn] of CONTENT_TESTS) {
    if (columns.includes(column)) continue;
    const index = columns.findIndex((assignedColumn, position) => {
      const cells = rows.map((row) => row[position] ?? '').filter((cell) => cell !== '');
      return assignedColumn === null && cells.length > 0 && matchesColumn(cells);
    });
    if (index >= 0) columns[index] = column;
  }
  return columns;
}

/** Whether a cell is a role and nothing else. */
function isRoleWord(cell: string): boolean {
  return /^(?:bootstrap|masters?|control[ _-]?planes?|workers?|compute|infra|storage)$/i.test(cell);
}
