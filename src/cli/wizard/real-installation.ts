import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { sessionFile } from '../../session/load.ts';
import { acquireLock } from '../../session/lock.ts';
import { freshState, openSession } from '../../session/store.ts';
import { designPath, FILE_PATHS } from '../../steps/shared/files/credentials.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import { type Document, getAt, setAt } from '../../wizard/design/document.ts';
import { usableDirectory } from '../session/directory.ts';

/**
 * Begins a real installation with the answers of a rehearsal, in a directory of its own. It goes on where the real world
 * begins: at the credentials where one is missing, else at the files. What stood in for them stays with the rehearsal.
 * @param named the directory as a person typed it: relative to where the rehearsal lies, `~` being the user's home
 * @returns the absolute path of the directory
 * @throws TroubleError `installation-exists`, `directory-…`, `session-unwritable`, `session-locked`
 */
export async function beginInstallation(
  rehearsed: string,
  named: string,
  document: Document,
  version: string,
): Promise<string> {
  const dir = designPath(named, dirname(rehearsed));
  const { title, cause, whatToDo } = catalogue().rehearsal.taken;
  if (named === '' || dir === rehearsed || existsSync(sessionFile(dir)))
    throw new TroubleError({ code: 'installation-exists', title, cause: cause(dir), whatToDo });
  const lock = await acquireLock(usableDirectory(dir), 'upi-wizard rehearse', version);
  try {
    const design = FILE_PATHS.reduce<Document>((kept, path) => withFile(kept, path, rehearsed), document);
    const isThere = (path: string) => existsSync(designPath(String(getAt(design, path) ?? ''), dir));
    const screen =
      isThere('credentials.pullSecretFile') && isThere('credentials.sshKeyFile') ? 'generate' : 'credentials';
    openSession(dir).save({ ...freshState, design, place: { screen, field: null } });
  } finally {
    lock.release();
  }
  return dir;
}

/** A file that lies with the rehearsal is named by its whole path. */
function withFile(document: Document, path: string, rehearsed: string): Document {
  const file = getAt(document, path);
  if (typeof file !== 'string' || file === '') return document;
  const whole = designPath(file, rehearsed);
  return !file.startsWith('~') && existsSync(whole) ? setAt(document, path, whole) : document;
}
