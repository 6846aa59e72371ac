import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { session as words } from '../text/en/session.ts';
import { TroubleError } from '../text/trouble.ts';
import { unwritable } from './load.ts';

/** The right to change the session of an install directory. */
export interface SessionLock {
  release(): void;
}

/**
 * Takes the lock of an install directory; one whose holder is gone is taken over.
 * @throws TroubleError `session-locked` while another living process holds it, `session-unwritable` where none can be made
 */
export function acquireLock(dir: string): SessionLock {
  const home = join(dir, '.upi-wizard');
  const file = join(home, 'session.lock');
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unwritable(error);
  }
  const own = `${process.pid} ${startOf(process.pid)}\n`;
  for (;;) {
    try {
      writeFileSync(file, own, { flag: 'wx', mode: 0o600 });
      const release = () => {
        process.off('exit', release);
        if (textOf(file) === own) rmSync(file, { force: true });
      };
      // However the process ends: whoever logs in again at once finds it free.
      process.once('exit', release);
      return { release };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw unwritable(error);
    }
    const [pid = '', start = ''] = textOf(file).trim().split(' ');
    if (start !== '' && startOf(Number(pid)) === start) {
      const { title, cause, whatToDo } = words.locked;
      throw new TroubleError({ code: 'session-locked', title, cause: cause(Number(pid)), whatToDo });
    }
    rmSync(file, { force: true });
  }
}

/** Field 22 of /proc/<pid>/stat; empty where no such process lives, or only its exit code waits for somebody to take it. */
function startOf(pid: number): string {
  const stat = textOf(`/proc/${pid}/stat`);
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /^[ZX]$/.test(state) ? '' : (fields[18] ?? '');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
