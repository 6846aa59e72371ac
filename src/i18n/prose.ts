import { displayWidth, splitGraphemes, wrapBeside } from '../platform/text.ts';
import { withProgramName } from './catalogue.ts';

/**
 * A shell command on as many lines as it needs, each at most `width` cells wide; pasted, they are one command. It
 * continues with a backslash between words. A longer word continues at the start of the next line: its quotes are
 * closed before and opened again after. Nothing is left out.
 * @param width cells
 * @param indent put before the first line, and twice before those that begin with a word
 */
export function wrapCommand(command: string, width: number, indent = '  '): string[] {
  if (displayWidth(indent + command) <= width) return [indent + command];
  const availableColumns = Math.max(8, width - displayWidth(indent) * 2 - 2);
  const lines: string[] = [];
  let line = '';
  for (const word of splitWords(command)) {
    const candidate = line === '' ? word : `${line} ${word}`;
    if (displayWidth(candidate) <= availableColumns) {
      line = candidate;
      continue;
    }
    if (line !== '') lines.push(`${line} \\`);
    const pieces = splitWord(word, availableColumns);
    line = pieces.pop() ?? '';
    lines.push(...pieces.map((piece) => `${piece}\\`));
  }
  lines.push(line);
  return lines.map((text, index) => {
    const previous = lines[index - 1];
    // Blanks at the start would end a word that continues.
    const continuesWord = previous !== undefined && !previous.endsWith(' \\');
    return `${continuesWord ? '' : index === 0 ? indent : indent + indent}${text}`;
  });
}

/** A line of user-visible text. A command is one to type. */
export interface ProseLine {
  readonly text: string;
  readonly isCommand: boolean;
}

/** Splits user-visible text into its sentences and its commands, which stand between backticks. */
export function splitProse(text: string): ProseLine[] {
  return text.split('\n').flatMap((paragraph) =>
    paragraph.split(/`([^`]+)`/).flatMap((part, index): ProseLine[] => {
      if (index % 2 === 1) return [{ text: withProgramName(part), isCommand: true }];
      // Punctuation that continues the sentence after a command would stand alone.
      const sentence = index === 0 ? part.trimEnd() : part.replace(/^[\s.,;:)]+/, '').trimEnd();
      return sentence === '' && paragraph !== '' ? [] : [{ text: sentence, isCommand: false }];
    }),
  );
}

/**
 * User-visible text in lines of at most `width` cells. Sentences are wrapped; each command, which stands between
 * backticks, gets its own lines and stays whole.
 * @param width cells
 * @param head put before the first line; the other lines get as many blanks
 */
export function wrapProse(text: string, width: number, head = ''): ProseLine[] {
  return layOutParts(text, head, (part, indent) =>
    part.isCommand ? wrapCommand(part.text, width, indent + COMMAND_INDENT) : wrapBeside(indent, part.text, width),
  );
}

/**
 * The same for output that wraps lines on its own, or has no width: each part is one line, and a command is never
 * broken.
 */
export function formatProse(text: string, head = ''): ProseLine[] {
  return layOutParts(text, head, (part, indent) => [`${indent}${part.isCommand ? COMMAND_INDENT : ''}${part.text}`]);
}

/** Printed text with each command on its own line, below the sentence that mentions it. */
export function separateCommands(text: string): string {
  if (!text.includes('`')) return text;
  return text
    .split('\n')
    .flatMap((line) => {
      const [head = ''] = /^ */.exec(line) ?? [];
      return formatProse(line.slice(head.length), head).map(({ text: row }) => row);
    })
    .join('\n');
}

function layOutParts(
  text: string,
  head: string,
  renderPart: (part: ProseLine, indent: string) => string[],
): ProseLine[] {
  const indent = ' '.repeat(displayWidth(head));
  const lines = splitProse(text).flatMap((part) =>
    renderPart(part, indent).map((line): ProseLine => ({ text: line, isCommand: part.isCommand })),
  );
  const [first, ...others] = lines;
  if (first === undefined || head.trim() === '') return lines;
  if (first.isCommand) return [{ text: head.trimEnd(), isCommand: false }, ...lines];
  return [{ ...first, text: head + first.text.slice(indent.length) }, ...others];
}

const COMMAND_INDENT = '    ';

/** Text for a single line: its commands are only mentioned, and shown whole elsewhere. */
export const stripBackticks = (text: string): string => text.replaceAll(/`([^`]+)`/g, '$1');

/** Returns a command as user-visible text holds it: between backticks. */
export const markCommand = (command: string): string => (command.includes('`') ? command : `\`${command}\``);

/** Splits at blanks, except those in single quotes. */
function splitWords(command: string): string[] {
  return command.match(/(?:'[^']*'|\\.|[^\s'\\])+|['\\]/g) ?? [];
}

/**
 * Splits a word into pieces that a shell joins again when each but the last is followed by a backslash and a newline.
 */
function splitWord(word: string, availableColumns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let isQuoted = false;
  let isEscaped = false;
  for (const grapheme of splitGraphemes(word)) {
    if (!isEscaped && displayWidth(piece + grapheme) > availableColumns - 1) {
      pieces.push(isQuoted ? `${piece}'` : piece);
      piece = isQuoted ? "'" : '';
    }
    piece += grapheme;
    isEscaped = !isQuoted && !isEscaped && grapheme === '\\';
    if (grapheme === "'" && !(piece.length > 1 && endsWithEscapedQuote(piece))) isQuoted = !isQuoted;
  }
  return [...pieces, piece];
}

/** Whether a piece ends with an escaped quote outside quotes: `\'` of `'it'\''s'`. */
const endsWithEscapedQuote = (piece: string) => /(?:^|[^\\])\\'$/.test(piece);
