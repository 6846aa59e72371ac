import { existsSync } from 'node:fs';
import { resolve } from 'node:path/posix';
import { previousSessionFile, sessionFile } from '../../session/session-file.ts';

/** Finds the first of `name`, `name-2`, `name-3` … without a session. */
export function findUnusedDirectory(cwd: string, name: string): string {
  for (let count = 1; ; count += 1) {
    const dir = resolve(cwd, count === 1 ? name : `${name}-${count}`);
    if (!existsSync(sessionFile(dir)) && !existsSync(previousSessionFile(dir))) return dir;
  }
}

/**
 * The arguments of the next wizard: for a new rehearsal, a new installation, or an existing one.
 * @param dir the directory of the one to open
 */
export function buildNextArgv(how: 'rehearse' | 'new' | 'open', dir: string | null, cwd: string): readonly string[] {
  switch (how) {
    case 'rehearse':
      return ['rehearse', '--dir', findUnusedDirectory(cwd, 'upi-rehearsal')];
    case 'new':
      return ['--dir', findUnusedDirectory(cwd, 'upi-cluster')];
    case 'open':
      return ['--dir', dir ?? findUnusedDirectory(cwd, 'upi-cluster')];
  }
}
