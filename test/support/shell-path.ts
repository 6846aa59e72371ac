import { delimiter, dirname } from 'node:path';

/** The PATH of a person's shell, where Node.js is installed: without what npm adds for its scripts, `upi-wizard` among it. */
export function shellPath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.endsWith('node_modules/.bin'));
  return [dirname(process.execPath), ...folders].join(delimiter);
}
