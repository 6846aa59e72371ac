import { canonicalMac } from '../address.ts';
import { type NodeRow, parseAddresses } from './node-row.ts';

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
