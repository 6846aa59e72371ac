import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseStat } from './process-identity.ts';

/** Where a process runs, so that another process, perhaps on another machine, can tell whether it still does. */
export interface ProcessPlace {
  readonly host: string;
  /** Hash of /etc/machine-id: names of hosts repeat. Empty where there is none. */
  readonly machine: string;
  /** The boot id of the kernel: it differs for each boot, and is the same in all containers of one kernel. */
  readonly boot: string;
  /** The pid namespace that `pid` is a number of; null where /proc shows another namespace than ours. */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat. */
  readonly start: string;
}

/** Where this process runs. */
export function ownPlace(): ProcessPlace {
  const stat = parseStat(textOf('/proc/self/stat'));
  const machineId = textOf('/etc/machine-id').trim();
  const isOurProc = stat?.pid === process.pid;
  return {
    host: hostname(),
    machine: machineId === '' ? '' : createHash('sha256').update(machineId).digest('hex').slice(0, 16),
    boot: textOf('/proc/sys/kernel/random/boot_id').trim(),
    pidNamespace: isOurProc ? linkOf('/proc/self/ns/pid') : null,
    pid: process.pid,
    start: stat?.start ?? '',
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function linkOf(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}
