import { parseArgs } from 'node:util';
import { findClosestWord } from '../../design/text-forms.ts';
import { catalogue, commandLine } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { type CommandIo, UsageError } from '../shared/io.ts';
import { type Block, type PageFacts, renderPage, terms, text, verbatim } from './page.ts';

/** The topics of `upi-wizard help`, in the order of the list. Each page is loaded on demand. */
export const TOPICS = {
  commands: async (facts) => (await import('./program-topics.ts')).commandsPage(facts),
  design: async () => (await import('./design-topics.ts')).designPage(),
  rules: async () => (await import('./design-topics.ts')).rulesPage(),
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
} satisfies Readonly<Record<string, (facts: PageFacts) => Promise<readonly Block[]>>>;

export type Topic = keyof typeof TOPICS;

export const TOPIC_NAMES = Object.keys(TOPICS) as readonly Topic[];

const words = () => catalogue().help;
const DEFAULT_COLUMNS = 80;

/**
 * `help [TOPIC]`: prints a reference page, built from the program's own tables. Without a topic, it lists the topics.
 * @param options.columns width of the terminal; undefined or 0 if there is none
 * @returns exit code 0
 * @throws UsageError if the topic does not exist
 */
export async function helpCommand(
  argv: readonly string[],
  io: CommandIo,
  { columns, ...facts }: PageFacts & { readonly columns: number | undefined },
): Promise<number> {
  const [topic, ...others] = parseArgs({ args: [...argv], allowPositionals: true }).positionals;
  if (others.length > 0) throw new UsageError(words().oneTopic);
  const blocks = topic === undefined ? buildTopicList() : await TOPICS[parseTopic(topic)](facts);
  // The output of `--help` already contains the hint.
  const hint = topic === 'commands' ? [] : buildInvocationHint();
  io.stdout(renderPage([...blocks, ...hint], columns || DEFAULT_COLUMNS));
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

function buildTopicList() {
  const { intro, topics, more } = words();
  const lines: Readonly<Record<Topic, string>> = topics;
  return [text(intro), terms(TOPIC_NAMES.map((name) => ({ name, lines: [lines[name]] }))), text(more)];
}

function parseTopic(name: string): Topic {
  const topic = TOPIC_NAMES.find((known) => known === name);
  if (topic !== undefined) return topic;
  const safeName = sanitizeLine(name, 80);
  const closest = findClosestWord(name, TOPIC_NAMES);
  throw new UsageError(
    closest === null ? words().unknownTopic(safeName, TOPIC_NAMES.join(', ')) : words().didYouMean(safeName, closest),
  );
}
