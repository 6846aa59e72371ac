import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism, networkInterfaces, totalmem, userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { MachineEvidence } from '../../diagnosis/machine/evidence.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { listProcessNames } from './listeners.ts';

/** The part of the evidence that system files show. No program is started. */
export type SystemFacts = Pick<
  MachineEvidence,
  'memory' | 'processors' | 'nameServers' | 'selinux' | 'firewall' | 'umask'
> & {
  /** Not part of the files: sudo itself is a program. */
  readonly user: Omit<MachineEvidence['user'], 'hasSudo'>;
};

/** Groups whose members may usually become root with sudo: Debian, RHEL, old Ubuntu. */
const SUDO_GROUPS = ['sudo', 'wheel', 'admin'];

/** @param root directory that the system's files are in */
export async function readSystemFacts(root = ''): Promise<SystemFacts> {
  const read = (path: string) => readFile(`${root}${path}`, 'utf8').catch(() => '');
  const [memory, resolver, enforce, groups, parent, ufw, names] = await Promise.all([
    read('/proc/meminfo'),
    read('/etc/resolv.conf'),
    read('/sys/fs/selinux/enforce'),
    read('/etc/group'),
    read(`/proc/${process.ppid}/status`),
    read('/etc/ufw/ufw.conf'),
    listProcessNames(`${root}/proc`),
  ]);
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(memory)?.[1];
  const mask = /^Umask:\s+([0-7]+)$/m.exec(parent)?.[1];
  const isUfwOn = /^ENABLED=yes$/m.test(ufw);
  return {
    memory: { total: totalmem(), available: available === undefined ? null : Number(available) * 1024 },
    processors: availableParallelism(),
    nameServers: [...resolver.matchAll(/^nameserver\s+(\S+)/gm)].map(([, server = '']) => sanitizeLine(server, 60)),
    selinux: enforce.trim() === '1' ? 'enforcing' : enforce.trim() === '0' ? 'permissive' : 'none',
    firewall: names.has('firewalld') ? 'firewalld' : isUfwOn ? 'ufw' : null,
    umask: mask === undefined ? null : Number.parseInt(mask, 8),
    user: readUserFacts(groups),
  };
}

function readUserFacts(groups: string): SystemFacts['user'] {
  const { username, uid } = userInfo();
  const groupIds = process.getgroups?.() ?? [];
  const sudoGroup = groups
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name = '', , id]) => SUDO_GROUPS.includes(name) && groupIds.includes(Number(id)))?.[0];
  return { name: sanitizeLine(username, 40), isRoot: uid === 0, sudoGroup: sudoGroup ?? null };
}

/**
 * Returns the bytes that this user can still write in a directory, or in its nearest existing parent; null if unknown.
 */
export async function getFreeBytes(dir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing && dirname(dir) !== dir ? await getFreeBytes(dirname(dir)) : null;
  }
}

/** Lists the addresses of this machine, canonical, without those of loopback. */
export function listLocalAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.filter(({ internal }) => !internal).map(({ address }) => address));
}
