import { catalogue } from '../i18n/catalogue.ts';
import { TOPIC_NAMES, TOPICS } from './help/index.ts';
import type { Block, PageFacts } from './help/page.ts';
import { type CommandIo, UsageError } from './shared/io.ts';

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
      `.SH ${escapeRoff(topic.toUpperCase())}`,
      ...(await TOPICS[topic](facts)).flatMap(toRoff),
    ]),
  );
  const { title, name, what } = words();
  const head = [
    `.TH UPI\\-WIZARD 1 "" "upi\\-wizard ${escapeRoff(facts.version)}" "${escapeRoff(title)}"`,
    '.nh',
    '.ad l',
    `.SH ${escapeRoff(name)}`,
    `upi\\-wizard \\- ${escapeRoff(what)}`,
  ];
  io.stdout(`${[...head, ...pages.flat()].join('\n')}\n`);
  return 0;
}

function toRoff(block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return [`.SS ${escapeRoff(block.text)}`];
    case 'text':
      return ['.PP', formatRoffLine(block.text)];
    case 'verbatim':
      return ['.PP', '.nf', ...block.text.split('\n').map(formatRoffLine), '.fi'];
    case 'beside':
    case 'below':
      return block.terms.flatMap(({ name, lines }) => [
        '.TP',
        `\\fB${escapeRoff(name)}\\fR`,
        ...lines.flatMap((line, index) => (index === 0 ? [formatRoffLine(line)] : ['.br', formatRoffLine(line)])),
      ]);
  }
}

/** A leading dot or quote would start a roff request. */
function formatRoffLine(text: string): string {
  const line = escapeRoff(text);
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

/**
 * Escapes what roff interprets: the backslash, and hyphens, so that options can be copied. A web address may be broken
 * after its slashes, because many are longer than a line.
 */
function escapeRoff(text: string): string {
  const safe = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('\n', ' ');
  return safe.replace(/https:\/\/\S+/g, (address) => address.replaceAll(/(?<=[^/:])\//g, '/\\:'));
}
