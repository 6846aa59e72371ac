import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { decodeText } from '../design/imports/imported-design.ts';
import { EMPTY_DESIGN, importDesign, isImportFailure, mergeImport } from '../design/imports/index.ts';
import { checkDocument } from '../design/parse.ts';
import { isObjectOrList } from '../design/paths.ts';
import { formatYaml, redactProxyPasswords } from '../design/yaml.ts';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { describeUnreadableFile } from '../i18n/user-error.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { withAbsoluteFilePaths } from '../steps/shared/files/design-paths.ts';
import type { Arguments } from './commands.ts';
import type { CommandContext } from './shared/context.ts';

const words = () => catalogue().imports.command;
const EXIT_OK = 0;
const EXIT_USAGE = 2;
const EXIT_DESIGN_ERRORS = 3;
// `design check` shows the rest; the first lines show which kind of answers is missing.
const MAX_PROBLEMS = 12;

/**
 * `design import FILE…`: prints the design of the files; a later file overrides an earlier one. Reports on standard
 * error what was left out and what is still missing. Secrets in the files are named, never printed.
 * @returns 0 the design is complete; 2 a file cannot be read or recognized; 3 something is missing or wrong
 */
export async function importCommand(
  { operand: files }: Arguments<'design import'>,
  { io }: CommandContext,
): Promise<number> {
  let document: unknown = EMPTY_DESIGN;
  for (const file of files) {
    const name = sanitizeLine(file, 200);
    const text = await readText(resolve(io.cwd, file));
    if (text instanceof Error) {
      io.stderr(`${describeUnreadableFile(name, text)}\n`);
      return EXIT_USAGE;
    }
    const result = importDesign(text);
    if (isImportFailure(result)) {
      io.stderr(`${words().refused(name, result.problem, result.fix)}\n`);
      return EXIT_USAGE;
    }
    // Paths are rewritten for the working directory, because the output is usually written to a file there.
    const relocatedDocument = withAbsoluteFilePaths(result.document, dirname(resolve(io.cwd, file)), io.cwd);
    const importedDocument =
      result.kind === 'design' && isObjectOrList(relocatedDocument) ? relocatedDocument : result.document;
    document = mergeImport(document, importedDocument);
    const notes = [
      ...result.notes.map((note) => words().note(note)),
      ...result.files.map((secret) => words().secretFile(secret.name)),
    ];
    io.stderr(`${[words().imported(name, catalogue().imports.kinds[result.kind]), ...notes].join('\n')}\n`);
  }
  const redaction = redactProxyPasswords(document);
  io.stdout(formatYaml(redaction.document));
  if (redaction.redactedPaths.length > 0) io.stderr(`${words().passwords(redaction.redactedPaths.join(', '))}\n`);
  const errors = checkDocument(redaction.document).problems.filter(({ severity }) => severity === 'error');
  const problemLines = errors
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message, fix }) => words().problem(sanitizeLine(path), message, fix));
  const overflowLine =
    errors.length > MAX_PROBLEMS
      ? [words().more(errors.length - MAX_PROBLEMS, formatCommandLine('design', 'check'))]
      : [];
  const summary =
    errors.length === 0
      ? [words().complete]
      : [words().missing(errors.length, formatCommandLine('design', 'example')), ...problemLines, ...overflowLine];
  io.stderr(`${summary.join('\n')}\n`);
  return errors.length === 0 ? EXIT_OK : EXIT_DESIGN_ERRORS;
}

async function readText(path: string): Promise<string | Error> {
  try {
    return decodeText(await readFile(path));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
