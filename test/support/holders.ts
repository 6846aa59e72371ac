import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lists the live processes that hold an install directory, or are about to. */
export function listHolders(dir: string): number[] {
  const holdersDir = join(dir, '.upi-wizard/owners');
  if (!existsSync(holdersDir)) return [];
  return readdirSync(holdersDir)
    .filter((name) => /^owner-[0-9a-f]+\.json$/.test(name))
    .flatMap((name) => readPid(join(holdersDir, name)) ?? [])
    .filter((pid) => existsSync(`/proc/${pid}`));
}

function readPid(file: string): number | null {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
  } catch {
    // The file was removed in the meantime.
    return null;
  }
}

/** Lists the sshd ancestors of a process: those of its login. */
export function listLoginProcesses(pid: number): number[] {
  const [, name = '', parent = '0'] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const ancestors = Number(parent) > 1 ? listLoginProcesses(Number(parent)) : [];
  const isSession = name.startsWith('sshd') && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('@');
  return isSession ? [pid, ...ancestors] : ancestors;
}
