import { accessSync, constants } from 'node:fs';
import { UserErrorException } from '../../i18n/user-error.ts';
import { makeDirectory } from '../../platform/files.ts';
import { findDirectoryProblem, unusableDirectoryError } from '../../session/session-file.ts';

/**
 * Returns an install directory that can be used; creates it if it is missing.
 * @throws UserErrorException `directory-…` if it cannot be used
 */
export function ensureUsableDirectory(dir: string): string {
  const problem = findDirectoryProblem(dir);
  if (problem) throw new UserErrorException(problem);
  try {
    makeDirectory(dir);
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UserErrorException(unusableDirectoryError(dir, error));
  }
  return dir;
}
