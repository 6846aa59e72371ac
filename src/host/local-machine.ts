import { readdir, readFile, readlink, statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { availableParallelism, networkInterfaces, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { getMinimalEnvironment, getUserId, getUserName } from '../platform/environment.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { readProgramOutput } from './programs.ts';

/** A program that hangs is ended after this time (ms). */
const PROGRAM_TIMEOUT_MS = 3000;

/** The state of this machine's clock. */
export interface ClockStatus {
  readonly isSynchronized: boolean | null;
  readonly source: string;
  readonly timeZone: string;
}

/**
 * Reads from systemd or chronyd whether this machine's clock is synchronized. Both are queried locally, not over the
 * network.
 */
export async function readClockStatus(): Promise<ClockStatus> {
  const [timeZone, systemd, chrony] = await Promise.all([
    readTimeZone(process.env),
    readProgramOutput('timedatectl', ['show', '--property=NTPSynchronized', '--value'], PROGRAM_TIMEOUT_MS),
    readProgramOutput('chronyc', ['-n', 'tracking'], PROGRAM_TIMEOUT_MS),
  ]);
  const leapStatus = /^Leap status\s*:\s*(.*)$/m.exec(chrony ?? '')?.[1]?.trim();
  if (leapStatus !== undefined) {
    const source = `chronyd: ${sanitizeLine(leapStatus, 40)}`;
    return { isSynchronized: leapStatus !== 'Not synchronised', source, timeZone };
  }
  const answer = systemd?.trim();
  const isSynchronized = answer === 'yes' ? true : answer === 'no' ? false : null;
  return { isSynchronized, source: 'systemd', timeZone };
}

/**
 * Reads the name of the time zone as the C library finds it (tzset(3)): in TZ, then in the link /etc/localtime. Uses
 * `Intl` only if that is no link, because its first date takes 9 MiB.
 */
async function readTimeZone({ TZ }: Readonly<NodeJS.ProcessEnv>): Promise<string> {
  if (TZ !== undefined && TZ !== '') return sanitizeLine(TZ.replace(/^:/, ''), 40);
  const target = await readlink('/etc/localtime').catch(() => '');
  const zone = /\/zoneinfo\/(.+)$/.exec(target)?.[1];
  return zone === undefined ? new Intl.DateTimeFormat().resolvedOptions().timeZone : sanitizeLine(zone, 40);
}

interface Listener {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  readonly inode: string;
}

const SOCKET_TABLES = ['tcp', 'tcp6', 'udp', 'udp6'] as const;

/** The state of a listening socket (include/net/tcp_states.h): TCP_LISTEN, and for UDP the unconnected state. */
const LISTEN_STATES = { tcp: '0A', udp: '07' } as const;

/**
 * Finds the owners of ports of this machine, on addresses that other machines can reach, in the kernel's tables. Opens
 * no connection.
 * @param ports the ports of interest
 * @param proc directory of the kernel's tables
 */
export async function listPortsInUse(
  ports: readonly Pick<PortInUse, 'protocol' | 'port'>[],
  proc = '/proc',
): Promise<readonly PortInUse[]> {
  const tables = await Promise.all(
    SOCKET_TABLES.map(async (table) => {
      const text = await readFile(`${proc}/net/${table}`, 'utf8').catch(() => '');
      return parseListeners(text, table.startsWith('tcp') ? 'tcp' : 'udp');
    }),
  );
  const listeners = tables
    .flat()
    .filter(({ protocol, port }) =>
      ports.some((wantedPort) => wantedPort.protocol === protocol && wantedPort.port === port),
    );
  const ownerByInode =
    listeners.length === 0 ? new Map<string, PortInUse['owner']>() : await readOwnersByInode(proc, listeners);
  return listeners.map(({ protocol, port, inode }) => ({ protocol, port, owner: ownerByInode.get(inode) ?? null }));
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

/** Whether an address is loopback. The kernel prints 32-bit words in host byte order: 127.0.0.1 is 0100007F. */
function isLoopback(address: string): boolean {
  const isV4 = address.length === 8 || address.startsWith('0000000000000000FFFF0000');
  return isV4 ? address.endsWith('7F') : address === '00000000000000000000000001000000';
}

/** Finds the processes that hold these sockets; only root sees those of other users. */
async function readOwnersByInode(
  proc: string,
  listeners: readonly Listener[],
): Promise<Map<string, PortInUse['owner']>> {
  const inodeByLink = new Map(listeners.map(({ inode }) => [`socket:[${inode}]`, inode]));
  const ownerByInode = new Map<string, PortInUse['owner']>();
  for (const pid of (await readdir(proc)).filter((name) => /^\d+$/.test(name))) {
    if (ownerByInode.size === inodeByLink.size) break;
    const descriptors = await readdir(`${proc}/${pid}/fd`).catch(() => []);
    const links = await Promise.all(
      descriptors.map((descriptor) => readlink(`${proc}/${pid}/fd/${descriptor}`).catch(() => '')),
    );
    for (const link of links) {
      const inode = inodeByLink.get(link);
      if (inode !== undefined) ownerByInode.set(inode, { program: await readProcessName(proc, pid), pid: Number(pid) });
    }
  }
  return ownerByInode;
}

/** Reads the name of the process; its threads may have other names. */
async function readProcessName(proc: string, pid: string): Promise<string> {
  const name = await readFile(`${proc}/${pid}/comm`, 'utf8').catch(() => '');
  return sanitizeLine(name.trim(), 40);
}

/** Lists the names of the processes of this machine. */
async function listProcessNames(proc = '/proc'): Promise<ReadonlySet<string>> {
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name));
  return new Set(await Promise.all(pids.map((pid) => readProcessName(proc, pid))));
}

/** Facts about this machine from system files. No program is started. */
export interface SystemFacts {
  readonly memory: { readonly total: number; readonly available: number | null };
  readonly processors: number;
  /** The name servers that this machine is configured to use. */
  readonly nameServers: readonly string[];
  readonly selinux: 'enforcing' | 'permissive' | 'none';
  readonly firewall: 'firewalld' | 'ufw' | null;
  /** The umask of the shell that started upi-wizard; null if unknown. */
  readonly umask: number | null;
  /** From this process and /etc/group; sudo itself is not run. */
  readonly user: { readonly name: string; readonly isRoot: boolean; readonly sudoGroup: string | null };
}

/** Groups whose members may usually become root with sudo: Debian, RHEL, old Ubuntu. */
const SUDO_GROUPS = ['sudo', 'wheel', 'admin'];

/**
 * Reads facts about this machine from system files.
 * @param root directory that the system's files are in
 */
export async function readSystemFacts(root = ''): Promise<SystemFacts> {
  const read = (path: string) => readFile(`${root}${path}`, 'utf8').catch(() => '');
  const [memory, resolver, enforce, groups, parentStatus, ufw, processNames] = await Promise.all([
    read('/proc/meminfo'),
    read('/etc/resolv.conf'),
    read('/sys/fs/selinux/enforce'),
    read('/etc/group'),
    read(`/proc/${process.ppid}/status`),
    read('/etc/ufw/ufw.conf'),
    listProcessNames(`${root}/proc`),
  ]);
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(memory)?.[1];
  const mask = /^Umask:\s+([0-7]+)$/m.exec(parentStatus)?.[1];
  const isUfwOn = /^ENABLED=yes$/m.test(ufw);
  return {
    memory: { total: totalmem(), available: available === undefined ? null : Number(available) * 1024 },
    processors: availableParallelism(),
    nameServers: [...resolver.matchAll(/^nameserver\s+(\S+)/gm)].map(([, server = '']) => sanitizeLine(server, 60)),
    selinux: enforce.trim() === '1' ? 'enforcing' : enforce.trim() === '0' ? 'permissive' : 'none',
    firewall: processNames.has('firewalld') ? 'firewalld' : isUfwOn ? 'ufw' : null,
    umask: mask === undefined ? null : Number.parseInt(mask, 8),
    user: getCurrentUser(groups),
  };
}

function getCurrentUser(groups: string): SystemFacts['user'] {
  const groupIds = process.getgroups?.() ?? [];
  const sudoGroup = groups
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name = '', , id]) => SUDO_GROUPS.includes(name) && groupIds.includes(Number(id)))?.[0];
  return { name: sanitizeLine(getUserName(), 40), isRoot: getUserId() === 0, sudoGroup: sudoGroup ?? null };
}

/**
 * Returns the bytes that this user can still write in a directory, or in its nearest existing parent; null if unknown.
 */
export async function readFreeBytes(dir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing && dirname(dir) !== dir ? await readFreeBytes(dirname(dir)) : null;
  }
}

/** Lists the addresses of this machine, canonical, without those of loopback. */
export function listLocalAddresses(): ReadonlySet<string> {
  const allAddresses = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(allAddresses.filter(({ internal }) => !internal).map(({ address }) => address));
}

/** A port of this machine that is in use on an address that other hosts reach. */
export interface PortInUse {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  /** Name and process id of the program; null: the system does not show it to this user. */
  readonly owner: { readonly program: string; readonly pid: number } | null;
}

/** Limit of a lookup (ms). glibc waits 5 s for a name server that does not answer, and then queries the next one. */
const LOOKUP_TIMEOUT_MS = 8000;

/** The result of a lookup. `unknown`: getent, which does the lookup, is missing. */
interface HostNameResolution {
  readonly state: 'answered' | 'no-name' | 'timeout' | 'unknown';
  /** Sorted. */
  readonly addresses: readonly string[];
  readonly seconds: number;
}

/** Resolves a name as programs of this machine do (getaddrinfo): with hosts file, search list and all name servers. */
export async function resolveHostName(name: string): Promise<HostNameResolution> {
  const startedAt = performance.now();
  // A separate process: getaddrinfo(3) cannot be cancelled, and would occupy one of Node.js's few threads.
  const { stdout, exitCode, timedOut, code } = await execa('getent', ['ahosts', name], {
    reject: false,
    stdin: 'ignore',
    env: getMinimalEnvironment(),
    extendEnv: false,
    timeout: LOOKUP_TIMEOUT_MS,
  });
  const seconds = (performance.now() - startedAt) / 1000;
  if (code === 'ENOENT') return { state: 'unknown', addresses: [], seconds };
  if (timedOut) return { state: 'timeout', addresses: [], seconds };
  const addresses = [...new Set(stdout.split('\n').map((line) => line.split(/\s/)[0] ?? ''))];
  const validAddresses = addresses.filter((address) => isIP(address) !== 0).sort();
  return {
    state: exitCode === 0 && validAddresses.length > 0 ? 'answered' : 'no-name',
    addresses: validAddresses,
    seconds,
  };
}
