import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Problem, STAGES, type Stage } from '../design/model.ts';
import { parseDesign } from '../design/parse.ts';
import { readGivenFile } from '../ports/plain-file.ts';
import { credentialFiles, judgeCredentials } from '../steps/shared/files/credentials.ts';
import { type Written, writeStage } from '../steps/shared/files/output.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { systemReason } from '../text/system-reason.ts';
import { asTrouble, TroubleError } from '../text/trouble.ts';
import type { CommandIo } from './shared/io.ts';

const designWords = () => catalogue().design;

const words = () => catalogue().artifacts.cli;

interface Arguments {
  readonly file: string;
  readonly out: string;
  readonly stage: Stage;
  readonly force: boolean;
  readonly json: boolean;
}

/** The exit code of a trouble: 2 for what cannot be read, 3 for what is wrong in the design or its credentials. */
const EXIT: Readonly<Record<string, number>> = {
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
 * @returns the exit code: 0 written, 2 wrong usage or unreadable, 3 the design has errors, 4 written without the files
 * that need a missing credential, 5 a person changed a file
 */
export async function generateCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(argv);
  if (args instanceof Error) {
    io.stderr(`${words().wrong(sanitizeLine(args.message))}\n${words().usage(commandLine('generate'))}`);
    return 2;
  }
  const file = resolve(io.cwd, args.file);
  const text = read(file);
  if (text instanceof Error) {
    io.stderr(words().unreadable(sanitizeLine(file), systemReason(text, 'read')));
    return 2;
  }
  const { design, problems, placeOf } = parseDesign(text);
  const files = design && credentialFiles(design, dirname(file), io.env.HOME);
  const inCredentials = design && files ? (await judgeCredentials(files, design)).filter(isError) : [];
  const all = [...problems, ...inCredentials.map((problem) => ({ ...problem, ...placeOf(problem.path) }))];
  for (const problem of all) io.stderr(`${problemLine(sanitizeLine(args.file), problem)}\n`);
  if (!design || !files || all.some(isError)) {
    io.stderr(words().designErrors(all.filter(isError).length));
    return 3;
  }
  try {
    const dir = resolve(io.cwd, args.out);
    const written = await writeStage(dir, design, {
      stage: args.stage,
      credentials: files,
      path: io.env.PATH ?? '',
      force: args.force,
      onMirrorNames: () => io.stderr(words().mirrorNames),
    });
    report(written, dir, args, io);
    if (written.refused.length > 0) return 5;
    return written.leftOut.length > 0 ? 4 : 0;
  } catch (error) {
    if (error instanceof TroubleError && EXIT[error.trouble.code] !== undefined) {
      io.stderr(words().trouble(error.trouble));
      return EXIT[error.trouble.code] ?? 1;
    }
    if (error instanceof Error && 'syscall' in error && asTrouble(error).code === 'internal') {
      io.stderr(words().unwritable(sanitizeLine(args.out), systemReason(error)));
      return 2;
    }
    throw error;
  }
}

function isError({ severity }: Problem): boolean {
  return severity === 'error';
}

function problemLine(name: string, { line, column, severity, rule, message, fix }: Problem): string {
  const { problem, ...words } = designWords().command;
  return problem(`${name}:${line}:${column}`, words[severity], rule, message, fix);
}

function report(
  { files: total, leftOut, ...result }: Written,
  dir: string,
  { stage, json }: Arguments,
  io: CommandIo,
): void {
  for (const file of result.refused) io.stderr(words().edited(join(dir, file)));
  if (result.refused.length > 0) io.stderr(words().stopped);
  for (const { file, as } of result.saved) io.stderr(words().saved(join(dir, file), as));
  for (const file of result.kept) io.stderr(words().kept(join(dir, file)));
  if (result.refused.length === 0)
    for (const { path, trouble } of leftOut) io.stderr(words().leftOut(path, words().trouble(trouble)));
  if (json) io.stdout(jsonText({ dir, stage, files: total, ...result, leftOut: leftOut.map(({ path }) => path) }));
  else if (result.refused.length === 0)
    io.stdout(words().summary(dir, stage, total, result.written.length, result.removed.length));
}

/** The arguments; an Error says which of them is missing or wrong. */
function readArguments(argv: readonly string[]): Arguments | Error {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        stage: { type: 'string', default: 'install' },
        force: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const [file, ...rest] = positionals;
    const stage = STAGES.find((name) => name === values.stage);
    if (file === undefined) return new Error(words().noFile);
    if (rest[0] !== undefined) return new Error(words().oneFile(rest[0]));
    if (!values.out) return new Error(words().noOut);
    if (!stage) return new Error(words().noStage(values.stage, STAGES.join(', ')));
    return { file, out: values.out, stage, force: values.force, json: values.json };
  } catch (error) {
    // Node's own advice runs over several lines; the first says what is wrong.
    return new Error(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

function read(path: string): string | Error {
  try {
    return readGivenFile(path);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
