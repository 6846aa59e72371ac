import { delimiter, dirname } from 'node:path';

/**
 * Returns the PATH of a user's shell where Node.js is installed: without the entries that npm adds for its scripts,
 * which include `upi-wizard`.
 */
export function getShellPath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.endsWith('node_modules/.bin'));
  return [dirname(process.execPath), ...folders].join(delimiter);
}
