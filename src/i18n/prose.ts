import { getDisplayWidth, splitGraphemes, wrapBeside } from '../platform/text.ts';
import { replaceProgramName } from './catalogue.ts';

/**
 * Wraps a shell command into lines of at most `width` cells; when pasted, these are one command. A line ends with a
 * backslash between words, never inside quotes that fit into a line. A longer word continues at the start of the next
 * line. Nothing is left out.
 * @param width cells
 * @param indent put once before the first line, and twice before each later line that begins with a word
 */
export function wrapCommand(command: string, width: number, indent = '  '): string[] {
  if (getDisplayWidth(indent + command) <= width) return [indent + command];
  const availableColumns = Math.max(8, width - getDisplayWidth(indent) * 2 - 2);
  const lines: string[] = [];
  let line = '';
  // No indent before a word that continues from the line before: blanks would split it.
  let head = indent;
  const endLine = (end: string, nextHead: string) => {
    lines.push(`${head}${line}${end}`);
    head = nextHead;
  };
  for (const parts of splitWords(command)) {
    const word = joinParts(parts);
    const candidate = line === '' ? word : `${line} ${word}`;
    if (getDisplayWidth(candidate) <= availableColumns) {
      line = candidate;
      continue;
    }
    if (line !== '') endLine(' \\', indent + indent);
    for (const [index, piece] of splitWord(parts, availableColumns).entries()) {
      if (index > 0) endLine('\\', '');
      line = piece;
    }
  }
  return [...lines, `${head}${line}`];
}

/** A line of user-visible text: prose, or a command to type. */
export interface ProseLine {
  readonly text: string;
  readonly isCommand: boolean;
}

/** Splits user-visible text into its sentences and its commands, which stand between backticks. */
export function splitProse(text: string): ProseLine[] {
  return text.split('\n').flatMap((paragraph) =>
    paragraph.split(/`([^`]+)`/).flatMap((part, index): ProseLine[] => {
      if (index % 2 === 1) return [{ text: replaceProgramName(part), isCommand: true }];
      // Drops punctuation that continues the sentence after a command: it would stand alone.
      const sentence = index === 0 ? part.trimEnd() : part.replace(/^[\s.,;:)]+/, '').trimEnd();
      return sentence === '' && paragraph !== '' ? [] : [{ text: sentence, isCommand: false }];
    }),
  );
}

/**
 * Wraps user-visible text into lines of at most `width` cells. Sentences are wrapped; each command, which stands
 * between backticks, gets its own lines and stays whole.
 * @param width cells
 * @param head put before the first line; the other lines get as many blanks
 */
export function wrapProse(text: string, width: number, head = ''): ProseLine[] {
  return layOutParts(text, head, (part, indent) =>
    part.isCommand ? wrapCommand(part.text, width, indent + COMMAND_INDENT) : wrapBeside(indent, part.text, width),
  );
}

/**
 * Formats user-visible text for output that wraps lines on its own, or has no width: each part is one line, and a
 * command is never broken.
 */
export function formatProse(text: string, head = ''): ProseLine[] {
  return layOutParts(text, head, (part, indent) => [`${indent}${part.isCommand ? COMMAND_INDENT : ''}${part.text}`]);
}

/** Returns the longest beginning of a text that consists of whole sentences and fits; empty if no sentence fits. */
export function fitSentences(text: string, fits: (beginning: string) => boolean): string {
  // A command between backticks is not split.
  const sentences = text.split(/(?<=[.?!])\s+(?=(?:[^`]*`[^`]*`)*[^`]*$)/);
  const beginnings = sentences.map((_, index) => sentences.slice(0, index + 1).join(' '));
  return beginnings.findLast(fits) ?? '';
}

/** Puts each command of a printed text on its own line, below the sentence that mentions it. */
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

/**
 * Wraps printed messages for a terminal. Each command gets its own line, as in `separateCommands`. A long sentence is
 * wrapped between words. A command, and a line of a table or a diff, is never broken.
 * @param columns width in cells
 */
export function wrapMessages(text: string, columns: number): string {
  return separateCommands(text)
    .split('\n')
    .flatMap((line) =>
      getDisplayWidth(line) <= columns || UNBROKEN_LINE.test(line) ? [line] : wrapMessage(line, columns),
    )
    .join('\n');
}

/** A command on its own line (`separateCommands` indents it), a line of a diff, a table, or a web address. */
const UNBROKEN_LINE = /^ {4}|^ *[+-] |\S {3,}\S|^\s*\S+$/;
/** A sentence that ends with a command of this program: the sentence and the command as groups. */
const TRAILING_COMMAND = /^(.*?: )((?:\S*node |npx \S+ )?\S*upi-wizard(?:\.js)? .+)$/;

/** Longest label before a command, as in `To continue: `. */
const MAX_LABEL = 16;

function wrapMessage(line: string, columns: number): string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const [, sentence = line, command] = TRAILING_COMMAND.exec(line) ?? [];
  // A short label and its command stay one line, which the terminal wraps: scripts rely on the six `exitLines`.
  if (command !== undefined && getDisplayWidth(sentence) <= MAX_LABEL) return [line];
  const lines = wrapBeside(indent, sentence.slice(indent.length).trimEnd(), columns);
  return command === undefined ? lines : [...lines, `${indent}${COMMAND_INDENT}${command}`];
}

function layOutParts(
  text: string,
  head: string,
  renderPart: (part: ProseLine, indent: string) => string[],
): ProseLine[] {
  const indent = ' '.repeat(getDisplayWidth(head));
  const lines = splitProse(text).flatMap((part) =>
    renderPart(part, indent).map((line): ProseLine => ({ text: line, isCommand: part.isCommand })),
  );
  const [firstLine, ...otherLines] = lines;
  if (firstLine === undefined || head.trim() === '') return lines;
  if (firstLine.isCommand) return [{ text: head.trimEnd(), isCommand: false }, ...lines];
  return [{ ...firstLine, text: head + firstLine.text.slice(indent.length) }, ...otherLines];
}

const COMMAND_INDENT = '    ';

/** Removes the backticks from a text for a single line, whose commands are shown whole elsewhere. */
export const stripBackticks = (text: string): string => text.replaceAll(/`([^`]+)`/g, '$1');

/** Returns a command as user-visible text holds it: between backticks. */
export const markCommand = (command: string): string => (command.includes('`') ? command : `\`${command}\``);

/**
 * A part of a command that a line break must not split: a character, an escaped character, or an expansion. `quote` is
 * the kind of quotes that is open before the part; empty: none.
 */
interface CommandPart {
  readonly text: string;
  readonly quote: '' | "'" | '"';
}

// Patterns of the parts outside quotes and inside each kind of quotes. No backslash escapes the closing single quote.
const PART_PATTERNS: Readonly<Record<CommandPart['quote'], RegExp>> = {
  '': /\\.|\$'(?:[^'\\]|\\.)*'|\$\{[^}]*\}|\$\w+|\$\(|\s+/uy,
  "'": /'/y,
  '"': /\\.|\$\{[^}]*\}|\$\w+|\$\(/uy,
};

/** Splits a command into its words at the blanks outside quotes, and at the blanks of a `$(…)` within quotes. */
function splitWords(command: string): (readonly CommandPart[])[] {
  const words: CommandPart[][] = [[]];
  // The quoting states that are open, the innermost last: a kind of quotes, or empty for a substitution.
  const quoteStack: CommandPart['quote'][] = [''];
  for (let index = 0; index < command.length; ) {
    const quote = quoteStack.at(-1) ?? '';
    const text = readPart(command, index, quote);
    index += text.length;
    if (quote === '' && /^\s/.test(text)) words.push([]);
    else words.at(-1)?.push({ text, quote });
    if ((quote !== '' && text === quote) || (quote === '' && text === ')' && quoteStack.length > 1)) quoteStack.pop();
    else if (text === '$(' || (quote === '' && text === '(')) quoteStack.push('');
    else if (quote === '' && (text === "'" || text === '"')) quoteStack.push(text);
  }
  return words.filter((word) => word.length > 0);
}

function readPart(command: string, index: number, quote: CommandPart['quote']): string {
  const pattern = PART_PATTERNS[quote];
  pattern.lastIndex = index;
  return pattern.exec(command)?.[0] ?? splitGraphemes(command.slice(index, index + 32))[0] ?? '';
}

const joinParts = (parts: readonly CommandPart[]): string => parts.map(({ text }) => text).join('');

/**
 * Splits a word into pieces that a shell joins again when each but the last is followed by a backslash and a newline.
 * Inside double quotes a shell joins lines too; single quotes are closed before and opened again after. The text after
 * a comma starts a new piece where that is possible: the keys and values of JSON stay whole.
 */
function splitWord(parts: readonly CommandPart[], availableColumns: number): string[] {
  const pieces: string[] = [];
  let pieceParts: CommandPart[] = [];
  let start = '';
  for (const part of parts) {
    if (pieceParts.length > 0 && getDisplayWidth(start + joinParts(pieceParts) + part.text) > availableColumns - 1) {
      const cutAt = pieceParts.findLastIndex(({ text }) => text === ',') + 1 || pieceParts.length;
      const rest = pieceParts.slice(cutAt);
      const reopeningQuote = (rest[0] ?? part).quote === "'" ? "'" : '';
      pieces.push(start + joinParts(pieceParts.slice(0, cutAt)) + reopeningQuote);
      start = reopeningQuote;
      pieceParts = rest;
    }
    pieceParts.push(part);
  }
  return [...pieces, start + joinParts(pieceParts)];
}
