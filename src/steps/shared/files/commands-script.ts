import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../../ports/durable.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { TroubleError } from '../../../text/trouble.ts';

const words = () => catalogue().steps.commandsScript;

/** By this line a file is known as ours, and may be written anew. */
const MARK = '# upi-wizard: commands of a page';

/**
 * Writes what a page has a person type as `commands.sh` in the install directory, whole or not at all, for its user alone (0700).
 * @param lines as a plan has them: commands are indented, and what stands above them (a host) becomes a comment
 * @returns the path of the file
 * @throws TroubleError `commands-foreign` where another file has that name; what the system says when it cannot be written
 */
export async function writeCommands(dir: string, lines: readonly string[]): Promise<string> {
  const file = join(dir, 'commands.sh');
  const before = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (before !== null && !before.includes(`\n${MARK}\n`))
    throw new TroubleError({ code: 'commands-foreign', ...words().foreign(file) });
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(fresh, 'wx', 0o700);
    try {
      await handle.writeFile(scriptOf(lines));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  syncDirectory(dir);
  return file;
}

/** A shell script that stops at the first command that fails. */
export function scriptOf(lines: readonly string[]): string {
  const body = lines.map((line) => (isCommand(line) ? line.trim() : line.trim() === '' ? '' : `# ${line.trim()}`));
  return `${['#!/bin/sh', MARK, 'set -e', '', ...body].join('\n')}\n`;
}

const isCommand = (line: string) => line.startsWith('  ');
