import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseStat } from './process-identity.ts';

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
  const stat = parseStat(readText('/proc/self/stat'));
  const machineId = readText('/etc/machine-id').trim();
  const isOurProc = stat?.pid === process.pid;
  return {
    host: hostname(),
    machine: machineId === '' ? '' : createHash('sha256').update(machineId).digest('hex').slice(0, 16),
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
