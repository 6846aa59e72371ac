import { graphemesOf, widthOf, wrapLines } from './width.ts';

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

/**
 * A text for people in lines of at most `width` cells: sentences are wrapped, and each command in it, which stands between
 * backticks, has lines of its own and is whole.
 */
export function proseLines(text: string, width: number): ProseLine[] {
  return text.split('\n').flatMap((paragraph) =>
    paragraph.split(/`([^`]+)`/).flatMap((part, index): ProseLine[] => {
      if (index % 2 === 1)
        return commandLines(part, width, COMMAND_INDENT).map((line) => ({ text: line, isCommand: true }));
      // What ends the sentence or goes on in it after a command would stand alone.
      const said = index === 0 ? part.trimEnd() : part.replace(/^[\s.,;:)]+/, '').trimEnd();
      if (said === '' && paragraph !== '') return [];
      return wrapLines(said, width).map((line) => ({ text: line, isCommand: false }));
    }),
  );
}

const COMMAND_INDENT = '    ';

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
