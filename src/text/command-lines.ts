import { asStarted } from './catalogue.ts';
import { graphemesOf, widthOf, wrapBeside } from './width.ts';

/**
 * A shell command on as many lines as it needs, each at most `width` cells wide and the whole as good as one line when pasted: it is
 * continued with a backslash between words; a word that is longer than a line goes on at the very start of the next one, its quotes
 * closed before and opened again after. Nothing is ever left out.
 * @param indent put before the first line, and twice before those that begin with a word
 */
export function commandLines(command: string, width: number, indent = '  '): string[] {
  if (widthOf(indent + command) <= width) return [indent + command];
  const room = Math.max(8, width - widthOf(indent) * 2 - 2);
  const lines: string[] = [];
  let line = '';
  for (const word of wordsOf(command)) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(`${line} \\`);
    const pieces = piecesOf(word, room);
    line = pieces.pop() ?? '';
    lines.push(...pieces.map((piece) => `${piece}\\`));
  }
  lines.push(line);
  return lines.map((text, index) => {
    const before = lines[index - 1];
    // Blanks at the start would end a word that goes on.
    const goesOn = before !== undefined && !before.endsWith(' \\');
    return `${goesOn ? '' : index === 0 ? indent : indent + indent}${text}`;
  });
}

/** A line of a text for people; a command is one that they type. */
export interface ProseLine {
  readonly text: string;
  readonly isCommand: boolean;
}

/** A text for people taken apart: what is said, and each command in it, which stands between backticks. */
export function proseParts(text: string): ProseLine[] {
  return text.split('\n').flatMap((paragraph) =>
    paragraph.split(/`([^`]+)`/).flatMap((part, index): ProseLine[] => {
      if (index % 2 === 1) return [{ text: asStarted(part), isCommand: true }];
      // What ends the sentence or goes on in it after a command would stand alone.
      const said = index === 0 ? part.trimEnd() : part.replace(/^[\s.,;:)]+/, '').trimEnd();
      return said === '' && paragraph !== '' ? [] : [{ text: said, isCommand: false }];
    }),
  );
}

/**
 * A text for people in lines of at most `width` cells: sentences are wrapped, and each command in it, which stands between
 * backticks, has lines of its own and is whole.
 * @param head stands before the first line, and as many blanks before the others
 */
export function proseLines(text: string, width: number, head = ''): ProseLine[] {
  return linesOf(text, head, (part, indent) =>
    part.isCommand ? commandLines(part.text, width, indent + COMMAND_INDENT) : wrapBeside(indent, part.text, width),
  );
}

/** The same for what wraps lines itself, or has no width: each part is one line, and a command is never broken. */
export function proseRows(text: string, head = ''): ProseLine[] {
  return linesOf(text, head, (part, indent) => [`${indent}${part.isCommand ? COMMAND_INDENT : ''}${part.text}`]);
}

/** Printed text with each command on a line of its own, under what says to type it. */
export function commandsApart(text: string): string {
  if (!text.includes('`')) return text;
  return text
    .split('\n')
    .flatMap((line) => {
      const [head = ''] = /^ */.exec(line) ?? [];
      return proseRows(line.slice(head.length), head).map(({ text: row }) => row);
    })
    .join('\n');
}

function linesOf(text: string, head: string, linesFor: (part: ProseLine, indent: string) => string[]): ProseLine[] {
  const indent = ' '.repeat(widthOf(head));
  const lines = proseParts(text).flatMap((part) =>
    linesFor(part, indent).map((line): ProseLine => ({ text: line, isCommand: part.isCommand })),
  );
  const [first, ...others] = lines;
  if (first === undefined || head.trim() === '') return lines;
  if (first.isCommand) return [{ text: head.trimEnd(), isCommand: false }, ...lines];
  return [{ ...first, text: head + first.text.slice(indent.length) }, ...others];
}

const COMMAND_INDENT = '    ';

/** A text that has one line, where its commands are only named: they stand whole elsewhere. */
export const inOneLine = (text: string): string => text.replaceAll(/`([^`]+)`/g, '$1');

/** A command as a text for people holds it. */
export const inProse = (command: string): string => (command.includes('`') ? command : `\`${command}\``);

/** At blanks, but not those in single quotes. */
function wordsOf(command: string): string[] {
  return command.match(/(?:'[^']*'|\\.|[^\s'\\])+|['\\]/g) ?? [];
}

/** A word in pieces that a shell joins to it again when each but the last is followed by a backslash and a newline. */
function piecesOf(word: string, room: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let isQuoted = false;
  let isEscaped = false;
  for (const grapheme of graphemesOf(word)) {
    if (!isEscaped && widthOf(piece + grapheme) > room - 1) {
      pieces.push(isQuoted ? `${piece}'` : piece);
      piece = isQuoted ? "'" : '';
    }
    piece += grapheme;
    isEscaped = !isQuoted && !isEscaped && grapheme === '\\';
    if (grapheme === "'" && !(piece.length > 1 && isEscapedAt(piece))) isQuoted = !isQuoted;
  }
  return [...pieces, piece];
}

/** Whether the last character of a piece is one after a backslash outside quotes: `\'` of `'it'\''s'`. */
const isEscapedAt = (piece: string) => /(?:^|[^\\])\\'$/.test(piece);
