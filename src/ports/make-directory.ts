import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it that are missing, one by one: Node's own recursion never ends where the system lets
 * nobody make a directory and calls it missing (below /proc).
 * @throws the system's error, also where a file is in the way
 */
export function makeDirectory(path: string, mode = 0o700): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
