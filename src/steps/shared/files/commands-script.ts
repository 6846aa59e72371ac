import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import { syncDirectory } from '../../../platform/files.ts';

const words = () => catalogue().steps.commandsScript;

/** A file with this line was written by the wizard and may be overwritten. */
const MARK = '# upi-wizard: commands of a page';

/**
 * Writes the commands that a page shows to the user as `commands.sh` in the install directory, atomically and for the
 * user alone (0700).
 * @param lines as in a plan: commands are indented, and a line above them (a host) becomes a comment
 * @returns the path of the file
 * @throws UserErrorException `commands-foreign` if another file has that name; the system's error if it cannot be
 * written
 */
export async function writeCommands(dir: string, lines: readonly string[]): Promise<string> {
  const file = join(dir, 'commands.sh');
  const existing = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (existing !== null && !existing.includes(`\n${MARK}\n`))
    throw new UserErrorException({ code: 'commands-foreign', ...words().foreign(file) });
  const tempFile = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(tempFile, 'wx', 0o700);
    try {
      await handle.writeFile(renderScript(lines));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(tempFile, file);
  } catch (error) {
    await rm(tempFile, { force: true });
    throw error;
  }
  syncDirectory(dir);
  return file;
}

/** Renders a shell script that stops at the first command that fails. */
function renderScript(lines: readonly string[]): string {
  const body = lines.map((line) => (isCommand(line) ? line.trim() : line.trim() === '' ? '' : `# ${line.trim()}`));
  return `${['#!/bin/sh', MARK, 'set -e', '', ...body].join('\n')}\n`;
}

const isCommand = (line: string) => line.startsWith('  ');
