import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readTree } from '../../host/output-dir.ts';
import { type ArchiveFile, NotAnArchiveError, readArchive } from '../../host/tar.ts';

import { catalogue } from '../../i18n/catalogue.ts';
import { describeSystemError, UserErrorException } from '../../i18n/user-error.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import { shellCommand } from '../../platform/shell-quoting.ts';
import { isGzipped, MAX_UNPACKED_SIZE, selectExcerpt } from './bundle-paths.ts';

const words = () => catalogue().diagnose.bundle;

const GIB = 1024 ** 3;
const LIMITS = { taken: 2 * GIB, unpacked: 64 * GIB, entries: 500_000 };
/** Names that `gather bootstrap` and `oc adm must-gather` leave, and archives of those. */
const ARCHIVE_NAME = /^(?:log-bundle|must-gather).*\.(?:tar|tgz|tar\.gz)$/;

/**
 * Reads the known files of an archive or a directory one after the other.
 * @throws UserErrorException `bundle-unreadable`
 */
export async function readBundle(bundlePath: string, take: (file: ArchiveFile) => void) {
  let files = 0;
  let isDamaged = false;
  const visitor = {
    wanted: selectExcerpt,
    take(file: ArchiveFile) {
      const unpacked = isGzipped(file.path) ? unpackGzip(file) : file;
      files += 1;
      if (unpacked === null) isDamaged = true;
      else take(unpacked);
    },
  };
  const createError = (cause: string) =>
    new UserErrorException({ code: 'bundle-unreadable', title: words().title, cause, remedy: words().remedy });
  const name = sanitizeLine(bundlePath);
  try {
    const isDirectory = (await stat(bundlePath)).isDirectory();
    const { isCut } = isDirectory
      ? await readTree(bundlePath, visitor, LIMITS)
      : await readArchive(bundlePath, visitor, LIMITS);
    if (files > 0) return { files, isCut: isCut || isDamaged, isDirectory };
    const archives = isDirectory
      ? (await readdir(bundlePath)).filter((each) => ARCHIVE_NAME.test(each)).toSorted()
      : [];
    const [latest] = archives.toReversed();
    throw createError(
      latest === undefined
        ? words().nothingUsable(name)
        : words().holdsArchive(name, sanitizeLine(join(bundlePath, latest))),
    );
  } catch (error) {
    if (error instanceof UserErrorException) throw error;
    if (error instanceof NotAnArchiveError)
      throw createError(
        error.format === null
          ? words().noArchive(name)
          : words().otherFormats[error.format](name, sanitizeLine(shellCommand`${bundlePath}`)),
      );
    throw createError(words().unreadable(name, sanitizeLine(describeSystemError(error, 'read'))));
  }
}

/** Unpacks a gzipped file; null if it is damaged, or larger than the limit. */
function unpackGzip(file: ArchiveFile): ArchiveFile | null {
  try {
    return { ...file, content: gunzipSync(file.content, { maxOutputLength: MAX_UNPACKED_SIZE }) };
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
