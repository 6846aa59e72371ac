import { parseArgs } from 'node:util';
import { nearest } from '../../design/nearest.ts';
import { catalogue, commandLine } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { CommandIo } from '../shared/io.ts';
import { UsageError } from '../shared/usage.ts';
import { type Block, layOut, type PageFacts, terms, text, verbatim } from './page.ts';
import { TOPIC_NAMES, TOPICS, type Topic } from './topics.ts';

const words = () => catalogue().help;
const COLUMNS = 80;

/**
 * `help [TOPIC]`: a page of reference made from the tables that the program itself works with; alone, the list of topics.
 * @param options.columns of the terminal; undefined or 0 where there is none
 * @returns exit code 0
 * @throws UsageError for a topic that does not exist
 */
export async function helpCommand(
  argv: readonly string[],
  io: CommandIo,
  { columns, ...facts }: PageFacts & { readonly columns: number | undefined },
): Promise<number> {
  const [topic, ...others] = parseArgs({ args: [...argv], allowPositionals: true }).positionals;
  if (others.length > 0) throw new UsageError(words().oneTopic);
  const blocks = topic === undefined ? listOfTopics() : await TOPICS[topicOf(topic)](facts);
  // What --help prints says it already.
  const called = topic === 'commands' ? [] : calledOtherwise();
  io.stdout(layOut([...blocks, ...called], columns || COLUMNS));
  return 0;
}

/** Pages speak of the program by its name; a shell that does not find it by that is told how this run was started. */
function calledOtherwise(): readonly Block[] {
  const command = commandLine();
  return command === 'upi-wizard' ? [] : [text(catalogue().cli.calledAs), verbatim(command)];
}

function listOfTopics() {
  const { intro, topics, more } = words();
  const lines: Readonly<Record<Topic, string>> = topics;
  return [text(intro), terms(TOPIC_NAMES.map((name) => ({ name, lines: [lines[name]] }))), text(more)];
}

function topicOf(name: string): Topic {
  const topic = TOPIC_NAMES.find((known) => known === name);
  if (topic !== undefined) return topic;
  const said = sanitizeLine(name, 80);
  const near = nearest(name, TOPIC_NAMES);
  throw new UsageError(near === null ? words().unknownTopic(said, TOPIC_NAMES.join(', ')) : words().meant(said, near));
}
