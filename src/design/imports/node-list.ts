import { readDhcpdHosts, readHostsFile } from './host-lists.ts';
import { type Rows, readTable } from './table.ts';

/** A list of machines, and what it was. */
export interface NodeList extends Rows {
  readonly kind: 'table' | 'dhcpd' | 'hosts';
}

/**
 * Reads machines from text that a person has: dhcpd `host` blocks, a hosts file, or a table with tabs, commas, semicolons or
 * blanks. Null: none of them. Never throws.
 */
export function readNodeList(text: string): NodeList | null {
  const plain = text.replaceAll(/\r\n?/g, '\n');
  const dhcpd = readDhcpdHosts(plain);
  if (dhcpd) return { kind: 'dhcpd', ...dhcpd };
  const hosts = readHostsFile(plain);
  if (hosts) return { kind: 'hosts', rows: hosts.rows, notes: hosts.notes };
  const table = readTable(plain);
  return table && { kind: 'table', ...table };
}
