import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { type LogLine, parseLogLine } from './log-line.ts';

export type { LogLine } from './log-line.ts';
export { interpretLog } from './log-meaning.ts';

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
  /** What was added since the last call (at most 4 MiB of it); empty when nothing was, or the file is not there yet. */
  next(): Promise<LogLine[]>;
}

const PIECE = 4 * 1024 * 1024;

/** Follows a log file from its beginning; one that was replaced by a shorter one is read anew. */
export function followLog(file: string): LogFollower {
  let offset = 0;
  let parser = createLogParser();
  return {
    async next() {
      const size = await sizeOf(file);
      if (size < offset) {
        offset = 0;
        parser = createLogParser();
      }
      const piece = await readPiece(file, offset, Math.min(size - offset, PIECE));
      offset += piece.length;
      return parser.push(piece);
    },
  };
}

/** The last `count` lines of a log file, without reading all of a long one; empty where there is none. */
export async function readLogTail(file: string, count: number): Promise<LogLine[]> {
  const size = await sizeOf(file);
  const start = Math.max(0, size - PIECE);
  const parser = createLogParser();
  const text = (await readPiece(file, start, size - start)).toString('utf8');
  // The first line of a piece out of the middle is half a line.
  const lines = parser.push(start === 0 ? text : text.slice(text.indexOf('\n') + 1));
  return count > 0 ? lines.slice(-count) : [];
}

async function sizeOf(file: string): Promise<number> {
  const handle = await open(file, 'r').catch(() => null);
  if (!handle) return 0;
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function readPiece(file: string, offset: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
