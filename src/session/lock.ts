import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, ownIdentity } from '../ports/process-identity.ts';
import { catalogue } from '../text/catalogue.ts';
import { TroubleError } from '../text/trouble.ts';
import { unwritable } from './load.ts';

const words = () => catalogue().session;

/** The right to change the session of an install directory. */
export interface SessionLock {
  release(): void;
}

/**
 * Takes the lock of an install directory, also from a holder that is gone.
 * @throws TroubleError `session-locked` while another living process holds it, `session-unwritable` on a failure
 */
export function acquireLock(dir: string): SessionLock {
  const home = join(dir, '.upi-wizard');
  const file = join(home, 'session.lock');
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unwritable(error);
  }
  const me = ownIdentity();
  const own = `${me.pid} ${me.start}\n`;
  for (;;) {
    try {
      writeFileSync(file, own, { flag: 'wx', mode: 0o600 });
      const release = () => {
        process.off('exit', release);
        if (textOf(file) === own) rmSync(file, { force: true });
      };
      // However the process ends: the next login finds it free.
      process.once('exit', release);
      return { release };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw unwritable(error);
    }
    const [pid = '', start = ''] = textOf(file).trim().split(' ');
    if (isAlive({ pid: Number(pid), start })) {
      const { title, cause, whatToDo } = words().locked;
      throw new TroubleError({ code: 'session-locked', title, cause: cause(Number(pid)), whatToDo });
    }
    rmSync(file, { force: true });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
