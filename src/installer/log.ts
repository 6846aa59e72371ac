import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { type LogLine, parseLogLine } from './log-line.ts';

export type { LogLine } from './log-line.ts';

/** Turns pieces of text, cut anywhere, into lines. */
export interface LogParser {
  /** The lines that are complete now; what follows the last newline waits for more. */
  push(chunk: string | Buffer): LogLine[];
  /** What was still waiting, when nothing more will come. */
  end(): LogLine[];
}

/** A line longer than this is cut: a log that is not one must not fill the memory. */
const LONGEST_LINE = 256 * 1024;

/** A parser for the log file or for standard error of openshift-install. Private keys are hidden across lines too. */
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
      rest = (parts.pop() ?? '').slice(0, LONGEST_LINE);
      return parts.flatMap(toLine);
    },
    end() {
      const last = rest + decoder.end();
      rest = '';
      return toLine(last);
    },
  };
}

/** Reads a growing log, a piece at a time. */
export interface LogFollower {
  /** What was added since the last call (at most 1 MiB of it); empty when nothing was, or the file is not there yet. */
  next(): Promise<LogLine[]>;
}

const PIECE = 1024 * 1024;
/** The first read of a longer log takes this much of its end. */
const LATEST = 16 * PIECE;

/** Follows a log file from its beginning (of a long one, from near its end); one that was replaced or cut short is read from its beginning again. */
export function followLog(file: string): LogFollower {
  let offset: number | null = null;
  let inode: number | null = null;
  let parser = createLogParser();
  let isHalfLine = false;
  return {
    async next() {
      const handle = await open(file, 'r').catch(() => null);
      if (!handle) return [];
      try {
        const { size, ino } = await handle.stat();
        if (offset === null || size < offset || ino !== inode) {
          offset = Math.max(0, size - LATEST);
          // The first line of a piece out of the middle is half a line.
          isHalfLine = offset > 0;
          inode = ino;
          parser = createLogParser();
        }
        const length = Math.min(size - offset, PIECE);
        if (length <= 0) return [];
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
        offset += bytesRead;
        const piece = buffer.subarray(0, bytesRead);
        const start = isHalfLine ? piece.indexOf(0x0a) + 1 : 0;
        if (isHalfLine && start === 0) return [];
        isHalfLine = false;
        return parser.push(piece.subarray(start));
      } finally {
        await handle.close();
      }
    },
  };
}
