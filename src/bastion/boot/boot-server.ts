import { renameSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../ports/clock.ts';
import { createServer } from '../../ports/http.ts';
import { catalogue } from '../../text/catalogue.ts';
import { systemReason } from '../../text/system-reason.ts';
import { type Trouble, TroubleError } from '../../text/trouble.ts';
import { type OpenedFile, openInside } from '../open-inside.ts';
import { type BootServerConfig, clockOf, fileVersion, readBootConfig } from './boot-config.ts';
import { keepCrowdOut } from './boot-crowd.ts';
import { type Installed, isOver, readInstalled } from './boot-installed.ts';
import { openRequestLog, type RequestLog } from './boot-log.ts';
import { plainAddress, routeOf } from './boot-routes.ts';
import { type ByteRange, parseRange } from './byte-range.ts';

const words = () => catalogue().bastion;

export { readRequests } from './boot-log.ts';

export interface BootServer {
  readonly host: string;
  readonly port: number;
  /** Reads the configuration again; one that cannot be read leaves the last good one in force. */
  reload(): void;
  close(): Promise<void>;
}

/** What the status file says. */
export type BootServerStatus =
  | { readonly state: 'listening'; readonly host: string; readonly port: number; readonly pid: number }
  | { readonly state: 'failed'; readonly trouble: Trouble };

/** Bytes read from the disk at once: what one transfer holds in memory. */
const CHUNK = 256 * 1024;
/** A transfer that stands still this long is given up (milliseconds). */
const STALLED_AFTER = 5 * 60_000;

/**
 * Serves boot scripts, images and ignition files. The configuration is read again when its file changes (who may have which
 * ignition file changes while nodes boot); the address it listens on is that of the start.
 * @throws TroubleError `boot-server-config`, `boot-server-port-taken`, `boot-server-port-forbidden`,
 *   `boot-server-address`, `boot-server-listen`; the last four are written to the status file too
 */
export async function startBootServer(configFile: string): Promise<BootServer> {
  const source = watchConfig(configFile);
  const { listen, statusFile, logFile } = source.current();
  const clock = loadClock(configFile, source.current().clockAnchorFile);
  const installed = await readInstalled(logFile);
  const written = openRequestLog(logFile, clock);
  const log: RequestLog = {
    ...written,
    add(request) {
      installed.note(request);
      written.add(request);
    },
  };
  const server = createServer((request, response) => {
    void answer(request, response, source.current(), clock, log, installed);
  });
  server.timeout = STALLED_AFTER;
  keepCrowdOut(server);
  try {
    const port = await listenOn(server, listen.host, listen.port);
    writeStatus(statusFile, { state: 'listening', host: listen.host, port, pid: process.pid });
    return { host: listen.host, port, reload: source.reload, close: () => closeServer(server, log) };
  } catch (error) {
    log.close();
    const trouble = listenTrouble(error, listen.host, listen.port);
    writeStatus(statusFile, { state: 'failed', trouble });
    throw new TroubleError(trouble, { cause: error });
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  config: BootServerConfig,
  clock: Clock,
  log: RequestLog,
  installed: Installed,
): Promise<void> {
  const client = plainAddress(request.socket.remoteAddress ?? '');
  const { method = '', url = '' } = request;
  let bytes = 0;
  response.on('close', () => {
    const { statusCode: status, writableFinished: complete } = response;
    log.add({ at: clock.now(), client, method, path: url, status, bytes, complete });
  });
  request.resume();
  try {
    if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, { Allow: 'GET, HEAD' });
    const route = routeOf(url, client, config);
    if (route.kind === 'refused') return refuse(response, route.status);
    const instead = route.isOwnScript ? installed.instead(client, config) : null;
    // What was generated before there were such scripts has only the machine's own.
    const script = instead === null ? null : await openInside(route.root, `${instead}.ipxe`);
    const file = script ?? (await openInside(route.root, route.path));
    if (!file) return refuse(response, 404);
    if (isOver(route.until, file.modified)) {
      await file.handle.close();
      return refuse(response, 403);
    }
    await sendFile(request, response, file, (count) => {
      bytes += count;
    });
  } catch {
    // The other side went away, or the disk failed in the middle: a cut answer must not look like a whole one.
    response.destroy();
  }
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { handle, size, modified }: OpenedFile,
  count: (bytes: number) => void,
): Promise<void> {
  try {
    const lastModified = modified.toUTCString();
    const isFresh = [undefined, lastModified].includes(request.headers['if-range']?.toString());
    const range = isFresh ? parseRange(request.headers.range, size) : 'all';
    if (range === 'unsatisfiable') return refuse(response, 416, { 'Content-Range': `bytes */${size}` });
    const part: ByteRange = range === 'all' ? { start: 0, end: size - 1 } : range;
    const length = part.end - part.start + 1;
    response.writeHead(range === 'all' ? 200 : 206, {
      'Accept-Ranges': 'bytes',
      'Content-Length': length,
      'Content-Type': 'application/octet-stream',
      'Last-Modified': lastModified,
      ...(range === 'all' ? {} : { 'Content-Range': `bytes ${part.start}-${part.end}/${size}` }),
    });
    if (request.method === 'HEAD' || length === 0) {
      response.end();
      return;
    }
    const body = handle.createReadStream({ ...part, highWaterMark: CHUNK, autoClose: false });
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          count(chunk.length);
          yield chunk;
        }
      },
      response,
    );
  } finally {
    await handle.close();
  }
}

function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Length': 0, ...headers }).end();
}

function watchConfig(file: string): { current(): BootServerConfig; reload(): void } {
  let version = fileVersion(file);
  let config = loadConfig(file);
  const reload = () => {
    version = fileVersion(file);
    try {
      config = readBootConfig(file);
    } catch {
      // Half written or damaged: what was allowed until now stays.
    }
  };
  return {
    current() {
      if (fileVersion(file) !== version) reload();
      return config;
    },
    reload,
  };
}

function loadConfig(file: string): BootServerConfig {
  try {
    return readBootConfig(file);
  } catch (error) {
    throw configTrouble(file, error);
  }
}

function loadClock(configFile: string, anchorFile: string | null): Clock {
  try {
    return clockOf(anchorFile);
  } catch (error) {
    throw configTrouble(anchorFile ?? configFile, error);
  }
}

function configTrouble(file: string, error: unknown): TroubleError {
  const { title, cause, whatToDo } = words().bootServer.config;
  const detail = systemReason(error, 'read');
  return new TroubleError(
    { code: 'boot-server-config', title, cause: cause(file, detail), whatToDo },
    { cause: error },
  );
}

function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

function closeServer(server: Server, log: RequestLog): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      log.close();
      resolve();
    });
    server.closeAllConnections();
  });
}

function listenTrouble(error: unknown, host: string, port: number): Trouble {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const { portTaken, portForbidden, addressMissing, listenFailed } = words().bootServer;
  if (code === 'EADDRINUSE')
    return { ...portTaken, code: 'boot-server-port-taken', cause: portTaken.cause(host, port) };
  if (code === 'EACCES')
    return { ...portForbidden, code: 'boot-server-port-forbidden', cause: portForbidden.cause(host, port) };
  if (code === 'EADDRNOTAVAIL')
    return { ...addressMissing, code: 'boot-server-address', cause: addressMissing.cause(host) };
  const detail = systemReason(error);
  return { ...listenFailed, code: 'boot-server-listen', cause: listenFailed.cause(host, port, detail) };
}

/** Who waits for the status and does not find it asks over HTTP: a full disk is no reason not to serve. */
function writeStatus(file: string, status: BootServerStatus): void {
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(status)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    process.stderr.write(`${file}: ${systemReason(error)}\n`);
  }
}
