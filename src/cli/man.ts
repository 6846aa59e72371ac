import { catalogue } from '../text/catalogue.ts';
import type { Block, PageFacts } from './help/page.ts';
import { TOPIC_NAMES, TOPICS } from './help/topics.ts';
import type { CommandIo } from './shared/io.ts';
import { UsageError } from './shared/usage.ts';

const words = () => catalogue().shells.man;

/** `upi-wizard man`: the manual page as roff, made from the help pages. To read it: `upi-wizard man | man -l -`. */
export async function manCommand(
  argv: readonly string[],
  io: CommandIo,
  facts: PageFacts & { readonly version: string },
): Promise<number> {
  if (argv.length > 0) throw new UsageError(words().none);
  const pages = await Promise.all(
    TOPIC_NAMES.map(async (topic) => [
      `.SH ${escaped(topic.toUpperCase())}`,
      ...(await TOPICS[topic](facts)).flatMap(roffOf),
    ]),
  );
  const { title, name, what } = words();
  const head = [
    `.TH UPI\\-WIZARD 1 "" "upi\\-wizard ${escaped(facts.version)}" "${escaped(title)}"`,
    '.nh',
    '.ad l',
    `.SH ${escaped(name)}`,
    `upi\\-wizard \\- ${escaped(what)}`,
  ];
  io.stdout(`${[...head, ...pages.flat()].join('\n')}\n`);
  return 0;
}

function roffOf(block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return [`.SS ${escaped(block.text)}`];
    case 'text':
      return ['.PP', lineOf(block.text)];
    case 'verbatim':
      return ['.PP', '.nf', ...block.text.split('\n').map(lineOf), '.fi'];
    case 'beside':
    case 'below':
      return block.terms.flatMap(({ name, lines }) => [
        '.TP',
        `\\fB${escaped(name)}\\fR`,
        ...lines.flatMap((line, index) => (index === 0 ? [lineOf(line)] : ['.br', lineOf(line)])),
      ]);
  }
}

/** A line that begins with a dot or a quote would be a request. */
function lineOf(text: string): string {
  const line = escaped(text);
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

/**
 * What roff takes for its own: the backslash; a hyphen that is to stay one, so that options can be copied. An address of the web
 * may be broken after its slashes: many are longer than a line.
 */
function escaped(text: string): string {
  const safe = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('\n', ' ');
  return safe.replace(/https:\/\/\S+/g, (address) => address.replaceAll(/(?<=[^/:])\//g, '/\\:'));
}
