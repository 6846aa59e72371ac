import { appendFileSync, chmodSync, closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import * as z from '../ports/zod.ts';
import { sanitizeLine } from '../text/sanitize.ts';

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

/**
 * Makes the log (for its owner only) and returns what appends to it. A line that cannot be written, as on a full disk, is
 * lost and nothing else; what was written of it is ended before the next one.
 */
export function openRequestLog(file: string): (request: BootRequest) => void {
  let isBroken = false;
  const attempt = (write: () => void) => {
    try {
      write();
      isBroken = false;
    } catch {
      isBroken = true;
    }
  };
  attempt(() => {
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  });
  return (request) =>
    attempt(() => appendFileSync(file, `${isBroken ? '\n' : ''}${JSON.stringify(request)}\n`, { mode: 0o600 }));
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
