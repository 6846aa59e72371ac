import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Clock, SECOND } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import * as z from '../../platform/zod.ts';

const safeLine = z.string().transform((text) => sanitizeLine(text));
const requestSchema = z.object({
  at: z.number(),
  client: safeLine,
  method: safeLine,
  path: safeLine,
  status: z.number(),
  bytes: z.number(),
  complete: z.boolean(),
});

/** One answered request. */
export interface BootRequest {
  /** When the answer ended, milliseconds of the site's clock. */
  readonly at: number;
  /** The client's address, in lower case. */
  readonly client: string;
  readonly method: string;
  /** The request target as sent. */
  readonly path: string;
  readonly status: number;
  /** Bytes of the body that were sent. */
  readonly bytes: number;
  /** False if the client disconnected before the end of the response. */
  readonly complete: boolean;
}

/** Limit of unwritten log data in memory (bytes); requests beyond that are not logged. */
const MAX_PENDING_BYTES = 1024 * 1024;
const RETRY_INTERVAL_MS = 5 * SECOND;

export interface RequestLog {
  readonly add: (request: BootRequest) => void;
  /** Stops the retries; unwritten requests are lost. */
  readonly close: () => void;
}

/**
 * Creates the log (for its owner only) and appends to it. Entries that cannot be written, as on a full disk, stay in
 * memory and are written later. The progress of the nodes is read from this log. Never throws.
 */
export function openRequestLog(file: string, clock: Pick<Clock, 'startInterval'>): RequestLog {
  let pendingBytes = Buffer.alloc(0);
  let stopRetries: (() => void) | null = null;
  const flush = () => {
    try {
      const fd = openSync(file, 'a', 0o600);
      try {
        fchmodSync(fd, 0o600);
        // On a full disk, only a part of a line may be written; the rest follows when there is space.
        while (pendingBytes.length > 0) pendingBytes = pendingBytes.subarray(writeSync(fd, pendingBytes));
      } finally {
        closeSync(fd);
      }
      stopRetries?.();
      stopRetries = null;
    } catch {
      stopRetries ??= clock.startInterval(RETRY_INTERVAL_MS, flush);
    }
  };
  flush();
  return {
    add(request) {
      const line = Buffer.from(`${JSON.stringify(request)}\n`);
      if (pendingBytes.length + line.length <= MAX_PENDING_BYTES) pendingBytes = Buffer.concat([pendingBytes, line]);
      flush();
    },
    close() {
      stopRetries?.();
    },
  };
}

/** Bytes read per call; the caller continues with the returned offset. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

/**
 * Reads the requests logged since an offset, sanitized for display. An incomplete last line is left for the next call;
 * lines that are not requests are skipped.
 * @param sinceOffset bytes, as returned by the previous call; a log that became shorter is read from its start
 * @param parseLine parses a line; by default one of our own boot server
 */
export async function readRequests(
  logFile: string,
  sinceOffset = 0,
  parseLine: (line: string) => BootRequest | null = parseRequest,
): Promise<{ readonly requests: readonly BootRequest[]; readonly offset: number }> {
  const handle = await open(logFile, 'r').catch(() => null);
  if (!handle) return { requests: [], offset: 0 };
  try {
    const { size } = await handle.stat();
    const start = sinceOffset > size ? 0 : sinceOffset;
    const buffer = Buffer.alloc(Math.min(size - start, MAX_READ_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    const requests = buffer
      .subarray(0, end)
      .toString('utf8')
      .split('\n')
      .flatMap((text) => parseLine(text) ?? []);
    return { requests, offset: start + end };
  } finally {
    await handle.close();
  }
}

function parseRequest(text: string): BootRequest | null {
  try {
    return requestSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * nginx's format `combined`, which is also Apache's:
 * `172.16.0.11 - - [21/Nov/2026:22:31:03 +0000] "GET /x HTTP/1.1" 200 9 …`
 */
const COMBINED_LINE = /^(\S+) \S+ \S+ \[([^\]]+)\] "([A-Z]+) (\S+)[^"]*" (\d{3}) (\d+|-)/;
const ACCESS_LOG_TIME = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})$/;
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/**
 * Parses a line of a web server's access log; null for any other line. The log does not show whether a response was
 * complete, so any 2xx counts as complete.
 */
export function parseAccessLine(line: string): BootRequest | null {
  const [, client = '', time = '', method = '', path = '', status = '', bytes = ''] = COMBINED_LINE.exec(line) ?? [];
  const at = parseAccessLogTime(time);
  if (client === '' || at === null) return null;
  return {
    at,
    client: sanitizeLine(client).toLowerCase(),
    method,
    path: sanitizeLine(path),
    status: Number(status),
    bytes: Number(bytes) || 0,
    complete: /^2/.test(status),
  };
}

function parseAccessLogTime(text: string): number | null {
  const [, day, month = '', year, timeOfDay, hours, minutes] = ACCESS_LOG_TIME.exec(text) ?? [];
  const monthNumber = MONTHS.indexOf(month) / 3 + 1;
  if (month === '' || !Number.isInteger(monthNumber)) return null;
  const at = Date.parse(`${year}-${String(monthNumber).padStart(2, '0')}-${day}T${timeOfDay}${hours}:${minutes}`);
  return Number.isNaN(at) ? null : at;
}
