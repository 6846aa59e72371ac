import type { LogMark, LogSource } from '../diagnosis/bootstrap/evidence.ts';
import type { LogLine } from './log-line.ts';
import { createMarker } from './log-marks.ts';

/** A line as it is shown: one row, marked. */
export interface BookLine extends LogLine {
  readonly source: LogSource;
  readonly mark: LogMark;
}

/** The lines known now. A new object after every change; the same one while nothing changed. */
export interface BookPages {
  readonly lines: readonly BookLine[];
  /** The number of the first line; numbers only grow, so that a place in the book stays the same when old lines go. */
  readonly first: number;
  /** When something was said last that was not said before and is no noise, in milliseconds; null: never. */
  readonly newsAt: number | null;
}

/** Lines of several sources in the order in which they came, the latest 100,000 of them. */
export interface LogBook {
  /** @param now of lines that carry no time */
  add(source: LogSource, lines: readonly LogLine[], now: number): void;
  pages(): BookPages;
}

const MOST_LINES = 100_000;
/** And no more characters than this, however long the lines are. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Different messages that are remembered to tell what is new. */
const MOST_KNOWN = 5000;

/**
 * An empty book.
 * @param mostLines how many lines are kept, and of those no more than 32 Mi characters: the oldest go first
 */
export function createLogBook(mostLines = MOST_LINES): LogBook {
  const marker = createMarker();
  const known = new Set<string>();
  let lines: BookLine[] = [];
  let first = 0;
  let characters = 0;
  let newsAt: number | null = null;
  let pages: BookPages = { lines, first, newsAt };

  function addLine(source: LogSource, line: LogLine, now: number): void {
    const { mark, solves } = marker.mark(line, source, first + lines.length);
    for (const number of solves) {
      const solved = lines[number - first];
      if (solved) lines[number - first] = { ...solved, mark: 'solved' };
    }
    if (mark !== 'noise' && isNew(line.text)) newsAt = Math.max(newsAt ?? 0, line.at ?? now);
    lines.push({ ...line, source, mark });
    characters += line.text.length;
  }

  function isNew(text: string): boolean {
    // Counters, times and addresses make no news.
    const message = text.slice(0, 300).replace(/[0-9a-f]{8,}|\d+/g, '#');
    if (known.has(message)) return false;
    if (known.size < MOST_KNOWN) known.add(message);
    return true;
  }

  function dropOldest(): void {
    let drop = Math.max(0, lines.length - mostLines);
    for (const line of lines.slice(0, drop)) characters -= line.text.length;
    while (characters > MOST_CHARACTERS && drop < lines.length) {
      characters -= lines[drop]?.text.length ?? 0;
      drop += 1;
    }
    lines = lines.slice(drop);
    first += drop;
  }

  return {
    add(source, added, now) {
      if (added.length === 0) return;
      // What was handed out stays as it was.
      lines = [...lines];
      for (const line of added)
        for (const text of line.text.split('\n')) addLine(source, { ...line, text: text.trimEnd() }, now);
      dropOldest();
      pages = { lines, first, newsAt };
    },
    pages: () => pages,
  };
}
