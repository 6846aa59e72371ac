import { readDhcpdHosts, readHostsFile } from './host-lists.ts';
import { type NodeRows, readTable } from './table.ts';

/** Machines from a list, and the format of that list. */
export interface NodeList extends NodeRows {
  readonly kind: 'table' | 'dhcpd' | 'hosts';
}

/**
 * Reads machines from text: dhcpd `host` blocks, a hosts file, or a table with tabs, commas, semicolons or blanks. Null
 * when it is none of these. Never throws.
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
