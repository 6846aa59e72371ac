import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { plainAddress } from './boot-routes.ts';

/** Connections of one client: firmware and installers use one or two, and several machines may share an address. */
const MOST_OF_ONE = 64;
/** Connections that have asked for nothing yet. A whole request follows a connection at once; only who dawdles is among the oldest. */
const MOST_SILENT = 256;

/**
 * Keeps connections that ask for nothing from taking the place of those that do: where there are too many, of one client or of
 * all, the one that has been silent longest is closed. A connection is silent until its request has come whole, and again
 * after the answer.
 */
export function keepCrowdOut(server: Server): void {
  const silent = new Set<Socket>();
  const clients = new Map<string, Set<Socket>>();

  const leave = (client: string, socket: Socket) => {
    silent.delete(socket);
    const own = clients.get(client);
    own?.delete(socket);
    if (own?.size === 0) clients.delete(client);
  };
  server.on('connection', (socket: Socket) => {
    const client = plainAddress(socket.remoteAddress ?? '');
    const own = clients.get(client) ?? new Set();
    clients.set(client, own.add(socket));
    silent.add(socket);
    socket.once('close', () => leave(client, socket));
    // Sets keep the order in which they were filled: the first silent one is the oldest.
    const tooMany = own.size > MOST_OF_ONE ? [...own].find((one) => silent.has(one)) : undefined;
    const dropped = tooMany ?? (silent.size > MOST_SILENT ? silent.values().next().value : undefined);
    if (dropped === undefined) return;
    silent.delete(dropped);
    dropped.destroy();
  });
  server.on('request', ({ socket }, response) => {
    silent.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) silent.add(socket);
    });
  });
}
