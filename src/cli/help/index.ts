import { findClosestWord } from '../../design/text-formats.ts';
import { catalogue, commandLine } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { createUnknownCommand, resolveCommand } from '../arguments.ts';
import { type Arguments, type CommandName, findCommand, listSubcommands } from '../commands.ts';
import type { CommandContext } from '../shared/context.ts';
import { UsageError } from '../shared/io.ts';
import { TOPIC_NAMES, type Topic } from '../word-lists.ts';
import { buildCommandPage, buildOverview, commandsPage } from './command-pages.ts';
import { type Block, renderPage, terms, text, verbatim } from './page.ts';

/** The page of each topic, loaded on demand. */
export const TOPICS: Readonly<Record<Topic, () => Promise<readonly Block[]>>> = {
  commands: commandsPage,
  design: async () => (await import('./design-topics.ts')).designPage(),
  rules: async () => (await import('./design-topics.ts')).rulesPage(),
  versions: async () => (await import('./design-topics.ts')).versionsPage(),
  files: async () => (await import('./design-topics.ts')).filesPage(),
  hosts: async () => (await import('./diagnosis-topics.ts')).hostsPage(),
  directory: async () => (await import('./program-topics.ts')).directoryPage(),
  rehearsal: async () => (await import('./design-topics.ts')).rehearsalPage(),
  status: async () => (await import('./program-topics.ts')).statusPage(),
  checks: async () => (await import('./diagnosis-topics.ts')).checksPage(),
  diagnosis: async () => (await import('./diagnosis-topics.ts')).diagnosisPage(),
  csr: async () => (await import('./design-topics.ts')).csrPage(),
  moves: async () => (await import('./diagnosis-topics.ts')).movesPage(),
  events: async () => (await import('./program-topics.ts')).eventsPage(),
  bundle: async () => (await import('./design-topics.ts')).bundlePage(),
  'exit-codes': async () => (await import('./program-topics.ts')).exitCodesPage(),
  environment: async () => (await import('./program-topics.ts')).environmentPage(),
  languages: async () => (await import('./program-topics.ts')).languagesPage(),
};

const words = () => catalogue().help;

/**
 * `help [TOPIC | COMMAND]`: prints a reference page, built from the program's own tables, or the help of a command.
 * Without an argument, it lists the topics.
 * @returns exit code 0
 * @throws UsageError if there is no such topic or command
 */
export async function helpCommand({ operand }: Arguments<'help'>, context: CommandContext): Promise<number> {
  const [word, ...otherWords] = operand;
  if (word === undefined) return printPage(buildTopicList(), context);
  const topic = TOPIC_NAMES.find((known) => known === word);
  const { name, extra } = resolveCommand(operand);
  if (topic !== undefined && (otherWords.length === 0 || name === '')) {
    if (otherWords.length > 0) throw new UsageError(words().oneTopic);
    return printPage([...(await TOPICS[topic]()), ...buildCommandHint(topic)], context);
  }
  if (name !== '' && extra === undefined) return await printCommandHelp(name, context);
  throw name === '' ? createUnknownTopic(word) : await createUnknownCommand(name, extra);
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
 * The pages call the program `upi-wizard`. If the shell does not find that name, a hint shows the command that started
 * this run.
 */
function buildInvocationHint(): readonly Block[] {
  const command = commandLine();
  return command === 'upi-wizard' ? [] : [text(catalogue().cli.invocationHint), verbatim(command)];
}

/** Some topics have the name of a command. */
function buildCommandHint(topic: Topic): readonly Block[] {
  return findCommand(topic) === undefined ? [] : [text(words().command(topic))];
}

function buildTopicList() {
  const { intro, topics, more } = words();
  const lines: Readonly<Record<Topic, string>> = topics;
  return [text(intro), terms(TOPIC_NAMES.map((name) => ({ name, lines: [lines[name]] }))), text(more)];
}

function createUnknownTopic(name: string): UsageError {
  const safeName = sanitizeLine(name, 80);
  const closestWord = findClosestWord(name, [...TOPIC_NAMES, ...listSubcommands('')]);
  return new UsageError(
    closestWord === null
      ? words().unknownTopic(safeName, TOPIC_NAMES.join(', '))
      : words().didYouMean(safeName, closestWord),
  );
}
