import { mkdirSync } from 'node:fs';
import { directoryProblem } from '../session/directories.ts';
import { TroubleError } from '../text/trouble.ts';

/**
 * An install directory that may be used, made when it is not there.
 * @throws TroubleError `directory-…` for one that must not be
 */
export function usableDirectory(dir: string): string {
  const problem = directoryProblem(dir);
  if (problem) throw new TroubleError(problem);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return dir;
}
