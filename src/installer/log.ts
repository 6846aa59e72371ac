import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { LogMark, LogSource } from './log-line.ts';
import { createLogMarker, type LogLine, parseLogLine } from './log-line.ts';

/** Turns chunks of text, split anywhere, into lines. */
interface LogParser {
  /** Returns the lines that are complete; text after the last newline is kept for the next call. */
  push(chunk: string | Buffer): LogLine[];
  /** Returns the incomplete last line once the input has ended. */
  end(): LogLine[];
}

/** Longer lines are truncated (characters): a file that is no log must not exhaust the memory. */
const MAX_LINE_LENGTH = 256 * 1024;

/**
 * Creates a parser for the log file or the standard error of openshift-install. It hides private keys, even those
 * that span several lines.
 */
export function createLogParser(): LogParser {
  const decoder = new StringDecoder('utf8');
  let incompleteLine = '';
  let isInKey = false;

  const toLine = (text: string): LogLine[] => {
    if (isInKey) {
      isInKey = !/-----END [A-Z0-9 ]*PRIVATE KEY-----/.test(text);
      return [];
    }
    isInKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?!.*-----END)/.test(text);
    return text === '' ? [] : [parseLogLine(text)];
  };

  return {
    push(chunk) {
      const parts = (incompleteLine + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
      incompleteLine = (parts.pop() ?? '').slice(0, MAX_LINE_LENGTH);
      return parts.flatMap(toLine);
    },
    end() {
      const lastLine = incompleteLine + decoder.end();
      incompleteLine = '';
      return toLine(lastLine);
    },
  };
}

/** Reads a growing log in chunks. */
export interface LogFollower {
  /**
   * Returns the lines added since the last call (at most 1 MiB); empty if there are none or the file does not exist
   * yet.
   */
  next(): Promise<LogLine[]>;
}

const CHUNK_BYTES = 1024 * 1024;
/** The first read of a longer log starts this far from its end (bytes). */
const INITIAL_TAIL_BYTES = 16 * CHUNK_BYTES;

/**
 * Follows a log file from its beginning (a long file from near its end). A file that was replaced or truncated is read
 * from its beginning again.
 */
export function createLogFollower(file: string): LogFollower {
  let offset: number | null = null;
  let inode: number | null = null;
  let parser = createLogParser();
  let isPartialLine = false;
  return {
    async next() {
      const handle = await open(file, 'r').catch(() => null);
      if (!handle) return [];
      try {
        const { size, ino } = await handle.stat();
        if (offset === null || size < offset || ino !== inode) {
          offset = Math.max(0, size - INITIAL_TAIL_BYTES);
          // A chunk from the middle of the file starts with a partial line.
          isPartialLine = offset > 0;
          inode = ino;
          parser = createLogParser();
        }
        const length = Math.min(size - offset, CHUNK_BYTES);
        if (length <= 0) return [];
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
        offset += bytesRead;
        const chunk = buffer.subarray(0, bytesRead);
        const start = isPartialLine ? chunk.indexOf(0x0a) + 1 : 0;
        if (isPartialLine && start === 0) return [];
        isPartialLine = false;
        return parser.push(chunk.subarray(start));
      } finally {
        await handle.close();
      }
    },
  };
}

/** A line as it is displayed: one row, with its source and its mark. */
export interface MarkedLogLine extends LogLine {
  readonly source: LogSource;
  readonly mark: LogMark;
}

/** The lines known at one time. A new object after every change; the same object while nothing changed. */
export interface LogSnapshot {
  readonly lines: readonly MarkedLogLine[];
  /** The number of the first line. Numbers only grow, so a position stays valid when old lines are dropped. */
  readonly firstNumber: number;
  /** Time of the last message that was new and no noise, in milliseconds; null: never. */
  readonly lastNewMessageAt: number | null;
}

/** Lines of several sources in the order of their arrival, the latest 100,000 of them. */
export interface LogBuffer {
  /**
   * Adds lines that have arrived.
   * @param now ms since the epoch, for lines without a time of their own
   */
  add(source: LogSource, lines: readonly LogLine[], now: number): void;
  getSnapshot(): LogSnapshot;
}

const MAX_LINES = 100_000;
/** Limit of characters, however long the lines are. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Maximum number of distinct messages that are remembered, to recognize new ones. */
const MAX_KNOWN_MESSAGES = 5000;

/**
 * Creates an empty buffer.
 * @param maxLines number of lines that are kept, with no more than 32 Mi characters: the oldest are dropped first
 */
export function createLogBuffer(maxLines = MAX_LINES): LogBuffer {
  const marker = createLogMarker();
  const knownMessages = new Set<string>();
  let lines: MarkedLogLine[] = [];
  let firstNumber = 0;
  let characterCount = 0;
  let lastNewMessageAt: number | null = null;
  let snapshot: LogSnapshot = { lines, firstNumber, lastNewMessageAt };

  function addLine(source: LogSource, line: LogLine, now: number): void {
    const { mark, resolvedLines } = marker.mark(line, source, firstNumber + lines.length);
    for (const number of resolvedLines) {
      const failedLine = lines[number - firstNumber];
      if (failedLine) lines[number - firstNumber] = { ...failedLine, mark: 'solved' };
    }
    if (mark !== 'noise' && recordIfNew(line.text)) lastNewMessageAt = Math.max(lastNewMessageAt ?? 0, line.at ?? now);
    lines.push({ ...line, source, mark });
    characterCount += line.text.length;
  }

  function recordIfNew(text: string): boolean {
    // Counters, times and addresses do not make a message new.
    const message = text.slice(0, 300).replace(/[0-9a-f]{8,}|\d+/g, '#');
    if (knownMessages.has(message)) return false;
    if (knownMessages.size < MAX_KNOWN_MESSAGES) knownMessages.add(message);
    return true;
  }

  function dropOldest(): void {
    let dropCount = Math.max(0, lines.length - maxLines);
    for (const line of lines.slice(0, dropCount)) characterCount -= line.text.length;
    while (characterCount > MAX_CHARACTERS && dropCount < lines.length) {
      characterCount -= lines[dropCount]?.text.length ?? 0;
      dropCount += 1;
    }
    lines = lines.slice(dropCount);
    firstNumber += dropCount;
  }

  return {
    add(source, newLines, now) {
      if (newLines.length === 0) return;
      // The lines of earlier snapshots must not change.
      lines = [...lines];
      for (const line of newLines)
        for (const text of line.text.split('\n')) addLine(source, { ...line, text: text.trimEnd() }, now);
      dropOldest();
      snapshot = { lines, firstNumber, lastNewMessageAt };
    },
    getSnapshot: () => snapshot,
  };
}
