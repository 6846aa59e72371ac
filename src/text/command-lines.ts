import { graphemesOf, widthOf } from './width.ts';

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
