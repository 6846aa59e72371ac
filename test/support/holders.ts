import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The processes that hold an install directory, or are about to: those that live. */
export function holdersOf(dir: string): number[] {
  const owners = join(dir, '.upi-wizard/owners');
  if (!existsSync(owners)) return [];
  return readdirSync(owners)
    .filter((name) => /^owner-[0-9a-f]+\.json$/.test(name))
    .flatMap((name) => pidIn(join(owners, name)) ?? [])
    .filter((pid) => existsSync(`/proc/${pid}`));
}

function pidIn(file: string): number | null {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
  } catch {
    // It was withdrawn just now.
    return null;
  }
}

/** The sshd processes above a process: those of its login. */
export function loginsOf(pid: number): number[] {
  const [, name = '', parent = '0'] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const above = Number(parent) > 1 ? loginsOf(Number(parent)) : [];
  const isSession = name.startsWith('sshd') && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('@');
  return isSession ? [pid, ...above] : above;
}
