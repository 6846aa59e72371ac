import { join, resolve } from 'node:path';
import type { Problem } from '../design/model.ts';
import { parseDesign } from '../design/parse.ts';
import { isOkd } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { describeUnreadableFile, toUserError, UserErrorException } from '../i18n/user-error.ts';
import { formatJson } from '../platform/sanitize.ts';
import { checkCredentialFiles } from '../steps/shared/files/credentials.ts';
import { resolveCredentialFiles } from '../steps/shared/files/design-paths.ts';
import { type StageWriteResult, writeDesignStage } from '../steps/shared/files/stage-output.ts';
import type { Arguments } from './commands.ts';
import type { CommandContext } from './shared/context.ts';
import { readDesignText } from './shared/design-file.ts';
import { type CommandIo, describeUnwritablePath } from './shared/io.ts';

const designWords = () => catalogue().design;

const words = () => catalogue().artifacts.cli;

/** Exit code by error code. 2: input or output cannot be used; 3: the design or its credentials are wrong. */
const EXIT_CODE_BY_ERROR: Readonly<Record<string, number>> = {
  'images-unreadable': 2,
  'installer-cannot-run': 2,
  'installer-bad-stream': 2,
  'output-unsafe': 2,
  'output-manifest-unreadable': 2,
  'credential-wrong': 3,
  'unsafe-text': 3,
};

/**
 * `generate FILE --out DIR [--stage S] [--force] [--json]`: writes the files of one stage.
 * @returns the exit code. 0: written. 2: wrong usage or unreadable input. 3: the design has errors. 4: written, except
 * the files whose credential is missing. 5: stopped because the user changed a file.
 */
export async function generateCommand(
  { options, operand: designFile }: Arguments<'generate'>,
  { io }: CommandContext,
): Promise<number> {
  const { out, stage, force } = options;
  const { name, dir: designDir, text } = readDesignText(designFile, io);
  if (text instanceof Error) {
    io.stderr(`${describeUnreadableFile(name, text)}\n`);
    return 2;
  }
  const { design, problems, locate } = parseDesign(text);
  const credentialFiles = design && resolveCredentialFiles(design, designDir, io.env.HOME);
  const credentialProblems =
    design && credentialFiles ? (await checkCredentialFiles(credentialFiles, design)).filter(isError) : [];
  const allProblems = [...problems, ...credentialProblems.map((problem) => ({ ...problem, ...locate(problem.path) }))];
  for (const problem of allProblems) io.stderr(`${formatProblem(name, problem)}\n`);
  if (!design || !credentialFiles || allProblems.some(isError)) {
    io.stderr(words().designErrors(allProblems.filter(isError).length));
    return 3;
  }
  try {
    const dir = resolve(io.cwd, out);
    const writtenStage = await writeDesignStage(dir, design, {
      stage,
      credentials: credentialFiles,
      searchPath: io.env.PATH ?? '',
      force,
      onUnknownImageNames: () =>
        io.stderr(isOkd(design.openshift.version) ? words().placeholderNames : words().mirrorNames),
    });
    printResult(writtenStage, dir, options, io);
    if (writtenStage.refused.length > 0) return 5;
    return writtenStage.omittedFiles.length > 0 ? 4 : 0;
  } catch (error) {
    if (error instanceof UserErrorException && EXIT_CODE_BY_ERROR[error.userError.code] !== undefined) {
      io.stderr(words().userError(error.userError));
      return EXIT_CODE_BY_ERROR[error.userError.code] ?? 1;
    }
    if (error instanceof Error && 'syscall' in error && toUserError(error).code === 'internal') {
      io.stderr(`${describeUnwritablePath(out, error, '--out')}\n`);
      return 2;
    }
    throw error;
  }
}

function isError({ severity }: Problem): boolean {
  return severity === 'error';
}

function formatProblem(name: string, { line, column, severity, rule, message, fix }: Problem): string {
  const { problem, ...commandWords } = designWords().command;
  return problem(`${name}:${line}:${column}`, commandWords[severity], rule, message, fix);
}

function printResult(
  { fileCount, omittedFiles, ...result }: StageWriteResult,
  dir: string,
  { stage, json }: Arguments<'generate'>['options'],
  io: CommandIo,
): void {
  for (const file of result.refused) io.stderr(words().edited(join(dir, file)));
  if (result.refused.length > 0) io.stderr(words().stopped);
  for (const { file, as } of result.saved) io.stderr(words().saved(join(dir, file), as));
  for (const file of result.kept) io.stderr(words().obsoleteFile(join(dir, file)));
  if (result.refused.length === 0)
    for (const { path, userError } of omittedFiles) io.stderr(words().leftOut(path, words().userError(userError)));
  if (json)
    io.stdout(formatJson({ dir, stage, files: fileCount, ...result, leftOut: omittedFiles.map(({ path }) => path) }));
  else if (result.refused.length === 0)
    io.stdout(words().summary(dir, stage, fileCount, result.written.length, result.removed.length));
}
