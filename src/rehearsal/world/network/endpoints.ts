import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { World } from '../world.ts';

/** One port of one machine that something listens on. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
  /** Another text means another certificate: the port closes and opens again. */
  readonly identity: string;
  /** Null: plain HTTP. */
  readonly tls: ServerOptions | null;
  readonly handler: RequestListener;
  /** Somebody has spoken TLS and asked nothing: they did not trust the certificate. */
  readonly onRefused?: () => void;
}

/** Opens and closes ports so that exactly the wanted ones are open. */
export interface Endpoints {
  apply(wanted: readonly Endpoint[]): void;
  /** Whether anybody listens on this port of the site now. */
  isOpen(port: number): boolean;
  stop(): void;
}

export function createEndpoints(world: World): Endpoints {
  const open = new Map<string, { readonly identity: string; readonly server: Server }>();

  function close(key: string): void {
    const found = open.get(key);
    open.delete(key);
    found?.server.close();
    found?.server.closeAllConnections();
  }

  return {
    apply(wanted) {
      const byKey = new Map(wanted.map((endpoint) => [`${endpoint.address}:${endpoint.port}`, endpoint]));
      for (const [key, { identity }] of [...open]) if (byKey.get(key)?.identity !== identity) close(key);
      for (const [key, { address, port, identity, tls, handler, onRefused }] of byKey) {
        if (open.has(key)) continue;
        const server = tls === null ? createHttpServer(handler) : createHttpsServer(tls, handler);
        server.keepAliveTimeout = 30_000;
        server.on('error', (error) => {
          world.log(`cannot listen on ${key}: ${error.message}`);
          if (open.get(key)?.server === server) open.delete(key);
        });
        server.on('tlsClientError', (_error, socket) => socket.destroy());
        if (onRefused !== undefined) reportRefused(server, onRefused);
        server.on('clientError', (_error, socket) => socket.destroy());
        open.set(key, { identity, server });
        server.listen(world.addresses.port(port), world.addresses.loopback(address));
      }
    },
    isOpen: (port) => [...open].some(([key, { server }]) => key.endsWith(`:${port}`) && server.listening),
    stop() {
      for (const key of [...open.keys()]) close(key);
    },
  };
}

function reportRefused(server: Server, onRefused: () => void): void {
  const asked = new WeakSet<Socket>();
  server.on('request', ({ socket }) => asked.add(socket));
  server.on('secureConnection', (socket: Socket) => {
    socket.once('close', () => {
      if (!asked.has(socket)) onRefused();
    });
  });
}
