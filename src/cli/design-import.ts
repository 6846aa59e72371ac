import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  decodeText,
  EMPTY_DESIGN,
  importText,
  isRefused,
  withImported,
  withoutPasswords,
  yamlText,
} from '../design/imports/index.ts';
import { checkDocument } from '../design/parse.ts';
import { isRecord } from '../design/paths.ts';
import { withPlacedFiles } from '../steps/shared/files/credentials.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { systemReason } from '../text/system-reason.ts';
import type { CommandIo } from './shared/io.ts';
import { UsageError } from './shared/usage.ts';

const words = () => catalogue().imports.command;
const DONE = 0;
const USAGE = 2;
const HAS_ERRORS = 3;
// Another command shows the rest; the first lines say what kind of thing is missing.
const MOST_PROBLEMS = 12;

/**
 * `design import FILE…`: prints the design in the files, a later one over an earlier one, and says on standard error
 * what it left out and what is still missing. Names secrets in the files and never prints them.
 * @returns 0 the design is complete, 2 a file cannot be read or recognised, 3 something is missing or wrong
 */
export async function designImport(argv: readonly string[], io: CommandIo): Promise<number> {
  const { positionals } = parseArgs({ args: [...argv], options: {}, allowPositionals: true });
  if (positionals.length === 0) throw new UsageError(words().noFile);
  let document: unknown = EMPTY_DESIGN;
  for (const file of positionals) {
    const name = sanitizeLine(file, 200);
    const text = await readText(resolve(io.cwd, file));
    if (text instanceof Error) {
      io.stderr(`${catalogue().design.command.unreadable(name, sanitizeLine(text.message, 80))}\n`);
      return USAGE;
    }
    const result = importText(text);
    if (isRefused(result)) {
      io.stderr(`${words().refused(name, result.problem, result.fix)}\n`);
      return USAGE;
    }
    // Whoever writes the output to a file writes it here.
    const placed = withPlacedFiles(result.document, dirname(resolve(io.cwd, file)), io.cwd);
    const told = result.kind === 'design' && isRecord(placed) ? placed : result.document;
    document = withImported(document, told);
    const notes = [
      ...result.notes.map((note) => words().note(note)),
      ...result.files.map((secret) => words().secretFile(secret.name)),
    ];
    io.stderr(`${[words().taken(name, catalogue().imports.kinds[result.kind]), ...notes].join('\n')}\n`);
  }
  const shown = withoutPasswords(document);
  io.stdout(yamlText(shown.document));
  if (shown.left.length > 0) io.stderr(`${words().passwords(shown.left.join(', '))}\n`);
  const errors = checkDocument(shown.document).problems.filter(({ severity }) => severity === 'error');
  const told = errors
    .slice(0, MOST_PROBLEMS)
    .map(({ path, message, fix }) => words().problem(sanitizeLine(path), message, fix));
  const rest =
    errors.length > MOST_PROBLEMS ? [words().more(errors.length - MOST_PROBLEMS, commandLine('design', 'check'))] : [];
  const said =
    errors.length === 0
      ? [words().complete]
      : [words().missing(errors.length, commandLine('design', 'example')), ...told, ...rest];
  io.stderr(`${said.join('\n')}\n`);
  return errors.length === 0 ? DONE : HAS_ERRORS;
}

async function readText(path: string): Promise<string | Error> {
  try {
    return decodeText(await readFile(path));
  } catch (thrown) {
    return new Error(systemReason(thrown, 'read'));
  }
}
