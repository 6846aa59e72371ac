import { isSingleNode } from '../design/choices.ts';
import { renderExampleDesign } from '../design/example.ts';
import type { Problem } from '../design/model.ts';
import { renderBalancerStages, renderNetworkDiagram } from '../design/network-diagram.ts';
import { renderNetworkSvg } from '../design/network-svg.ts';
import { type ParsedDesign, parseDesign } from '../design/parse.ts';
import { createDesignJsonSchema } from '../design/schema.ts';
import {
  formatRelease,
  getUnknownVersionReason,
  getVersionProfile,
  type UnknownVersionReason,
} from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { separateCommands } from '../i18n/prose.ts';
import { describeUnreadableFile } from '../i18n/user-error.ts';
import { limitHeapGrowth } from '../platform/memory.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import { checkCredentialFiles } from '../steps/shared/files/credentials.ts';
import { resolveCredentialFiles } from '../steps/shared/files/design-paths.ts';
import { detectCapabilities } from '../terminal/capabilities.ts';
import { isExampleSite } from '../wizard/design/review.ts';
import type { Arguments } from './commands.ts';
import type { CommandContext } from './shared/context.ts';
import { readDesignText } from './shared/design-file.ts';
import { type CommandIo, UsageError } from './shared/io.ts';

const words = () => catalogue().design.command;
const EXIT_OK = 0;
const EXIT_USAGE = 2;
const EXIT_DESIGN_ERRORS = 3;
/** Length in characters above which a text counts as large: a design of a few hundred nodes. */
const LARGE_TEXT_LENGTH = 100_000;

/** `design example [--topology T] [--version X.Y] [--services L]`: prints an example. */
export async function exampleCommand(
  { options }: Arguments<'design example'>,
  { io }: CommandContext,
): Promise<number> {
  const { topology, version, services } = options;
  const reason = getUnknownVersionReason(version);
  if (reason !== null) throw new UsageError(describeRefusal(sanitizeLine(version, 80), reason));
  if (isSingleNode(topology) && !getVersionProfile(version).hasSingleNode)
    throw new UsageError(words().noSingleNode(sanitizeLine(version, 80)));
  if (topology === 'arbiter' && !getVersionProfile(version).hasArbiter)
    throw new UsageError(words().noArbiter(formatRelease(version)));
  if (topology === 'fencing' && getVersionProfile(version).fencing === 'no')
    throw new UsageError(words().noFencing(formatRelease(version)));
  io.stdout(renderExampleDesign({ topology, version, serviceLayout: services }));
  return EXIT_OK;
}

function describeRefusal(version: string, reason: UnknownVersionReason): string {
  const { message, fix } = catalogue().designRules.versionKnown.reasons[reason];
  return reason === 'unknown' ? words().unknownVersion(version) : `${message(version)}. ${fix}`;
}

/** `design schema`: prints the JSON Schema of a design file. */
export async function schemaCommand(_args: Arguments<'design schema'>, { io }: CommandContext): Promise<number> {
  io.stdout(formatJson(createDesignJsonSchema()));
  return EXIT_OK;
}

/**
 * `design check FILE [--json]`: prints the problems of a design file.
 * @returns 0 done; 2 a file that cannot be read; 3 the design has errors
 */
export async function checkDesignCommand(
  { options, operand: file }: Arguments<'design check'>,
  { io }: CommandContext,
): Promise<number> {
  const { name, dir, text } = readDesignText(file, io);
  if (text instanceof Error) {
    io.stderr(`${describeUnreadableFile(name, text)}\n`);
    return EXIT_USAGE;
  }
  // Parsing a large design allocates much more than the file; the limit makes V8 collect earlier.
  if (text.length > LARGE_TEXT_LENGTH) limitHeapGrowth();
  const parsedDesign = parseDesign(text);
  const problems = await checkDesignAndCredentials(parsedDesign, dir, io.env);
  const notes = isExampleSite({ ...parsedDesign, nodes: { edit: null } }) ? [words().exampleSite(name)] : [];
  io.stdout(
    options.json ? formatJson({ problems: problems.map(toProblemJson) }) : formatProblems(name, problems, notes),
  );
  return problems.some(({ severity }) => severity === 'error') ? EXIT_DESIGN_ERRORS : EXIT_OK;
}

/** Columns of the text diagram if the output is not a terminal. */
const TEXT_COLUMNS = 80;

/**
 * `design diagram FILE [--svg]`: prints the networks of a design with their members, as text or as a picture.
 * @returns 0 done; 2 a file that cannot be read; 3 no diagram can be drawn of it
 */
export async function diagramCommand(
  { options, operand: file }: Arguments<'design diagram'>,
  { io }: CommandContext,
): Promise<number> {
  const { name, text } = readDesignText(file, io);
  if (text instanceof Error) {
    io.stderr(`${describeUnreadableFile(name, text)}\n`);
    return EXIT_USAGE;
  }
  const { design, problems } = parseDesign(text);
  if (design === null) {
    io.stderr(formatProblems(name, problems));
    return EXIT_DESIGN_ERRORS;
  }
  const { hasUnicode, isInteractive, columns } = detectCapabilities(io.env, process.stdin, process.stdout);
  const lines = [
    ...renderNetworkDiagram(design, isInteractive ? columns : TEXT_COLUMNS, hasUnicode),
    ...renderBalancerStages(design, hasUnicode),
  ].map((line) => line.text.trimEnd());
  io.stdout(options.svg ? renderNetworkSvg(design) : `${lines.join('\n')}\n`);
  return EXIT_OK;
}

/** Finds the problems of the design and, if it can be parsed, of the files that it names. */
async function checkDesignAndCredentials(
  { design, problems, locate }: ParsedDesign,
  dir: string,
  env: CommandIo['env'],
): Promise<Problem[]> {
  if (design === null) return [...problems];
  const credentialProblems = await checkCredentialFiles(resolveCredentialFiles(design, dir, env.HOME), design);
  const locatedProblems = credentialProblems.map((problem) => ({ ...problem, ...locate(problem.path) }));
  return [...problems, ...locatedProblems].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Returns the documented keys of a problem. The second path is for the pages only. */
const toProblemJson = ({ otherPath: _otherPath, ...problem }: Problem) => problem;

function formatProblems(name: string, problems: readonly Problem[], notes: readonly string[] = []): string {
  const lines = problems.map(({ line, column, severity, rule, message, fix }, index) => {
    // The fix of an unknown key lists the known keys: once for all unknown keys of an object.
    const isRepeated = problems.slice(0, index).some((problem) => problem.rule === rule && problem.fix === fix);
    const shownFix = rule === 'unknown-key' && isRepeated ? null : fix;
    return separateCommands(words().problem(`${name}:${line}:${column}`, words()[severity], rule, message, shownFix));
  });
  const errorCount = problems.filter(({ severity }) => severity === 'error').length;
  const summary =
    problems.length === 0 ? words().noProblems(name) : words().summary(name, errorCount, problems.length - errorCount);
  return `${[...lines, ...notes, summary].join('\n')}\n`;
}
