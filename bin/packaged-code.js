// The code that a package has compiled beforehand, linked into the user's cache at the first start.
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';

/**
 * Returns the name of a module's file in Node's cache: the checksum of its kind (1: an ES module) and of its URL. If a
 * later Node changes that, it does not find the file, and compiles the module as it does without a package.
 */
export function getEntryName(file) {
  return crc32(pathToFileURL(file).href, crc32(Buffer.from([1])))
    .toString(16)
    .padStart(8, '0');
}

/**
 * Links the code once for each version and place of the program. Node compares each file with its source when it loads
 * it. A link leads to the directory of the program, which whoever could change it could change as well.
 * @param compiled the directory of the package, with a file under each module's own name
 * @param cacheDir that of Node, for this version, machine and user
 */
export function linkCompiledCode(lib, compiled, cacheDir) {
  const mark = join(cacheDir, `${getEntryName(compiled)}.package`);
  const edition = String(statSync(compiled).mtimeMs);
  if (readText(mark) === edition) return;
  mkdirSync(cacheDir, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(compiled, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    putAtOnce(join(cacheDir, getEntryName(join(lib, from.slice(compiled.length)))), (part) => symlinkSync(from, part));
  }
  putAtOnce(mark, (part) => writeFileSync(part, edition, { mode: 0o600 }));
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Another start may do the same: each file appears whole. */
function putAtOnce(file, create) {
  const part = `${file}.${process.pid}`;
  create(part);
  renameSync(part, file);
}
