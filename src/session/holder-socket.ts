import { closeSync, constants, openSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** Probes whether a process listens on a socket of this kernel. `unknown`: the socket cannot be reached. */
export function probeSocket(socketFile: string): Promise<'alive' | 'dead' | 'unknown'> {
  return new Promise((resolve) => {
    const socket = connect(socketFile);
    const finish = (liveness: 'alive' | 'dead' | 'unknown') => {
      socket.destroy();
      resolve(liveness);
    };
    socket.once('connect', () => finish('alive'));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code === 'ECONNREFUSED' ? 'dead' : 'unknown'));
  });
}

/**
 * Returns a path to a socket that fits into a socket address (about 100 bytes), however long the name of the directory
 * is.
 * @returns the path, and `release`, which closes the directory once the socket is bound or connected
 */
export function openSocketPath(
  directory: string,
  name: string,
): { readonly path: string; readonly release: () => void } {
  const directPath = join(directory, name);
  if (Buffer.byteLength(directPath) < 100) return { path: directPath, release: () => undefined };
  const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  let isOpen = true;
  const release = () => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return { path: `/proc/self/fd/${fd}/${name}`, release };
}

/** The socket of a holder, which listens while the holder runs. */
interface SocketListener {
  /** Sets the connection handler. Earlier connections are queued until then. */
  readonly onConnection: (onConnect: (connection: Socket) => void) => void;
  readonly close: () => void;
}

/**
 * Starts a listener.
 * @returns null if the file system has no sockets: no other process can connect then, and only our pid proves that we
 * run
 */
export async function startListener(directory: string, name: string): Promise<SocketListener | null> {
  const queuedConnections: Socket[] = [];
  const connections = new Set<Socket>();
  let handleConnection = (connection: Socket): void => void queuedConnections.push(connection);
  const server = createServer((connection) => {
    connections.add(connection);
    connection.on('error', () => connection.destroy()).on('close', () => connections.delete(connection));
    handleConnection(connection);
  });
  const { path, release } = openSocketPath(directory, name);
  const isListening = await tryListen(server, path).finally(release);
  if (!isListening) return null;
  return {
    onConnection(onConnect) {
      handleConnection = onConnect;
      for (const connection of queuedConnections.splice(0)) onConnect(connection);
    },
    close() {
      server.close();
      for (const connection of connections) connection.destroy();
    },
  };
}

/**
 * Tries to listen on a path; the server does not keep the process alive.
 * @returns false if it cannot listen there
 */
export function tryListen(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(path, () => resolve(true));
    server.unref();
  });
}
