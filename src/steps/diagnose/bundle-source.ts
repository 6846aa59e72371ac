import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readTree } from '../../bastion/read-tree.ts';
import { type FoundFile, NotAnArchive, readArchive } from '../../bastion/untar.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { shell } from '../../text/shell-word.ts';
import { systemReason } from '../../text/system-reason.ts';
import { TroubleError } from '../../text/trouble.ts';
import { isPacked, shareOf, UNPACKED_MOST } from './bundle-paths.ts';

const words = () => catalogue().diagnose.bundle;

const GIB = 1024 ** 3;
const LIMITS = { taken: 2 * GIB, unpacked: 64 * GIB, entries: 500_000 };
/** What `gather bootstrap` and `oc adm must-gather` leave, and people make of it. */
const ARCHIVE = /^(?:log-bundle|must-gather).*\.(?:tar|tgz|tar\.gz)$/;

/** Reads the known files of an archive or a directory one after the other. @throws TroubleError `bundle-unreadable` */
export async function readBundle(place: string, take: (file: FoundFile) => void) {
  let files = 0;
  let isDamaged = false;
  const reader = {
    wanted: shareOf,
    take(file: FoundFile) {
      const unpacked = isPacked(file.path) ? withoutGzip(file) : file;
      files += 1;
      if (unpacked === null) isDamaged = true;
      else take(unpacked);
    },
  };
  const trouble = (cause: string) =>
    new TroubleError({ code: 'bundle-unreadable', title: words().title, cause, whatToDo: words().whatToDo });
  const name = sanitizeLine(place);
  try {
    const isDirectory = (await stat(place)).isDirectory();
    const { isCut } = isDirectory ? await readTree(place, reader, LIMITS) : await readArchive(place, reader, LIMITS);
    if (files > 0) return { files, isCut: isCut || isDamaged, isDirectory };
    const inside = isDirectory ? (await readdir(place)).filter((each) => ARCHIVE.test(each)).toSorted() : [];
    const [latest] = inside.toReversed();
    throw trouble(
      latest === undefined ? words().nothingKnown(name) : words().holdsArchive(name, sanitizeLine(join(place, latest))),
    );
  } catch (error) {
    if (error instanceof TroubleError) throw error;
    if (error instanceof NotAnArchive)
      throw trouble(
        error.packing === null
          ? words().noArchive(name)
          : words().packed[error.packing](name, sanitizeLine(shell`${place}`)),
      );
    throw trouble(words().unreadable(name, sanitizeLine(systemReason(error, 'read'))));
  }
}

/** A file that is packed by itself; null for one that is damaged, or unpacks to more than we take. */
function withoutGzip(file: FoundFile): FoundFile | null {
  try {
    return { ...file, content: gunzipSync(file.content, { maxOutputLength: UNPACKED_MOST }) };
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
