import { dirname, resolve } from 'node:path';
import { readInputFile, readStandardInput } from '../../platform/files.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { CommandIo } from './io.ts';

/** The argument that stands for the standard input, as in other programs. */
const STANDARD_INPUT = '-';
/** The name of the standard input in messages. */
const STANDARD_INPUT_NAME = 'stdin';

/** A design file that a command line names, as it was read. */
interface DesignFile {
  /** Its name in messages. */
  readonly name: string;
  /** Its relative paths begin in this directory: for the standard input, the working directory. */
  readonly dir: string;
  /** Its absolute path; null for the standard input. */
  readonly path: string | null;
  /** The content, or the error that reading it gave. */
  readonly text: string | Error;
}

/** Reads a design file, or the standard input for `-`. */
export function readDesignText(file: string, { cwd }: Pick<CommandIo, 'cwd'>): DesignFile {
  const isStandardInput = file === STANDARD_INPUT;
  const path = resolve(cwd, file);
  const location = isStandardInput
    ? { name: STANDARD_INPUT_NAME, dir: cwd, path: null }
    : { name: sanitizeLine(file), dir: dirname(path), path };
  try {
    return { ...location, text: isStandardInput ? readStandardInput() : readInputFile(path) };
  } catch (error) {
    return { ...location, text: error instanceof Error ? error : new Error(String(error)) };
  }
}
