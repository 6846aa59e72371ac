import { canonicalMac } from '../address.ts';
import { isRecord } from '../paths.ts';
import { type NodeRow, parseAddresses } from './node-row.ts';

// Files of other tools are read leniently: a value of an unexpected type counts as missing.

/** Returns the block at a key, or an empty one. */
export function getBlock(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(found) && !Array.isArray(found) ? found : {};
}

/** Returns the list at a key, or an empty one; a lone value is a list of one. */
export function getList(value: unknown, key: string): readonly unknown[] {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? found : [found];
}

/** Returns the trimmed text at a key, or undefined; numbers are converted to text. */
export function getText(value: unknown, key: string): string | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' && found.trim() !== '' ? found.trim() : undefined;
}

/** Returns the integer at a key, or undefined. A number in quotes does not count. */
export function getInteger(value: unknown, key: string): number | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) ? found : undefined;
}

/** Returns the boolean at a key, also as YAML 1.1 writes it (yes, no), or undefined. */
export function getBoolean(value: unknown, key: string): boolean | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof found === 'string' && /^(?:true|yes|false|no)$/i.test(found)) return /^(?:true|yes)$/i.test(found);
  return typeof found === 'boolean' ? found : undefined;
}

/** Removes undefined values. Returns undefined for an empty list, so that the design omits the key. */
export function compactList<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const defined = values.filter((value) => value !== undefined);
  return defined.length > 0 ? defined : undefined;
}

/** Decodes a file: UTF-8, or UTF-16 with a byte order mark (the "Unicode text" of spreadsheets). */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittleEndian = first === 0xff && second === 0xfe;
  const isBigEndian = first === 0xfe && second === 0xff;
  return new TextDecoder(isLittleEndian ? 'utf-16le' : isBigEndian ? 'utf-16be' : 'utf-8').decode(bytes);
}

/** The content of a column in a table of nodes. */
export type Column = 'name' | 'role' | 'ip' | 'mac' | Exclude<keyof NodeRow, 'name' | 'domain' | 'role' | 'ip' | 'mac'>;

const HEADINGS: readonly (readonly [RegExp, Column])[] = [
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

/** Finds the column of a heading, ignoring capitals, blanks, brackets and units; null if it is unknown. */
export function findColumn(heading: string): Column | null {
  const word = heading.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return HEADINGS.find(([pattern]) => pattern.test(word))?.[1] ?? null;
}

// The order matters: a column that matches no other test is a name.
const CONTENT_TESTS: readonly (readonly [Column, (cells: readonly string[]) => boolean])[] = [
  ['mac', (cells) => cells.every((cell) => canonicalMac(cell) !== null)],
  ['ip', (cells) => cells.every((cell) => parseAddresses(cell).length > 0)],
  ['role', (cells) => cells.every(isRoleWord)],
  ['installDisk', (cells) => cells.every((cell) => cell.startsWith('/dev/'))],
  [
    'name',
    (cells) => cells.every((cell) => /^[a-z0-9][\w.-]*[a-z0-9]$/i.test(cell)) && new Set(cells).size === cells.length,
  ],
];

/**
 * Returns the columns of a table; a column with an unknown heading (in another language) is detected by its content.
 */
export function detectColumns(
  known: readonly (Column | null)[],
  rows: readonly (readonly string[])[],
): readonly (Column | null)[] {
  const columns = [...known];
  for (const [column, isLike] of CONTENT_TESTS) {
    if (columns.includes(column)) continue;
    const index = columns.findIndex((taken, at) => {
      const cells = rows.map((row) => row[at] ?? '').filter((cell) => cell !== '');
      return taken === null && cells.length > 0 && isLike(cells);
    });
    if (index >= 0) columns[index] = column;
  }
  return columns;
}

/** Whether a cell is a role and nothing else. */
export function isRoleWord(cell: string): boolean {
  return /^(?:bootstrap|masters?|control[ _-]?planes?|workers?|compute|infra|storage)$/i.test(cell);
}
