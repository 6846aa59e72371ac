import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { normalizeAddress } from './boot-routes.ts';

/** Connections of one client: firmware and installers use one or two, and several machines may share an address. */
const MAX_PER_CLIENT = 64;
/**
 * Connections without a request. A request follows its connection immediately, so only stalled clients are among the
 * oldest.
 */
const MAX_IDLE = 256;

/**
 * Keeps idle connections from displacing active ones. Above the limit of a client or of all clients, the connection
 * that has been idle longest is closed. A connection is idle until its request is complete, and again after the
 * response.
 */
export function limitConnections(server: Server): void {
  const idle = new Set<Socket>();
  const clients = new Map<string, Set<Socket>>();

  const removeSocket = (client: string, socket: Socket) => {
    idle.delete(socket);
    const sockets = clients.get(client);
    sockets?.delete(socket);
    if (sockets?.size === 0) clients.delete(client);
  };
  server.on('connection', (socket: Socket) => {
    const client = normalizeAddress(socket.remoteAddress ?? '');
    const sockets = clients.get(client) ?? new Set();
    clients.set(client, sockets.add(socket));
    idle.add(socket);
    socket.once('close', () => removeSocket(client, socket));
    // Sets keep insertion order: the first idle connection is the oldest.
    const excess = sockets.size > MAX_PER_CLIENT ? [...sockets].find((one) => idle.has(one)) : undefined;
    const dropped = excess ?? (idle.size > MAX_IDLE ? idle.values().next().value : undefined);
    if (dropped === undefined) return;
    idle.delete(dropped);
    dropped.destroy();
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
}
