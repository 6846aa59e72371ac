// Links the compiled code that a package ships into the Node.js compile cache of the user, at the first start.
import { readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';

/**
 * Returns the name of a module's file in Node.js's cache: the checksum of its kind (1: an ES module) and of its URL. A
 * later Node.js with other names does not find the file, and compiles the module as it does without a package.
 */
export function getEntryName(file) {
  return crc32(pathToFileURL(file).href, crc32(Buffer.from([1])))
    .toString(16)
    .padStart(8, '0');
}

/**
 * Links the compiled code of a package into the cache. Node.js compares each cached file with its source on loading.
 * The links point into the directory of the program: a user who can change their targets could change the program
 * itself.
 * @param programDir the directory of the program, below which the modules are
 * @param compiledDir the directory of the compiled code, with a file under each module's own name
 * @param cacheDir Node.js's cache directory for this version, machine and user
 */
export function linkCompiledCode(programDir, compiledDir, cacheDir) {
  for (const entry of readdirSync(compiledDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const compiledFile = join(entry.parentPath, entry.name);
    const link = join(cacheDir, getEntryName(join(programDir, compiledFile.slice(compiledDir.length))));
    // Another start may create the same link: renaming replaces it in one step.
    const temporaryLink = `${link}.${process.pid}`;
    symlinkSync(compiledFile, temporaryLink);
    renameSync(temporaryLink, link);
  }
}
