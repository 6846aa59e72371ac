import { catalogue } from '../i18n/catalogue.ts';
import type { Arguments } from './commands.ts';
import { TOPICS } from './help/index.ts';
import type { Block } from './help/page.ts';
import type { CommandContext } from './shared/context.ts';
import { TOPIC_NAMES } from './word-lists.ts';

const words = () => catalogue().manualPage.man;
const SYNOPSIS = ['upi-wizard [OPTIONS]', 'upi-wizard COMMAND [OPTIONS]'];

/** `upi-wizard man`: the manual page as roff, made from the help pages. To read it: `upi-wizard man | man -l -`. */
export async function manCommand(_args: Arguments<'man'>, { io, readVersion }: CommandContext): Promise<number> {
  const pages = await Promise.all(
    TOPIC_NAMES.map(async (topic) => [
      `.SH ${escapeRoff(topic.toUpperCase())}`,
      ...(await TOPICS[topic]()).flatMap(toRoff),
    ]),
  );
  const { title, name, what, synopsis } = words();
  const headerLines = [
    `.TH UPI\\-WIZARD 1 "" "upi\\-wizard ${escapeRoff(readVersion())}" "${escapeRoff(title)}"`,
    '.nh',
    '.ad l',
    `.SH ${escapeRoff(name)}`,
    `upi\\-wizard \\- ${escapeRoff(what)}`,
    `.SH ${escapeRoff(synopsis)}`,
    '.nf',
    ...SYNOPSIS.map(escapeRoff),
    '.fi',
  ];
  io.stdout(`${[...headerLines, ...pages.flat()].join('\n')}\n`);
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
    case 'terms':
      return block.terms.flatMap(({ name, lines }) => [
        '.TP',
        `\\fB${escapeRoff(name)}\\fR`,
        ...lines.flatMap((line, index) => (index === 0 ? [formatRoffLine(line)] : ['.br', formatRoffLine(line)])),
      ]);
  }
}

/** Formats a line of text: a leading dot or quote would start a roff request. */
function formatRoffLine(text: string): string {
  const line = escapeRoff(text);
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

/**
 * Escapes what roff interprets: the backslash, and hyphens, so that options can be copied. A web address may be broken
 * after its slashes, because many are longer than a line.
 */
function escapeRoff(text: string): string {
  const escapedText = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('\n', ' ');
  return escapedText.replace(/https:\/\/\S+/g, (address) => address.replaceAll(/(?<=[^/:])\//g, '/\\:'));
}
