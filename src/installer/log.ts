import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { type LogLine, parseLogLine } from './log-line.ts';

/** Turns chunks of text, split anywhere, into lines. */
export interface LogParser {
  /** Returns the lines that are complete; text after the last newline is kept for the next call. */
  push(chunk: string | Buffer): LogLine[];
  /** Returns the incomplete last line once the input has ended. */
  end(): LogLine[];
}

/** Longer lines are truncated (characters): a file that is no log must not exhaust the memory. */
const MAX_LINE_LENGTH = 256 * 1024;

/**
 * Creates a parser for the log file or the standard error of openshift-install. It hides private keys, also across
 * lines.
 */
export function createLogParser(): LogParser {
  const decoder = new StringDecoder('utf8');
  let rest = '';
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
      const parts = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
      rest = (parts.pop() ?? '').slice(0, MAX_LINE_LENGTH);
      return parts.flatMap(toLine);
    },
    end() {
      const last = rest + decoder.end();
      rest = '';
      return toLine(last);
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
 * Follows a log file from its beginning (a long one from near its end). A file that was replaced or truncated is read
 * from its beginning again.
 */
export function followLog(file: string): LogFollower {
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
