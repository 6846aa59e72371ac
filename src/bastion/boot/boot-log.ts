import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Clock, SECOND } from '../../ports/clock.ts';
import * as z from '../../ports/zod.ts';
import { sanitizeLine } from '../../text/sanitize.ts';

const line = z.string().transform((text) => sanitizeLine(text));
const schema = z.object({
  at: z.number(),
  client: line,
  method: line,
  path: line,
  status: z.number(),
  bytes: z.number(),
  complete: z.boolean(),
});

/** One answered request. */
export interface BootRequest {
  /** When the answer ended, milliseconds of the site's clock. */
  readonly at: number;
  /** The address of the other side. */
  readonly client: string;
  readonly method: string;
  /** The request target as it was asked for. */
  readonly path: string;
  readonly status: number;
  /** Bytes of the body that were handed to the network. */
  readonly bytes: number;
  /** The whole answer left; false when the other side went away. */
  readonly complete: boolean;
}

/** What waits for a disk with space, at most (bytes); a request beyond that is not logged. */
const MOST_WAITING = 1024 * 1024;
const RETRY_EVERY = 5 * SECOND;

/** The log of a boot server. */
export interface RequestLog {
  readonly add: (request: BootRequest) => void;
  /** Ends the attempts; what still waits is lost. */
  readonly close: () => void;
}

/**
 * Makes the log (for its owner only) and appends to it. What cannot be written, as on a full disk, waits in memory and is
 * written when it can be: how far nodes came is read from this log. It never fails.
 */
export function openRequestLog(file: string, clock: Pick<Clock, 'interval'>): RequestLog {
  let waiting = Buffer.alloc(0);
  let stop: (() => void) | null = null;
  const flush = () => {
    try {
      const fd = openSync(file, 'a', 0o600);
      try {
        fchmodSync(fd, 0o600);
        // A disk that fills up takes a part of a line; the rest follows when there is space.
        while (waiting.length > 0) waiting = waiting.subarray(writeSync(fd, waiting));
      } finally {
        closeSync(fd);
      }
      stop?.();
      stop = null;
    } catch {
      stop ??= clock.interval(RETRY_EVERY, flush);
    }
  };
  flush();
  return {
    add(request) {
      const line = Buffer.from(`${JSON.stringify(request)}\n`);
      if (waiting.length + line.length <= MOST_WAITING) waiting = Buffer.concat([waiting, line]);
      flush();
    },
    close() {
      stop?.();
    },
  };
}

/** Read at most this much at once; the caller comes again with the offset. */
const READ_LIMIT = 4 * 1024 * 1024;

/**
 * The requests that were logged since an offset, made safe to show. A last line that is still being written is left for
 * the next time; lines that are no requests are skipped.
 * @param sinceOffset bytes, as the previous answer gave it; a log that became shorter is read from its beginning
 * @param parse reads a line; by default one of our own boot server
 */
export async function readRequests(
  logFile: string,
  sinceOffset = 0,
  parse: (line: string) => BootRequest | null = parseRequest,
): Promise<{ readonly requests: readonly BootRequest[]; readonly offset: number }> {
  const handle = await open(logFile, 'r').catch(() => null);
  if (!handle) return { requests: [], offset: 0 };
  try {
    const { size } = await handle.stat();
    const start = sinceOffset > size ? 0 : sinceOffset;
    const buffer = Buffer.alloc(Math.min(size - start, READ_LIMIT));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    const requests = buffer
      .subarray(0, end)
      .toString('utf8')
      .split('\n')
      .flatMap((text) => parse(text) ?? []);
    return { requests, offset: start + end };
  } finally {
    await handle.close();
  }
}

function parseRequest(text: string): BootRequest | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
