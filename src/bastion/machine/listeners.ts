import { readdir, readFile, readlink } from 'node:fs/promises';
import type { PortInUse } from '../../diagnosis/machine/evidence.ts';
import { sanitizeLine } from '../../text/sanitize.ts';

interface Listener {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  readonly inode: string;
}

const TABLES = ['tcp', 'tcp6', 'udp', 'udp6'] as const;
/** The states of a socket that waits for others (include/net/tcp_states.h): TCP_LISTEN, and for UDP the unconnected one. */
const WAITING = { tcp: '0A', udp: '07' } as const;

/**
 * Who has ports of this machine, on addresses that other machines reach, as the kernel's tables say. Opens no connection.
 * @param wanted the ports of interest
 * @param proc where the kernel shows its tables
 */
export async function listeners(
  wanted: readonly Pick<PortInUse, 'protocol' | 'port'>[],
  proc = '/proc',
): Promise<readonly PortInUse[]> {
  const tables = await Promise.all(
    TABLES.map(async (table) => {
      const text = await readFile(`${proc}/net/${table}`, 'utf8').catch(() => '');
      return waitingIn(text, table.startsWith('tcp') ? 'tcp' : 'udp');
    }),
  );
  const found = tables
    .flat()
    .filter(({ protocol, port }) => wanted.some((each) => each.protocol === protocol && each.port === port));
  const owners = found.length === 0 ? new Map<string, PortInUse['owner']>() : await ownersOf(proc, found);
  return found.map(({ protocol, port, inode }) => ({ protocol, port, owner: owners.get(inode) ?? null }));
}

/** Lines of /proc/net/tcp and its like: `sl local remote st queues timer retransmits uid timeout inode …`. */
function waitingIn(text: string, protocol: Listener['protocol']): Listener[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      if (state !== WAITING[protocol] || isLoopback(address)) return [];
      return [{ protocol, port: Number.parseInt(port, 16), inode }];
    });
}

/** Words of 32 bits in the machine's order: 127.0.0.1 is 0100007F. */
function isLoopback(address: string): boolean {
  const isV4 = address.length === 8 || address.startsWith('0000000000000000FFFF0000');
  return isV4 ? address.endsWith('7F') : address === '00000000000000000000000001000000';
}

/** The processes that hold these sockets; those of other users show to root alone. */
async function ownersOf(proc: string, found: readonly Listener[]): Promise<Map<string, PortInUse['owner']>> {
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
      if (inode !== undefined) owners.set(inode, { program: await nameOf(proc, pid), pid: Number(pid) });
    }
  }
  return owners;
}

/** As the process calls itself; one of its threads may have another name. */
async function nameOf(proc: string, pid: string): Promise<string> {
  const name = await readFile(`${proc}/${pid}/comm`, 'utf8').catch(() => '');
  return sanitizeLine(name.trim(), 40);
}

/** The names of the processes of this machine. */
export async function processNames(proc = '/proc'): Promise<ReadonlySet<string>> {
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name));
  return new Set(await Promise.all(pids.map((pid) => nameOf(proc, pid))));
}
