// The directory of the compile cache of Node.js. Node.js runs the code in it after comparing it with the source by a hash
// that anyone can compute. So only this user and root may be able to change the directory, and Node.js's default below
// /tmp is never used.
import { lstatSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const lib = dirname(dirname(fileURLToPath(import.meta.url)));
/** The code that a package has compiled beforehand; a checkout has no such directory. */
const compiledDir = join(lib, 'compiled');

/**
 * Starts the cache in the user's cache directory, or does without one.
 * @returns false if the environment has already started one in a directory that others can change
 */
export async function startCompileCache() {
  // Node.js has read process.env.NODE_COMPILE_CACHE before the first line of this program.
  const activeDir = getCompileCacheDir();
  if (activeDir !== undefined) return !canOthersChange(activeDir);
  const caches = process.env.XDG_CACHE_HOME ?? '';
  const dir = join(isAbsolute(caches) ? caches : join(homedir(), '.cache'), 'upi-wizard', 'compiled');
  // With an empty HOME, the path would be relative to the current directory.
  if (!isAbsolute(dir)) return true;
  try {
    // Checked before anything is created, so that root with the home of a user leaves nothing behind in it.
    if (canOthersChange(nearestExisting(dir))) return true;
    makeDirectory(dir);
    const real = realpathSync(dir);
    if (canOthersChange(real) || lstatSync(real).uid !== process.geteuid()) return true;
    enableCompileCache(real);
    await linkPackage(getCompileCacheDir());
  } catch {
    // If the home cannot be written to, the start takes longer; nothing else changes.
  }
  return true;
}

/** Links the code of a package into the cache, once for each version and path of the program. */
async function linkPackage(cacheDir) {
  const stat = statSync(compiledDir, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const markFile = join(cacheDir, 'package');
  const packageId = `${compiledDir} ${stat.mtimeMs}`;
  try {
    if (readFileSync(markFile, 'utf8') === packageId) return;
  } catch {
    // No mark yet: this is the first start.
  }
  if (canOthersChange(compiledDir)) return;
  const { linkCompiledCode } = await import('./packaged-code.js');
  linkCompiledCode(lib, compiledDir, cacheDir);
  writeFileSync(markFile, packageId);
}

/** Whether anyone except this user and root can write to a directory, or replace it. */
function canOthersChange(dir) {
  const real = realpathSync(dir);
  for (let path = real; ; path = dirname(path)) {
    const { uid, mode } = lstatSync(path);
    if (uid !== process.geteuid() && uid !== 0) return true;
    // In a sticky directory (/tmp) others may write, but cannot replace what is not theirs.
    const isSticky = (mode & 0o1000) !== 0 && path !== real;
    if ((mode & 0o022) !== 0 && !isSticky) return true;
    if (path === dirname(path)) return false;
  }
}

const isMissing = (path) => lstatSync(path, { throwIfNoEntry: false }) === undefined;

function nearestExisting(path) {
  return isMissing(path) ? nearestExisting(dirname(path)) : path;
}

/**
 * Creates one directory at a time: Node.js's recursive mkdir never returns where the system refuses a directory with
 * ENOENT (/proc).
 */
function makeDirectory(path) {
  if (!isMissing(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
