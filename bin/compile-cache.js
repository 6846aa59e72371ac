// Where Node keeps our compiled code. It runs what it finds there, and compares it with the source by a hash that anybody can
// compute: so the directory is one that only this user and root can change, and never Node's default below /tmp.
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/**
 * Starts the cache in the user's own directory for caches, or does without one.
 * @returns false when the environment has started one already in a directory that others can change
 */
export function startCompileCache() {
  // Node has acted on process.env.NODE_COMPILE_CACHE before our first line.
  const given = getCompileCacheDir();
  if (given !== undefined) return !canOthersChange(given);
  const caches = process.env.XDG_CACHE_HOME ?? '';
  const dir = join(isAbsolute(caches) ? caches : join(homedir(), '.cache'), 'upi-wizard', 'compiled');
  // An empty HOME: it would lie wherever somebody happens to work.
  if (!isAbsolute(dir)) return true;
  try {
    // Asked before anything is made: root with the home of a user leaves nothing behind in it.
    if (canOthersChange(nearestExisting(dir))) return true;
    make(dir);
    const real = realpathSync(dir);
    if (!canOthersChange(real) && lstatSync(real).uid === process.geteuid()) enableCompileCache(real);
  } catch {
    // A home that cannot be written to: the start takes longer, nothing else.
  }
  return true;
}

/** Whether somebody who is neither this user nor root can write to a directory, or put another one in its place. */
function canOthersChange(dir) {
  const real = realpathSync(dir);
  for (let path = real; ; path = dirname(path)) {
    const { uid, mode } = lstatSync(path);
    if (uid !== process.geteuid() && uid !== 0) return true;
    // In a sticky directory (/tmp) others may write, and leave alone what is ours.
    const isSticky = (mode & 0o1000) !== 0 && path !== real;
    if ((mode & 0o022) !== 0 && !isSticky) return true;
    if (path === dirname(path)) return false;
  }
}

const isMissing = (path) => lstatSync(path, { throwIfNoEntry: false }) === undefined;

function nearestExisting(path) {
  return isMissing(path) ? nearestExisting(dirname(path)) : path;
}

/** One by one: Node's own recursion never ends where the system lets nobody make a directory and says ENOENT (/proc). */
function make(path) {
  if (!isMissing(path)) return;
  make(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
