// Helpers of the packaging scripts: runs tools and lists files.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Runs a program of this machine and returns its output. A missing program is named in the error.
 * @param env variables beside PATH, HOME, LC_ALL=C and TZ=UTC. The rest of this environment does not reach the program,
 * so it cannot change a package.
 */
export function runTool(program, argv, env = {}) {
  const { PATH = '', HOME = '/' } = process.env;
  try {
    return execFileSync(program, argv, {
      env: { PATH, HOME, LC_ALL: 'C', TZ: 'UTC', ...env },
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`${program} is missing: install it to make packages`);
    throw new Error(`${program} ${argv.join(' ')}: ${error.stderr || error.message}`);
  }
}

/** Lists the files and directories below a directory, sorted by their relative paths. */
export function listFiles(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => ({
      path: relative(dir, join(entry.parentPath, entry.name)),
      isDirectory: entry.isDirectory(),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
