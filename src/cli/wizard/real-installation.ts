import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { acquireLock } from '../../session/lock.ts';
import { sessionFile } from '../../session/session-file.ts';
import { freshState } from '../../session/state.ts';

import { openSession } from '../../session/store.ts';
import { FILE_KEYS, resolveDesignPath } from '../../steps/shared/files/credentials.ts';
import { type DesignDocument, getAt, setAt } from '../../wizard/design/document.ts';
import { ensureUsableDirectory } from '../session/directory.ts';

/**
 * Begins a real installation with the answers of a rehearsal, in its own directory. It continues at the credentials if
 * one is missing, else at the files. Simulated credentials stay with the rehearsal.
 * @param typedDir the directory as typed: relative to the parent of the rehearsal; `~` is the user's home
 * @returns the absolute path of the directory
 * @throws UserErrorException `installation-exists`, `directory-…`, `session-unwritable`, `session-locked`
 */
export async function beginInstallation(
  rehearsalDir: string,
  typedDir: string,
  document: DesignDocument,
  version: string,
): Promise<string> {
  const dir = resolveDesignPath(typedDir, dirname(rehearsalDir));
  const { title, cause, remedy } = catalogue().rehearsal.directoryInUse;
  if (typedDir === '' || dir === rehearsalDir || existsSync(sessionFile(dir)))
    throw new UserErrorException({ code: 'installation-exists', title, cause: cause(dir), remedy });
  const lock = await acquireLock(ensureUsableDirectory(dir), 'upi-wizard rehearse', version);
  try {
    const design = FILE_KEYS.reduce<DesignDocument>(
      (current, path) => withAbsoluteFile(current, path, rehearsalDir),
      document,
    );
    const fileExists = (path: string) => existsSync(resolveDesignPath(String(getAt(design, path) ?? ''), dir));
    const screen =
      fileExists('credentials.pullSecretFile') && fileExists('credentials.sshKeyFile') ? 'generate' : 'credentials';
    openSession(dir).save({ ...freshState, design, place: { screen, field: null } });
  } finally {
    lock.release();
  }
  return dir;
}

/** A file that is stored with the rehearsal gets its absolute path. */
function withAbsoluteFile(document: DesignDocument, path: string, rehearsalDir: string): DesignDocument {
  const file = getAt(document, path);
  if (typeof file !== 'string' || file === '') return document;
  const absolute = resolveDesignPath(file, rehearsalDir);
  return !file.startsWith('~') && existsSync(absolute) ? setAt(document, path, absolute) : document;
}
