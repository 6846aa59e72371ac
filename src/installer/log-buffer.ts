import type { LogMark, LogSource } from '../checks/bootstrap/evidence.ts';
import type { LogLine } from './log-line.ts';
import { createLogMarker } from './log-marks.ts';

/** A line as it is displayed: one row, with its source and its mark. */
export interface MarkedLogLine extends LogLine {
  readonly source: LogSource;
  readonly mark: LogMark;
}

/** The lines known at one time. A new object after every change; the same one while nothing changed. */
export interface LogSnapshot {
  readonly lines: readonly MarkedLogLine[];
  /** The number of the first line. Numbers only grow, so a position stays valid when old lines are dropped. */
  readonly first: number;
  /** Time of the last message that was new and no noise, in milliseconds; null: never. */
  readonly lastNewMessageAt: number | null;
}

/** Lines of several sources in the order of their arrival, the latest 100,000 of them. */
export interface LogBuffer {
  /** @param now time of lines that carry none */
  add(source: LogSource, lines: readonly LogLine[], now: number): void;
  snapshot(): LogSnapshot;
}

const MAX_LINES = 100_000;
/** Limit of characters, however long the lines are. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Most distinct messages that are remembered, to recognize new ones. */
const MAX_KNOWN = 5000;

/**
 * Creates an empty buffer.
 * @param maxLines number of lines that are kept, with no more than 32 Mi characters: the oldest are dropped first
 */
export function createLogBuffer(maxLines = MAX_LINES): LogBuffer {
  const marker = createLogMarker();
  const known = new Set<string>();
  let lines: MarkedLogLine[] = [];
  let first = 0;
  let characters = 0;
  let lastNewMessageAt: number | null = null;
  let snapshot: LogSnapshot = { lines, first, lastNewMessageAt };

  function addLine(source: LogSource, line: LogLine, now: number): void {
    const { mark, resolvedLines } = marker.mark(line, source, first + lines.length);
    for (const number of resolvedLines) {
      const solved = lines[number - first];
      if (solved) lines[number - first] = { ...solved, mark: 'solved' };
    }
    if (mark !== 'noise' && isNew(line.text)) lastNewMessageAt = Math.max(lastNewMessageAt ?? 0, line.at ?? now);
    lines.push({ ...line, source, mark });
    characters += line.text.length;
  }

  function isNew(text: string): boolean {
    // Counters, times and addresses do not make a message new.
    const message = text.slice(0, 300).replace(/[0-9a-f]{8,}|\d+/g, '#');
    if (known.has(message)) return false;
    if (known.size < MAX_KNOWN) known.add(message);
    return true;
  }

  function dropOldest(): void {
    let drop = Math.max(0, lines.length - maxLines);
    for (const line of lines.slice(0, drop)) characters -= line.text.length;
    while (characters > MAX_CHARACTERS && drop < lines.length) {
      characters -= lines[drop]?.text.length ?? 0;
      drop += 1;
    }
    lines = lines.slice(drop);
    first += drop;
  }

  return {
    add(source, added, now) {
      if (added.length === 0) return;
      // Lines that were handed out must not change.
      lines = [...lines];
      for (const line of added)
        for (const text of line.text.split('\n')) addLine(source, { ...line, text: text.trimEnd() }, now);
      dropOldest();
      snapshot = { lines, first, lastNewMessageAt };
    },
    snapshot: () => snapshot,
  };
}
