// Starts the compile cache of Node.js. Node.js runs cached code if its hash matches the source, and anyone can compute
// that hash. So only this user and root may be able to change the cache directory, and the default below /tmp is never
// used.
import { lstatSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of the program: of the checkout, or `lib` of a package. */
const programDir = dirname(dirname(fileURLToPath(import.meta.url)));
/** The code that a package has compiled beforehand; a checkout has no such directory. */
const compiledDir = join(programDir, 'compiled');

/**
 * The flag under which the program runs: one thread collects young objects. Further threads take more CPU time to start
 * than they save a short command. V8 accepts compiled code only under the flags that it was written with.
 */
export const V8_FLAG = '--no-parallel-scavenge';

/**
 * Starts the cache in the user's cache directory, or does without one.
 * @returns false if NODE_COMPILE_CACHE has already started a cache in a directory that others can change
 */
export async function startCompileCache() {
  // Node.js has read process.env.NODE_COMPILE_CACHE before the first line of this program.
  const activeDir = getCompileCacheDir();
  if (activeDir !== undefined) return !canOthersChange(activeDir);
  const cacheHome = process.env.XDG_CACHE_HOME ?? '';
  const dir = join(isAbsolute(cacheHome) ? cacheHome : join(homedir(), '.cache'), 'upi-wizard', 'compiled');
  // With an empty HOME, the path would be relative to the current directory.
  if (!isAbsolute(dir)) return true;
  try {
    // Checks before creating anything, so that root with another user's HOME leaves nothing behind there.
    if (canOthersChange(findNearestExisting(dir))) return true;
    ensureDirectory(dir);
    const realDir = realpathSync(dir);
    if (canOthersChange(realDir) || lstatSync(realDir).uid !== process.geteuid()) return true;
    enableCompileCache(realDir);
    await linkPackagedCode(getCompileCacheDir());
  } catch {
    // If the home cannot be written to, the start takes longer; nothing else changes.
  }
  return true;
}

/** Links the compiled code of a package into the cache, once for each version and path of the program. */
async function linkPackagedCode(cacheDir) {
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
  linkCompiledCode(programDir, compiledDir, cacheDir);
  writeFileSync(markFile, packageId);
}

/** Whether anyone except this user and root can write to a directory, or replace it. */
function canOthersChange(dir) {
  const realDir = realpathSync(dir);
  for (let path = realDir; ; path = dirname(path)) {
    const { uid, mode } = lstatSync(path);
    if (uid !== process.geteuid() && uid !== 0) return true;
    // In a sticky directory (/tmp) others may write, but cannot replace what is not theirs.
    const isSticky = (mode & 0o1000) !== 0 && path !== realDir;
    if ((mode & 0o022) !== 0 && !isSticky) return true;
    if (path === dirname(path)) return false;
  }
}

const isMissing = (path) => lstatSync(path, { throwIfNoEntry: false }) === undefined;

/** Returns the path itself if it exists, or else its nearest existing parent directory. */
function findNearestExisting(path) {
  return isMissing(path) ? findNearestExisting(dirname(path)) : path;
}

/**
 * Creates one directory at a time: Node.js's recursive mkdir never returns where the system refuses a directory with
 * ENOENT (/proc).
 */
function ensureDirectory(path) {
  if (!isMissing(path)) return;
  ensureDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
