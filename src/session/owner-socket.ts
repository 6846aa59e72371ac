import { closeSync, constants, openSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/**
 * A path that reaches a socket in a directory whatever the length of its name: a socket's address holds about 100 bytes.
 * @returns the path, and what gives the directory back once the socket is bound or connected
 */
export function socketPath(directory: string, name: string): { readonly path: string; readonly release: () => void } {
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

interface Listener {
  readonly serve: (serve: (connection: Socket) => void) => void;
  readonly close: () => void;
}

/** Null where the file system has no sockets: then nobody can talk to us, and only our pid proves that we live. */
export async function listen(directory: string, name: string): Promise<Listener | null> {
  const waiting: Socket[] = [];
  const open = new Set<Socket>();
  let serve = (connection: Socket): void => void waiting.push(connection);
  const server = createServer((connection) => {
    open.add(connection);
    connection.on('error', () => connection.destroy()).on('close', () => open.delete(connection));
    serve(connection);
  });
  const { path, release } = socketPath(directory, name);
  const isListening = await listens(server, path).finally(release);
  if (!isListening) return null;
  return {
    serve(given) {
      serve = given;
      for (const connection of waiting.splice(0)) given(connection);
    },
    close() {
      server.close();
      for (const connection of open) connection.destroy();
    },
  };
}

/** Whether a server could listen there; it does not keep the process alive. */
export function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(path, () => resolve(true));
    server.unref();
  });
}
