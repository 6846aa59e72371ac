import { readdir, readFile, readlink } from 'node:fs/promises';
import type { PortInUse } from '../../diagnosis/machine/evidence.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

interface Listener {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  readonly inode: string;
}

const TABLES = ['tcp', 'tcp6', 'udp', 'udp6'] as const;
/** The state of a listening socket (include/net/tcp_states.h): TCP_LISTEN, and for UDP the unconnected state. */
const LISTEN_STATES = { tcp: '0A', udp: '07' } as const;

/**
 * Finds the owners of ports of this machine, on addresses that other machines can reach, in the kernel's tables. Opens
 * no connection.
 * @param wanted the ports of interest
 * @param proc directory of the kernel's tables
 */
export async function findListeners(
  wanted: readonly Pick<PortInUse, 'protocol' | 'port'>[],
  proc = '/proc',
): Promise<readonly PortInUse[]> {
  const tables = await Promise.all(
    TABLES.map(async (table) => {
      const text = await readFile(`${proc}/net/${table}`, 'utf8').catch(() => '');
      return parseListeners(text, table.startsWith('tcp') ? 'tcp' : 'udp');
    }),
  );
  const found = tables
    .flat()
    .filter(({ protocol, port }) => wanted.some((each) => each.protocol === protocol && each.port === port));
  const owners = found.length === 0 ? new Map<string, PortInUse['owner']>() : await findOwners(proc, found);
  return found.map(({ protocol, port, inode }) => ({ protocol, port, owner: owners.get(inode) ?? null }));
}

/** Parses /proc/net/tcp and similar tables: `sl local remote st queues timer retransmits uid timeout inode …`. */
function parseListeners(text: string, protocol: Listener['protocol']): Listener[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      if (state !== LISTEN_STATES[protocol] || isLoopback(address)) return [];
      return [{ protocol, port: Number.parseInt(port, 16), inode }];
    });
}

/** Words of 32 bits in the machine's order: 127.0.0.1 is 0100007F. */
function isLoopback(address: string): boolean {
  const isV4 = address.length === 8 || address.startsWith('0000000000000000FFFF0000');
  return isV4 ? address.endsWith('7F') : address === '00000000000000000000000001000000';
}

/** Finds the processes that hold these sockets; only root sees those of other users. */
async function findOwners(proc: string, found: readonly Listener[]): Promise<Map<string, PortInUse['owner']>> {
  const wanted = new Map(found.map(({ inode }) => [`socket:[${inode}]`, inode]));
  const owners = new Map<string, PortInUse['owner']>();
  for (const pid of (await readdir(proc)).filter((name) => /^\d+$/.test(name))) {
    if (owners.size === wanted.size) break;
    const descriptors = await readdir(`${proc}/${pid}/fd`).catch(() => []);
    const links = await Promise.all(
      descriptors.map((descriptor) => readlink(`${proc}/${pid}/fd/${descriptor}`).catch(() => '')),
    );
    for (const link of links) {
      const inode = wanted.get(link);
      if (inode !== undefined) owners.set(inode, { program: await readProcessName(proc, pid), pid: Number(pid) });
    }
  }
  return owners;
}

/** Reads the name of the process; its threads may have other names. */
async function readProcessName(proc: string, pid: string): Promise<string> {
  const name = await readFile(`${proc}/${pid}/comm`, 'utf8').catch(() => '');
  return sanitizeLine(name.trim(), 40);
}

/** Lists the names of the processes of this machine. */
export async function listProcessNames(proc = '/proc'): Promise<ReadonlySet<string>> {
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name));
  return new Set(await Promise.all(pids.map((pid) => readProcessName(proc, pid))));
}
