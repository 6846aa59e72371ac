import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { catalogue, ensureLanguage } from '../../i18n/catalogue.ts';
import { describeSystemError, type UserError, UserErrorException } from '../../i18n/user-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { createServer } from '../../platform/http.ts';
import {
  type BootServerConfig,
  createSiteClock,
  normalizeAddress,
  readBootConfig,
  readFileVersion,
  resolveRoute,
} from './boot-config.ts';
import { openRequestLog, type RequestLog } from './boot-log.ts';
import { type InstalledMachines, isAccessEnded, readInstalledMachines, writeBootStatus } from './boot-status.ts';
import { answerMachineRequest } from './machine-answer.ts';
import { isFileStartRequest } from './machine-report.ts';

const words = () => catalogue().bastion;

/** The part of a file that a request is for; both ends included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a Range header (RFC 9110 §14.2) against a file's size.
 * @returns the range; `all` for no header, another unit, several ranges or a malformed one (a server may ignore those);
 * `unsatisfiable` for one that starts after the end
 */
function parseRange(header: string | undefined, size: number): ByteRange | 'all' | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match) return 'all';
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return 'all';
  if (from === '') {
    const length = Number(to);
    return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(from);
  if (to !== '' && Number(to) < start) return 'all';
  if (start >= size) return 'unsatisfiable';
  return { start, end: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

/** Connections of one client: firmware and installers use one or two, and several machines may share an address. */
const MAX_CONNECTIONS_PER_CLIENT = 64;
/**
 * Connections without a request. A request follows its connection immediately, so only stalled clients are among the
 * oldest.
 */
const MAX_IDLE_CONNECTIONS = 256;

/**
 * Keeps idle connections from displacing active ones. Above the limit of a client or of all clients, the connection
 * that has been idle longest is closed. A connection is idle until its request is complete, and again after the
 * response.
 */
function limitConnections(server: Server): void {
  const idleSockets = new Set<Socket>();
  const socketsByClient = new Map<string, Set<Socket>>();

  const removeSocket = (client: string, socket: Socket) => {
    idleSockets.delete(socket);
    const sockets = socketsByClient.get(client);
    sockets?.delete(socket);
    if (sockets?.size === 0) socketsByClient.delete(client);
  };
  server.on('connection', (socket: Socket) => {
    const client = normalizeAddress(socket.remoteAddress ?? '');
    const sockets = socketsByClient.get(client) ?? new Set();
    socketsByClient.set(client, sockets.add(socket));
    idleSockets.add(socket);
    socket.once('close', () => removeSocket(client, socket));
    // Sets keep insertion order: the first idle connection is the oldest.
    const idleClientSocket =
      sockets.size > MAX_CONNECTIONS_PER_CLIENT
        ? [...sockets].find((clientSocket) => idleSockets.has(clientSocket))
        : undefined;
    const socketToClose =
      idleClientSocket ?? (idleSockets.size > MAX_IDLE_CONNECTIONS ? idleSockets.values().next().value : undefined);
    if (socketToClose === undefined) return;
    idleSockets.delete(socketToClose);
    socketToClose.destroy();
  });
  server.on('request', ({ socket }, response) => {
    idleSockets.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) idleSockets.add(socket);
    });
  });
}

export interface BootServer {
  readonly host: string;
  readonly port: number;
  /** Reloads the configuration; if it cannot be read, the last valid one stays in force. */
  reload(): void;
  close(): Promise<void>;
}

/** Bytes per read from the disk: the memory that one transfer holds. */
const CHUNK_BYTES = 256 * 1024;
/** Bytes of a file that a network test gets: more than one packet. */
const FILE_START_BYTES = 64 * 1024;
/** Bytes of an ignition file that a network test gets: `{"ignition":`. */
const IGNITION_START_BYTES = 12;
/** A transfer without progress is aborted after this time (milliseconds). */
const STALL_TIMEOUT_MS = 5 * 60_000;

/**
 * Serves boot scripts, images and ignition files. The configuration is reloaded when its file changes, because access
 * to ignition files changes while nodes boot. The listen address is only read at the start.
 * @throws UserErrorException `boot-server-config`, `boot-server-port-taken`, `boot-server-port-forbidden`,
 * `boot-server-address`, `boot-server-listen`; the last four are also written to the status file
 */
export async function startBootServer(configFile: string): Promise<BootServer> {
  const configSource = await readConfigPart(configFile, () => createConfigSource(configFile));
  const { listen, statusFile, logFile, clockAnchorFile } = configSource.getConfig();
  const clock = await readConfigPart(clockAnchorFile ?? configFile, () => createSiteClock(clockAnchorFile));
  const installedMachines = await readInstalledMachines(logFile);
  const fileLog = openRequestLog(logFile, clock);
  const log: RequestLog = {
    ...fileLog,
    add(request) {
      installedMachines.record(request);
      fileLog.add(request);
    },
  };
  const server = createServer((request, response) => {
    void handleRequest(request, response, { config: configSource.getConfig(), clock, log, installedMachines });
  });
  server.timeout = STALL_TIMEOUT_MS;
  limitConnections(server);
  try {
    const port = await listenOn(server, listen.host, listen.port);
    await writeBootStatus(statusFile, { state: 'listening', host: listen.host, port, pid: process.pid });
    return { host: listen.host, port, reload: configSource.reload, close: () => closeServer(server, log) };
  } catch (error) {
    log.close();
    await ensureLanguage();
    const userError = createListenError(error, listen.host, listen.port);
    await writeBootStatus(statusFile, { state: 'failed', userError });
    throw new UserErrorException(userError, { cause: error });
  }
}

interface RequestContext {
  readonly config: BootServerConfig;
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly installedMachines: InstalledMachines;
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { config, clock, log, installedMachines }: RequestContext,
): Promise<void> {
  const client = normalizeAddress(request.socket.remoteAddress ?? '');
  const { method = '', url = '' } = request;
  let bytes = 0;
  response.on('close', () => {
    const { statusCode: status, writableFinished: complete } = response;
    log.add({ at: clock.now(), client, method, path: url, status, bytes, complete });
  });
  request.resume();
  try {
    if (method !== 'GET' && method !== 'HEAD') return sendRefusal(response, 405, { Allow: 'GET, HEAD' });
    const answer = await answerMachineRequest(url, client, config, clock.now(), installedMachines);
    if (answer !== null) return sendText(request, response, answer);
    const route = resolveRoute(url, client, config);
    if (route.kind === 'refused') return sendRefusal(response, route.status);
    const replacementName = route.isMachineScript ? installedMachines.findReplacement(client, config) : null;
    // The output of an earlier version has no replacement scripts: then the machine gets its own script.
    const script = replacementName === null ? null : await openFileInside(route.root, `${replacementName}.ipxe`);
    const file = script ?? (await openFileInside(route.root, route.path));
    if (!file) return sendRefusal(response, 404);
    if (isAccessEnded(route.until, file.modifiedAt)) {
      await file.handle.close();
      return sendRefusal(response, 403);
    }
    const limit = isFileStartRequest(url)
      ? url.startsWith('/ignition/')
        ? IGNITION_START_BYTES
        : FILE_START_BYTES
      : file.size;
    await sendFile(request, response, { ...file, size: Math.min(file.size, limit) }, (count) => {
      bytes += count;
    });
  } catch {
    // The client disconnected, or the disk failed: a truncated response must not look complete.
    response.destroy();
  }
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { handle, size, modifiedAt }: OpenFile,
  onSent: (bytes: number) => void,
): Promise<void> {
  try {
    const lastModified = modifiedAt.toUTCString();
    const matchesIfRange = [undefined, lastModified].includes(request.headers['if-range']?.toString());
    const range = matchesIfRange ? parseRange(request.headers.range, size) : 'all';
    if (range === 'unsatisfiable') return sendRefusal(response, 416, { 'Content-Range': `bytes */${size}` });
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
    // One buffer for the whole transfer: a new one for each read would be garbage faster than it is collected.
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, length));
    for (let sentBytes = 0; sentBytes < length; ) {
      const { bytesRead } = await handle.read(
        buffer,
        0,
        Math.min(buffer.length, length - sentBytes),
        part.start + sentBytes,
      );
      if (bytesRead === 0) throw new Error('the file became shorter');
      await writeChunk(response, buffer.subarray(0, bytesRead));
      sentBytes += bytesRead;
      onSent(bytesRead);
    }
    response.end();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a part of a body; resolves when the system has taken all of it.
 * @throws Error if the client disconnects
 */
function writeChunk(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new Error('the client disconnected'));
    // A closed response neither calls back nor closes again.
    if (response.destroyed) return onClose();
    response.once('close', onClose);
    response.write(chunk, (error) => {
      response.off('close', onClose);
      if (error) reject(error);
      else resolve();
    });
  });
}

function sendText({ method }: IncomingMessage, response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Length': Buffer.byteLength(text), 'Content-Type': 'text/plain' });
  response.end(method === 'HEAD' ? undefined : text);
}

function sendRefusal(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Length': 0, ...headers }).end();
}

function createConfigSource(file: string): { getConfig(): BootServerConfig; reload(): void } {
  let version = readFileVersion(file);
  let config = readBootConfig(file);
  const reload = () => {
    version = readFileVersion(file);
    try {
      config = readBootConfig(file);
    } catch {
      // Incomplete or damaged: the previous configuration stays in force.
    }
  };
  return {
    getConfig() {
      if (readFileVersion(file) !== version) reload();
      return config;
    },
    reload,
  };
}

/**
 * Reads a part of the configuration.
 * @throws UserErrorException `boot-server-config`, which names the file
 */
async function readConfigPart<T>(file: string, read: () => T): Promise<T> {
  try {
    return read();
  } catch (error) {
    await ensureLanguage();
    throw createConfigError(file, error);
  }
}

function createConfigError(file: string, error: unknown): UserErrorException {
  const { title, cause, remedy } = words().bootServer.config;
  const detail = describeSystemError(error, 'read');
  return new UserErrorException(
    { code: 'boot-server-config', title, cause: cause(file, detail), remedy },
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

function createListenError(error: unknown, host: string, port: number): UserError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const { portTaken, portForbidden, addressMissing, listenFailed } = words().bootServer;
  if (code === 'EADDRINUSE')
    return { ...portTaken, code: 'boot-server-port-taken', cause: portTaken.cause(host, port) };
  if (code === 'EACCES')
    return { ...portForbidden, code: 'boot-server-port-forbidden', cause: portForbidden.cause(host, port) };
  if (code === 'EADDRNOTAVAIL')
    return { ...addressMissing, code: 'boot-server-address', cause: addressMissing.cause(host) };
  const detail = describeSystemError(error);
  return { ...listenFailed, code: 'boot-server-listen', cause: listenFailed.cause(host, port, detail) };
}

interface OpenFile {
  readonly handle: FileHandle;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
}

/**
 * Opens a regular file below a directory; no symbolic link may leave it. The check uses the real path of the open file,
 * which the kernel reports: nothing can be swapped between check and open.
 * @returns null if there is no such file inside, it is not a regular file, or it may not be read
 */
async function openFileInside(root: string, path: string): Promise<OpenFile | null> {
  let handle: FileHandle | null = null;
  try {
    // Not blocking: opening a named pipe would wait for its writer.
    handle = await open(`${root}/${path}`, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    const [realRoot, realFile] = [await realpath(root), await readlink(`/proc/self/fd/${handle.fd}`)];
    if (stat.isFile() && realFile.startsWith(realRoot === '/' ? '/' : `${realRoot}/`)) {
      const openFile = { handle, size: stat.size, modifiedAt: stat.mtime };
      handle = null;
      return openFile;
    }
    return null;
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}
