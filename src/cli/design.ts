import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { TOPOLOGIES, type Topology } from '../design/choices.ts';
import { exampleDesign, SERVICE_LAYOUTS } from '../design/example.ts';
import type { Problem } from '../design/model.ts';
import { parseDesign } from '../design/parse.ts';
import { designJsonSchema } from '../design/schema.ts';
import { parseMinorVersion, versionProfile } from '../design/versions.ts';
import { catalogue, commandLine } from '../i18n/catalogue.ts';
import { separateCommands } from '../i18n/prose.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import { readInputFile } from '../platform/files.ts';
import { formatJson } from '../platform/format-json.ts';
import { limitHeapGrowth } from '../platform/process.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { checkCredentialFiles, resolveCredentialFiles } from '../steps/shared/files/credentials.ts';
import type { CommandIo } from './shared/io.ts';

const words = () => catalogue().design.command;
const DONE = 0;
const USAGE = 2;
const HAS_ERRORS = 3;
/** Characters: a design of a few hundred nodes. */
const LARGE_TEXT_LENGTH = 100_000;

/**
 * `design example | schema | check FILE | import FILE…`.
 * @returns 0 done; 2 wrong usage, or a file that cannot be read; 3 the design has errors
 */
export async function designCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const [action, ...rest] = argv;
  switch (action) {
    case 'example':
      return printExample(rest, io);
    case 'schema':
      return printSchema(rest, io);
    case 'check':
      return checkFile(rest, io);
    case 'import':
      return (await import('./design-import.ts')).importCommand(rest, io);
    case undefined:
      return refuse(io, words().noAction);
    default:
      return refuse(io, words().unknownAction(sanitizeLine(action, 80)));
  }
}

function refuse(io: CommandIo, detail: string): number {
  io.stderr(`${words().usageError(detail)}\n${words().usage(commandLine('design'))}`);
  return USAGE;
}

function printExample(argv: readonly string[], io: CommandIo): number {
  const parsed = attempt(() =>
    parseArgs({
      args: [...argv],
      options: { topology: { type: 'string' }, version: { type: 'string' }, services: { type: 'string' } },
    }),
  );
  if (parsed instanceof Error) return refuse(io, sanitizeLine(parsed.message));
  const { topology = 'standard', version = '4.18', services = 'hosts' } = parsed.values;
  const layout = SERVICE_LAYOUTS.find((each) => each === services);
  if (layout === undefined)
    return refuse(io, words().unknownLayout(sanitizeLine(services, 80), SERVICE_LAYOUTS.join(', ')));
  if (!isTopology(topology))
    return refuse(io, words().unknownTopology(sanitizeLine(topology, 80), TOPOLOGIES.join(', ')));
  if (parseMinorVersion(version) === null) return refuse(io, words().unknownVersion(sanitizeLine(version, 80)));
  if (topology === 'single-node' && !versionProfile(version).hasSingleNode)
    return refuse(io, words().noSingleNode(sanitizeLine(version, 80)));
  io.stdout(exampleDesign({ topology, version, services: layout }));
  return DONE;
}

function isTopology(text: string): text is Topology {
  return (TOPOLOGIES as readonly string[]).includes(text);
}

function printSchema(argv: readonly string[], io: CommandIo): number {
  if (argv.length > 0) return refuse(io, words().tooMany);
  io.stdout(formatJson(designJsonSchema()));
  return DONE;
}

async function checkFile(argv: readonly string[], io: CommandIo): Promise<number> {
  const parsed = attempt(() =>
    parseArgs({ args: [...argv], options: { json: { type: 'boolean' } }, allowPositionals: true }),
  );
  if (parsed instanceof Error) return refuse(io, sanitizeLine(parsed.message));
  const [file, ...others] = parsed.positionals;
  if (file === undefined) return refuse(io, words().noFile);
  if (others.length > 0) return refuse(io, words().tooMany);
  const path = resolve(io.cwd, file);
  const text = attempt(() => readInputFile(path));
  if (text instanceof Error) {
    io.stderr(`${words().unreadable(sanitizeLine(file), describeSystemError(text, 'read'))}\n`);
    return USAGE;
  }
  // Parsing a large design allocates much more than the file; the limit makes V8 collect earlier.
  if (text.length > LARGE_TEXT_LENGTH) limitHeapGrowth();
  const problems = await findProblems(text, dirname(path), io.env);
  io.stdout(parsed.values.json ? formatJson({ problems }) : formatProblems(file, problems));
  return problems.some(({ severity }) => severity === 'error') ? HAS_ERRORS : DONE;
}

/** The problems of the design and, once it can be read, of the files it names. */
async function findProblems(text: string, dir: string, env: CommandIo['env']): Promise<Problem[]> {
  const { design, problems, locate } = parseDesign(text);
  if (design === null) return [...problems];
  const found = await checkCredentialFiles(resolveCredentialFiles(design, dir, env.HOME), design);
  const placed = found.map((problem) => ({ ...problem, ...locate(problem.path) }));
  return [...problems, ...placed].sort((a, b) => a.line - b.line || a.column - b.column);
}

function formatProblems(file: string, problems: readonly Problem[]): string {
  const name = sanitizeLine(file);
  if (problems.length === 0) return `${words().noProblems(name)}\n`;
  const lines = problems.map(({ line, column, severity, rule, message, fix }) =>
    separateCommands(words().problem(`${name}:${line}:${column}`, words()[severity], rule, message, fix)),
  );
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return `${[...lines, words().summary(name, errors, problems.length - errors)].join('\n')}\n`;
}

function attempt<T>(action: () => T): T | Error {
  try {
    return action();
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}
