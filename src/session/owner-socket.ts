import { closeSync, constants, openSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/**
 * Returns a path to a socket in a directory, whatever the length of its name: a socket address holds about 100 bytes.
 * @returns the path, and `release`, which closes the directory once the socket is bound or connected
 */
export function openSocketPath(
  directory: string,
  name: string,
): { readonly path: string; readonly release: () => void } {
  const direct = join(directory, name);
  if (Buffer.byteLength(direct) < 100) return { path: direct, release: () => undefined };
  const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  let isOpen = true;
  const release = () => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return { path: `/proc/self/fd/${fd}/${name}`, release };
}

interface SocketListener {
  readonly serve: (serve: (connection: Socket) => void) => void;
  readonly close: () => void;
}

/**
 * Starts a listener. Null if the file system has no sockets: then no other process can connect, and only our pid proves
 * that we run.
 */
export async function startListener(directory: string, name: string): Promise<SocketListener | null> {
  const queued: Socket[] = [];
  const connections = new Set<Socket>();
  let handleConnection = (connection: Socket): void => void queued.push(connection);
  const server = createServer((connection) => {
    connections.add(connection);
    connection.on('error', () => connection.destroy()).on('close', () => connections.delete(connection));
    handleConnection(connection);
  });
  const { path, release } = openSocketPath(directory, name);
  const isListening = await tryListen(server, path).finally(release);
  if (!isListening) return null;
  return {
    serve(handler) {
      handleConnection = handler;
      for (const connection of queued.splice(0)) handler(connection);
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
