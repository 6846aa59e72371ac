import { parseArgs } from 'node:util';
import { findClosestWord } from '../../design/text-forms.ts';
import { catalogue, commandLine } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { CommandIo } from '../shared/io.ts';
import { UsageError } from '../shared/usage.ts';
import { type Block, type PageFacts, renderPage, terms, text, verbatim } from './page.ts';
import { TOPIC_NAMES, TOPICS, type Topic } from './topics.ts';

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
