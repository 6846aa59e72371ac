import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism, networkInterfaces, totalmem, userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { MachineEvidence } from '../../diagnosis/machine/evidence.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { processNames } from './listeners.ts';

/** The part of the evidence that the system shows in files: read, and nothing started or asked. */
export type SystemFacts = Pick<
  MachineEvidence,
  'memory' | 'processors' | 'nameServers' | 'selinux' | 'firewall' | 'umask'
> & {
  /** Sudo itself is a program. */
  readonly user: Omit<MachineEvidence['user'], 'hasSudo'>;
};

/** Groups whose members sudo usually lets become root: Debian, RHEL, old Ubuntu. */
const SUDO_GROUPS = ['sudo', 'wheel', 'admin'];

/** @param root where the system's files are */
export async function systemFacts(root = ''): Promise<SystemFacts> {
  const read = (path: string) => readFile(`${root}${path}`, 'utf8').catch(() => '');
  const [memory, resolver, enforce, groups, parent, ufw, names] = await Promise.all([
    read('/proc/meminfo'),
    read('/etc/resolv.conf'),
    read('/sys/fs/selinux/enforce'),
    read('/etc/group'),
    read(`/proc/${process.ppid}/status`),
    read('/etc/ufw/ufw.conf'),
    processNames(`${root}/proc`),
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
    user: userFacts(groups),
  };
}

function userFacts(groups: string): SystemFacts['user'] {
  const { username, uid } = userInfo();
  const own = process.getgroups?.() ?? [];
  const sudoGroup = groups
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name = '', , id]) => SUDO_GROUPS.includes(name) && own.includes(Number(id)))?.[0];
  return { name: sanitizeLine(username, 40), isRoot: uid === 0, sudoGroup: sudoGroup ?? null };
}

/** Bytes that this user can still write for a directory, or for the nearest one above it that exists. */
export async function freeBytes(dir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing && dirname(dir) !== dir ? await freeBytes(dirname(dir)) : null;
  }
}

/** The addresses of this machine, canonical, without those of loopback. */
export function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.filter(({ internal }) => !internal).map(({ address }) => address));
}
