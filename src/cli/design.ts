import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exampleDesign, SERVICE_LAYOUTS } from '../design/example.ts';
import { type Problem, TOPOLOGIES, type Topology } from '../design/model.ts';
import { parseDesign } from '../design/parse.ts';
import { designJsonSchema } from '../design/schema.ts';
import { minorOf, versionProfile } from '../design/versions.ts';
import { readGivenFile } from '../ports/plain-file.ts';
import { keepHeapSmall } from '../ports/small-heap.ts';
import { credentialFiles, judgeCredentials } from '../steps/shared/files/credentials.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { commandsApart } from '../text/command-lines.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { systemReason } from '../text/system-reason.ts';
import type { CommandIo } from './shared/io.ts';

const words = () => catalogue().design.command;
const DONE = 0;
const USAGE = 2;
const HAS_ERRORS = 3;
/** Characters: a design of a few hundred nodes. */
const LARGE = 100_000;

/**
 * `design example | schema | check FILE | import FILE…`. Returns the exit code: 0 done, 2 wrong usage or a file that cannot be read,
 * 3 the design has errors.
 */
export async function designCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const [action, ...rest] = argv;
  switch (action) {
    case 'example':
      return example(rest, io);
    case 'schema':
      return schema(rest, io);
    case 'check':
      return check(rest, io);
    case 'import':
      return (await import('./design-import.ts')).designImport(rest, io);
    case undefined:
      return refuse(io, words().noAction);
    default:
      return refuse(io, words().unknownAction(sanitizeLine(action, 80)));
  }
}

function refuse(io: CommandIo, detail: string): number {
  io.stderr(`${words().wrong(detail)}\n${words().usage(commandLine('design'))}`);
  return USAGE;
}

function example(argv: readonly string[], io: CommandIo): number {
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
  if (minorOf(version) === null) return refuse(io, words().unknownVersion(sanitizeLine(version, 80)));
  if (topology === 'single-node' && !versionProfile(version).hasSingleNode)
    return refuse(io, words().noSingleNode(sanitizeLine(version, 80)));
  io.stdout(exampleDesign({ topology, version, services: layout }));
  return DONE;
}

function isTopology(text: string): text is Topology {
  return (TOPOLOGIES as readonly string[]).includes(text);
}

function schema(argv: readonly string[], io: CommandIo): number {
  if (argv.length > 0) return refuse(io, words().tooMany);
  io.stdout(jsonText(designJsonSchema()));
  return DONE;
}

async function check(argv: readonly string[], io: CommandIo): Promise<number> {
  const parsed = attempt(() =>
    parseArgs({ args: [...argv], options: { json: { type: 'boolean' } }, allowPositionals: true }),
  );
  if (parsed instanceof Error) return refuse(io, sanitizeLine(parsed.message));
  const [file, ...others] = parsed.positionals;
  if (file === undefined) return refuse(io, words().noFile);
  if (others.length > 0) return refuse(io, words().tooMany);
  const path = resolve(io.cwd, file);
  const text = attempt(() => readGivenFile(path));
  if (text instanceof Error) {
    io.stderr(`${words().unreadable(sanitizeLine(file), systemReason(text, 'read'))}\n`);
    return USAGE;
  }
  // What a large file leaves behind while it is read would take more room than the file.
  if (text.length > LARGE) keepHeapSmall();
  const problems = await judgeFile(text, dirname(path), io.env);
  io.stdout(parsed.values.json ? jsonText({ problems }) : humanText(file, problems));
  return problems.some(({ severity }) => severity === 'error') ? HAS_ERRORS : DONE;
}

/** The problems of the design and, once it can be read, of the files it names. */
async function judgeFile(text: string, dir: string, env: CommandIo['env']): Promise<Problem[]> {
  const { design, problems, placeOf } = parseDesign(text);
  if (design === null) return [...problems];
  const found = await judgeCredentials(credentialFiles(design, dir, env.HOME), design);
  const placed = found.map((problem) => ({ ...problem, ...placeOf(problem.path) }));
  return [...problems, ...placed].sort((a, b) => a.line - b.line || a.column - b.column);
}

function humanText(file: string, problems: readonly Problem[]): string {
  const name = sanitizeLine(file);
  if (problems.length === 0) return `${words().good(name)}\n`;
  const lines = problems.map(({ line, column, severity, rule, message, fix }) =>
    commandsApart(words().problem(`${name}:${line}:${column}`, words()[severity], rule, message, fix)),
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
