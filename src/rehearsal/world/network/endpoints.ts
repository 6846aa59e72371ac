import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { World } from '../world.ts';

/** A port of a machine that a service listens on. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
  /** Identifies the certificate: another value closes the port and opens it again. */
  readonly identity: string;
  /** Null: plain HTTP. */
  readonly tls: ServerOptions | null;
  readonly handler: RequestListener;
  /** Called when a client opened a TLS connection but sent no request: it did not trust the certificate. */
  readonly onRefused?: () => void;
}

/** Opens and closes ports so that exactly the given endpoints are open. */
export interface Endpoints {
  apply(endpoints: readonly Endpoint[]): void;
  /** True if any host of the site listens on this port. */
  isOpen(port: number): boolean;
  stop(): void;
}

/** Manages the HTTP and HTTPS servers of the site. Initially no port is open. */
export function createEndpoints(world: World): Endpoints {
  const listeners = new Map<string, { readonly identity: string; readonly server: Server }>();

  function close(key: string): void {
    const found = listeners.get(key);
    listeners.delete(key);
    found?.server.close();
    found?.server.closeAllConnections();
  }

  return {
    apply(endpoints) {
      const byKey = new Map(endpoints.map((endpoint) => [`${endpoint.address}:${endpoint.port}`, endpoint]));
      for (const [key, { identity }] of [...listeners]) if (byKey.get(key)?.identity !== identity) close(key);
      for (const [key, { address, port, identity, tls, handler, onRefused }] of byKey) {
        if (listeners.has(key)) continue;
        const server = tls === null ? createHttpServer(handler) : createHttpsServer(tls, handler);
        server.keepAliveTimeout = 30_000;
        server.on('error', (error) => {
          world.log(`cannot listen on ${key}: ${error.message}`);
          if (listeners.get(key)?.server === server) listeners.delete(key);
        });
        server.on('tlsClientError', (_error, socket) => socket.destroy());
        if (onRefused !== undefined) watchRefusals(server, onRefused);
        server.on('clientError', (_error, socket) => socket.destroy());
        listeners.set(key, { identity, server });
        server.listen(world.addresses.port(port), world.addresses.loopback(address));
      }
    },
    isOpen: (port) => [...listeners].some(([key, { server }]) => key.endsWith(`:${port}`) && server.listening),
    stop() {
      for (const key of [...listeners.keys()]) close(key);
    },
  };
}

function watchRefusals(server: Server, onRefused: () => void): void {
  const activeSockets = new WeakSet<Socket>();
  server.on('request', ({ socket }) => activeSockets.add(socket));
  server.on('secureConnection', (socket: Socket) => {
    socket.once('close', () => {
      if (!activeSockets.has(socket)) onRefused();
    });
  });
}
