import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat: start time in clock ticks since boot. */
  readonly start: string;
}

/** Parses a line of /proc/<pid>/stat. Null if it is not one (a partly written copy, for example). */
export function parseProcStat(
  line: string,
): (ProcessIdentity & { readonly state: string; readonly group: number }) | null {
  const pid = Number.parseInt(line, 10);
  // The name (field 2) may contain blanks and brackets: fields are counted after its closing bracket.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  const start = fields[19];
  if (!Number.isInteger(pid) || !line.includes(')') || !state || !group || !start) return null;
  return { pid, start, state, group: Number(group) };
}

/** Finds the live process with this pid. Null if there is none; a zombie counts as ended. */
export function findLiveProcess(pid: number): ReturnType<typeof parseProcStat> {
  try {
    const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return stat && stat.state !== 'Z' && stat.state !== 'X' ? stat : null;
  } catch {
    return null;
  }
}

/** Whether exactly this process is still alive. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return findLiveProcess(pid)?.start === start;
}

/** Returns the identity of this process. */
export function getOwnIdentity(): ProcessIdentity {
  return { pid: process.pid, start: findLiveProcess(process.pid)?.start ?? '' };
}

/**
 * The host, boot and pid namespace of a process, so that another process, perhaps on another host, can decide whether
 * it still runs.
 */
export interface ProcessLocation {
  readonly host: string;
  /** Hash of /etc/machine-id, since host names repeat. Empty if there is none. */
  readonly machine: string;
  /** The boot id of the kernel: different for each boot, the same in all containers of one kernel. */
  readonly boot: string;
  /** The pid namespace of `pid`; null if /proc shows another namespace than ours. */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat. */
  readonly start: string;
}

/** Returns the location of this process. */
export function getOwnLocation(): ProcessLocation {
  const stat = parseProcStat(readText('/proc/self/stat'));
  const machineId = readText('/etc/machine-id').trim();
  const isOurProc = stat?.pid === process.pid;
  return {
    host: hostname(),
    machine: machineId === '' ? '' : hash('sha256', machineId).slice(0, 16),
    boot: readText('/proc/sys/kernel/random/boot_id').trim(),
    pidNamespace: isOurProc ? readLink('/proc/self/ns/pid') : null,
    pid: process.pid,
    start: stat?.start ?? '',
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readLink(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}
