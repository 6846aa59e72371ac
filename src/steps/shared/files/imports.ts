import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Imported, ImportRefused } from '../../../design/imports/imported.ts';
import { decodeText, importText, isRefused } from '../../../design/imports/index.ts';
import { isRecord } from '../../../design/paths.ts';
import { openPlainFile } from '../../../ports/plain-file.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { sanitizeLine } from '../../../text/sanitize.ts';
import { systemReason } from '../../../text/system-reason.ts';
import { designPath, withPlacedFiles } from './credentials.ts';

const words = () => catalogue().imports;

// A longer file is not of this kind; reading it would only fill the memory.
const MOST_BYTES = 4_000_000;

/**
 * Reads a file that a person named: `~` is the user's home, other paths are relative to the install directory.
 * @returns its content, or why it cannot be taken, in words; what a design names relative to itself is named by its whole path
 */
export async function readImport(path: string, dir: string): Promise<Imported | ImportRefused> {
  const file = designPath(path, dir);
  try {
    const handle = await openPlainFile(file);
    try {
      const { size } = await handle.stat();
      if (size > MOST_BYTES) return { problem: words().tooLarge(MOST_BYTES), fix: words().fixTooLarge };
      const read = importText(decodeText(await handle.readFile()));
      if (isRefused(read) || read.kind !== 'design') return read;
      const document = withPlacedFiles(read.document, dirname(file), dir);
      return { ...read, document: isRecord(document) ? document : read.document };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return {
      problem: words().unreadable(sanitizeLine(file, 200), systemReason(error, 'read')),
      fix: words().fixUnreadable,
    };
  }
}

/**
 * Writes the secrets of an imported file into files of their own in the install directory, readable by the user
 * alone. Leaves a file of that name with other content as it is.
 * @returns what it wrote and what it did not, in words
 */
export async function keepImported(path: string, dir: string): Promise<string> {
  const imported = await readImport(path, dir);
  if (isRefused(imported)) return `${imported.problem}. ${imported.fix}`;
  const written: string[] = [];
  const left: string[] = [];
  for (const { name, text } of imported.files) ((await writeNew(join(dir, name), text)) ? written : left).push(name);
  return [
    ...(written.length > 0 ? [words().screen.kept(written.join(', '))] : []),
    ...left.map(words().screen.exists),
  ].join(' ');
}

/** Writes a file unless there is one with another content. */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readFile(path, 'utf8')) === text;
  }
}
