import { hash } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { IssuedCertificate } from '../../pki.ts';
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
  /** Handles HTTP upgrade requests, such as those for WebSocket. Missing: the port has no handler for them. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Called when a client opened a TLS connection but sent no request: the client did not trust the certificate. */
  readonly onRefused?: () => void;
}

/** Builds the fields of an endpoint that a certificate decides. */
export const buildTlsFields = ({ certPem, keyPem }: IssuedCertificate) => ({
  identity: hash('sha256', certPem),
  tls: { cert: certPem, key: keyPem },
});

/** Creates the manager of the HTTP and HTTPS servers of the site. Initially no port is open. */
export function createEndpointServers(world: World) {
  const listeners = new Map<string, { readonly identity: string; readonly server: Server }>();

  function closePort(key: string): void {
    const listener = listeners.get(key);
    listeners.delete(key);
    listener?.server.close();
    listener?.server.closeAllConnections();
  }

  return {
    /** Opens and closes ports so that exactly the given endpoints are open. */
    apply(endpoints: readonly Endpoint[]): void {
      const endpointsByKey = new Map(endpoints.map((endpoint) => [`${endpoint.address}:${endpoint.port}`, endpoint]));
      for (const [key, { identity }] of [...listeners])
        if (endpointsByKey.get(key)?.identity !== identity) closePort(key);
      for (const [key, { address, port, identity, tls, handler, onUpgrade, onRefused }] of endpointsByKey) {
        if (listeners.has(key)) continue;
        const server = tls === null ? createHttpServer(handler) : createHttpsServer(tls, handler);
        if (onUpgrade !== undefined) server.on('upgrade', onUpgrade);
        server.keepAliveTimeout = 30_000;
        server.on('error', (error) => {
          world.log(`cannot listen on ${key}: ${error.message}`);
          if (listeners.get(key)?.server === server) listeners.delete(key);
        });
        server.on('tlsClientError', (_error, socket) => socket.destroy());
        if (onRefused !== undefined) watchRefusals(server, onRefused);
        server.on('clientError', (_error, socket) => socket.destroy());
        listeners.set(key, { identity, server });
        server.listen(world.addresses.getLocalPort(port), world.addresses.getLoopbackAddress(address));
      }
    },
    /** True if any host of the site listens on this port. */
    isPortOpen: (port: number) =>
      [...listeners].some(([key, { server }]) => key.endsWith(`:${port}`) && server.listening),
    stop(): void {
      for (const key of [...listeners.keys()]) closePort(key);
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
