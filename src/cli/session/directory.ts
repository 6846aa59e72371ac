import { accessSync, constants } from 'node:fs';
import { makeDirectory } from '../../ports/make-directory.ts';
import { directoryProblem, unusableDirectory } from '../../session/directory-problem.ts';
import { TroubleError } from '../../text/trouble.ts';

/**
 * A usable install directory; creates it when it is missing.
 * @throws TroubleError `directory-…` for one that must not be
 */
export function usableDirectory(dir: string): string {
  const problem = directoryProblem(dir);
  if (problem) throw new TroubleError(problem);
  try {
    makeDirectory(dir);
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new TroubleError(unusableDirectory(dir, error));
  }
  return dir;
}
