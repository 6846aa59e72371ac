import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import { findClosestWord } from '../../platform/closest-word.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { createUnknownCommandError, resolveCommand } from '../arguments.ts';
import { type Arguments, type CommandName, findCommand, listSubcommands } from '../commands.ts';
import type { CommandContext } from '../shared/context.ts';
import { UsageError } from '../shared/io.ts';
import { TOPIC_NAMES, type Topic } from '../word-lists.ts';
import { buildAllCommandsPage, buildCommandPage, buildOverview } from './command-pages.ts';
import { type Block, renderPage, terms, text, verbatim } from './page.ts';

/** The page of each topic, loaded on demand. */
export const TOPICS: Readonly<Record<Topic, () => Promise<readonly Block[]>>> = {
  commands: buildAllCommandsPage,
  design: async () => (await import('./design-topics.ts')).buildDesignPage(),
  rules: async () => (await import('./design-topics.ts')).buildRulesPage(),
  versions: async () => (await import('./design-topics.ts')).buildVersionsPage(),
  files: async () => (await import('./design-topics.ts')).buildFilesPage(),
  hosts: async () => (await import('./diagnosis-topics.ts')).buildHostsPage(),
  directory: async () => (await import('./program-topics.ts')).buildDirectoryPage(),
  rehearsal: async () => (await import('./program-topics.ts')).buildRehearsalPage(),
  status: async () => (await import('./program-topics.ts')).buildStatusPage(),
  checks: async () => (await import('./diagnosis-topics.ts')).buildChecksPage(),
  diagnosis: async () => (await import('./diagnosis-topics.ts')).buildDiagnosisPage(),
  csr: async () => (await import('./diagnosis-topics.ts')).buildCsrPage(),
  moves: async () => (await import('./diagnosis-topics.ts')).buildMovesPage(),
  events: async () => (await import('./program-topics.ts')).buildEventsPage(),
  bundle: async () => (await import('./program-topics.ts')).buildBundlePage(),
  'exit-codes': async () => (await import('./program-topics.ts')).buildExitCodesPage(),
  environment: async () => (await import('./program-topics.ts')).buildEnvironmentPage(),
  languages: async () => (await import('./program-topics.ts')).buildLanguagesPage(),
};

const words = () => catalogue().help;

/**
 * `help [TOPIC | COMMAND | ID]`: prints a reference page, built from the program's own tables, the help of a command,
 * or one diagnostic rule, check, infra move or design rule.
 * Without an argument, it lists the topics.
 * @returns exit code 0
 * @throws UsageError if there is no such topic or command
 */
export async function helpCommand({ operand }: Arguments<'help'>, context: CommandContext): Promise<number> {
  const [word, ...otherWords] = operand;
  if (word === undefined) return printPage(buildTopicList(), context);
  const topic = TOPIC_NAMES.find((topicName) => topicName === word);
  const { name, extraWord } = resolveCommand(operand);
  // A rule or a check is found by its id, also after the topic that lists it.
  const listsIds = topic === 'diagnosis' || topic === 'checks' || topic === 'rules';
  const [id = word, ...wordsAfterId] = listsIds ? otherWords : operand;
  if (name === '' && id !== topic && wordsAfterId.length === 0) {
    const entry = (await import('./diagnosis-topics.ts')).buildEntryPage(id);
    if (entry !== null) return printPage(entry, context);
  }
  if (topic !== undefined && (otherWords.length === 0 || name === '')) {
    if (otherWords.length > 0) throw new UsageError(words().oneTopic);
    return printPage([...(await TOPICS[topic]()), ...buildCommandHint(topic)], context);
  }
  if (name !== '' && extraWord === undefined) return await printCommandHelp(name, context);
  throw name === '' ? createUnknownTopicError(word) : await createUnknownCommandError(name, extraWord);
}

/** Prints the help of a command; of the empty name, the overview. */
export async function printCommandHelp(name: CommandName, context: CommandContext): Promise<number> {
  return printPage(name === '' ? await buildOverview(context.readVersion()) : await buildCommandPage(name), context);
}

function printPage(blocks: readonly Block[], { io, columns }: CommandContext): number {
  io.stdout(renderPage([...blocks, ...buildInvocationHint()], columns));
  return 0;
}

/**
 * Builds the hint about the command that started this run, if the shell does not find `upi-wizard`: the pages use that
 * name.
 */
function buildInvocationHint(): readonly Block[] {
  const command = formatCommandLine();
  return command === 'upi-wizard' ? [] : [text(catalogue().cli.invocationHint), verbatim(command)];
}

/** Builds the hint for a topic that has the name of a command. */
function buildCommandHint(topic: Topic): readonly Block[] {
  return findCommand(topic) === undefined ? [] : [text(words().command(topic))];
}

function buildTopicList() {
  const { intro, topics, more } = words();
  const lines: Readonly<Record<Topic, string>> = topics;
  return [text(intro), terms(TOPIC_NAMES.map((name) => ({ name, lines: [lines[name]] }))), text(more)];
}

function createUnknownTopicError(name: string): UsageError {
  const safeName = sanitizeLine(name, 80);
  const closestWord = findClosestWord(name, [...TOPIC_NAMES, ...listSubcommands('')]);
  return new UsageError(
    closestWord === null
      ? words().unknownTopic(safeName, TOPIC_NAMES.join(', '))
      : words().didYouMean(safeName, closestWord),
  );
}
