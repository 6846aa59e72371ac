import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decodeText, type ImportedDesign, type ImportFailure } from '../../../design/imports/imported-design.ts';
import { importDesign, isImportFailure } from '../../../design/imports/index.ts';
import { isObjectOrList } from '../../../design/paths.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { describeSystemError, getErrorCode } from '../../../i18n/user-error.ts';
import { openPlainFile } from '../../../platform/files.ts';
import { sanitizeLine } from '../../../platform/sanitize.ts';
import { resolveDesignPath, withAbsoluteFilePaths } from './design-paths.ts';

const words = () => catalogue().imports;

// No file that can be imported is longer; reading one would only fill the memory.
const MAX_BYTES = 4_000_000;

/**
 * Reads a file that the user named: `~` is the user's home, other paths are relative to the install directory.
 * @returns the content of the file, or why it cannot be imported; relative paths in a design become absolute
 */
export async function readImport(path: string, dir: string): Promise<ImportedDesign | ImportFailure> {
  const file = resolveDesignPath(path, dir);
  try {
    const handle = await openPlainFile(file);
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES) return { problem: words().tooLarge(MAX_BYTES), fix: words().fixTooLarge };
      const importResult = importDesign(decodeText(await handle.readFile()));
      if (isImportFailure(importResult) || importResult.kind !== 'design') return importResult;
      const document = withAbsoluteFilePaths(importResult.document, dirname(file), dir);
      return { ...importResult, document: isObjectOrList(document) ? document : importResult.document };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return {
      problem: words().unreadable(sanitizeLine(file, 200), describeSystemError(error, 'read')),
      fix: words().fixUnreadable(getErrorCode(error) !== 'ENOENT'),
    };
  }
}

/**
 * Writes the secrets of an imported file into separate files in the install directory, readable by the user alone. An
 * existing file with other content stays as it is.
 * @returns a text about the files that were written and those that were not, or why the file cannot be imported
 */
export async function saveImportedSecrets(path: string, dir: string): Promise<string> {
  const importResult = await readImport(path, dir);
  if (isImportFailure(importResult)) return `${importResult.problem}. ${importResult.fix}`;
  const writtenNames: string[] = [];
  const skippedNames: string[] = [];
  for (const { name, text } of importResult.files)
    ((await writeNewFile(join(dir, name), text)) ? writtenNames : skippedNames).push(name);
  return [
    ...(writtenNames.length > 0 ? [words().screen.secretsSaved(writtenNames.join(', '))] : []),
    ...skippedNames.map(words().screen.exists),
  ].join(' ');
}

/**
 * Writes a file unless it exists with other content.
 * @returns whether the file has this content now
 */
async function writeNewFile(path: string, text: string): Promise<boolean> {
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
