import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { previousFile, sessionFile } from '../../session/load.ts';

/**
 * The command line that leads to a new rehearsal, a new installation, or one that was worked on here.
 * @param dir of the one to open
 */
export function argvElsewhere(how: 'rehearse' | 'new' | 'open', dir: string | null, cwd: string): readonly string[] {
  switch (how) {
    case 'rehearse':
      return ['rehearse', '--dir', freshDirectory(cwd, 'upi-rehearsal')];
    case 'new':
      return ['--dir', freshDirectory(cwd, 'upi-cluster')];
    case 'open':
      return ['--dir', dir ?? freshDirectory(cwd, 'upi-cluster')];
  }
}

/** The first of `name`, `name-2`, `name-3` … that holds no session. */
export function freshDirectory(cwd: string, name: string): string {
  for (let count = 1; ; count += 1) {
    const dir = resolve(cwd, count === 1 ? name : `${name}-${count}`);
    if (!existsSync(sessionFile(dir)) && !existsSync(previousFile(dir))) return dir;
  }
}
