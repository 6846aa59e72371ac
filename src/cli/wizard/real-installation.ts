import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DesignDocument, getAt, setAt } from '../../design/paths.ts';
import { isOkd } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { acquireLock } from '../../session/lock.ts';
import { openSession } from '../../session/session.ts';
import { getSessionFile } from '../../session/session-file.ts';
import { freshState } from '../../session/state.ts';
import { FILE_KEYS, resolveDesignPath } from '../../steps/shared/files/design-paths.ts';
import { ensureUsableDirectory } from '../session/open-session.ts';

const PULL_SECRET = 'credentials.pullSecretFile';

/**
 * Begins a real installation with the answers of a rehearsal, in its own directory. It starts on the credentials
 * page if a credential is missing, else at the generation of the files. Simulated credentials stay with the
 * rehearsal.
 * @param typedDir the directory as typed: relative to the parent of the rehearsal; `~` is the user's home
 * @returns the absolute path of the directory
 * @throws UserErrorException `installation-exists`, `directory-…`, `session-unwritable`, `session-locked`
 */
export async function startInstallation(
  rehearsalDir: string,
  typedDir: string,
  document: DesignDocument,
  version: string,
): Promise<string> {
  const dir = resolveDesignPath(typedDir, dirname(rehearsalDir));
  const { title, cause, remedy } = catalogue().rehearsal.directoryInUse;
  if (typedDir === '' || dir === rehearsalDir || existsSync(getSessionFile(dir)))
    throw new UserErrorException({ code: 'installation-exists', title, cause: cause(dir), remedy });
  const lock = await acquireLock(ensureUsableDirectory(dir), 'upi-wizard rehearse', version);
  try {
    const newDocument = FILE_KEYS.reduce<DesignDocument>(
      (current, path) => makeFilePathAbsolute(current, path, rehearsalDir),
      document,
    );
    const fileExists = (path: string) => existsSync(resolveDesignPath(String(getAt(newDocument, path) ?? ''), dir));
    const isPullSecretOptional =
      isOkd(String(getAt(newDocument, 'openshift.version') ?? '')) &&
      (getAt(newDocument, PULL_SECRET) ?? null) === null;
    const isFencingComplete = getAt(newDocument, 'topology') !== 'fencing' || fileExists('credentials.fencingFile');
    const hasPullSecret = isPullSecretOptional || fileExists(PULL_SECRET);
    const hasCredentials = hasPullSecret && fileExists('credentials.sshKeyFile') && isFencingComplete;
    const screen = hasCredentials ? 'generate' : 'credentials';
    openSession(dir).save({ ...freshState, design: newDocument, place: { screen, field: null } });
  } finally {
    lock.release();
  }
  return dir;
}

/** Makes the path of a file absolute if the file is stored with the rehearsal. */
function makeFilePathAbsolute(document: DesignDocument, path: string, rehearsalDir: string): DesignDocument {
  const file = getAt(document, path);
  if (typeof file !== 'string' || file === '') return document;
  const absolutePath = resolveDesignPath(file, rehearsalDir);
  return !file.startsWith('~') && existsSync(absolutePath) ? setAt(document, path, absolutePath) : document;
}
