import { Agent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { checkServerIdentity, connect, createSecureContext } from 'node:tls';
import type { Endpoint } from '../ports/reach.ts';
import type { Identity } from './kubeconfig.ts';

/** As many as approvals are under way at most. */
const MANY = 8;
/** A look reads up to eight lists; a second connection keeps one that hangs from holding up the rest. */
const IN_A_ROW = 2;
/** How long a connection of many rests before it is closed (ms of the machine). */
const REST = 4000;

/**
 * The connections to one API server, each through TLS with the same identity. How long one stays is a promise: a load balancer
 * that was reloaded leaves no stale one behind.
 */
export interface Connections {
  /** Requests that follow each other without a pause, as those of one look do: with the first pause the connections are closed. */
  readonly row: Agent;
  /** Many writes at once: the connections stay for a few seconds. */
  readonly many: Agent;
  /** A connection for one request. */
  readonly single: Agent;
  /** Does something over one of them. */
  use<T>(way: 'row' | 'many' | 'single', act: (agent: Agent) => Promise<T>): Promise<T>;
}

/**
 * @param to.tlsName the name that the certificate must be for
 * @param to.serverName the name sent to the server; empty for none
 * @param to.where asked for each connection
 * @param to.tunnel opens a connection through a proxy; null where there is none
 */
export function connectionsTo(to: {
  readonly credentials: Identity;
  readonly tlsName: string;
  readonly serverName: string;
  readonly where: () => Endpoint;
  readonly tunnel: (() => Promise<Socket>) | null;
}): Connections {
  const { ca, cert, key } = to.credentials;
  // Made once: reading certificates and key takes longer than the rest of a connection.
  const secureContext = createSecureContext({ ca, cert, key });
  const dial = (over: { readonly socket: Socket } | Endpoint) => {
    const socket = connect({
      ...over,
      servername: to.serverName,
      secureContext,
      rejectUnauthorized: true,
      checkServerIdentity: (_host, certificate) => checkServerIdentity(to.tlsName, certificate),
    });
    // A handshake that fails while something waits to be written is told as EPROTO, without its reason.
    socket.cork();
    return socket.once('secureConnect', () => socket.uncork());
  };
  class Own extends Agent {
    override createConnection(_options: RequestOptions, callback?: (error: Error | null, socket: Socket) => void) {
      if (to.tunnel === null) return dial(to.where());
      to.tunnel().then(
        (socket) => callback?.(null, dial({ socket })),
        (error: Error) => callback?.(error, undefined as never),
      );
      return undefined;
    }
  }
  const row = new Own({ keepAlive: true, maxSockets: IN_A_ROW });
  const many = new Own({ keepAlive: true, maxSockets: MANY, timeout: REST });
  const single = new Own({ keepAlive: false });
  let inRow = 0;
  return {
    row,
    many,
    single,
    async use(way, act) {
      if (way !== 'row') return await act(way === 'many' ? many : single);
      inRow += 1;
      try {
        return await act(row);
      } finally {
        inRow -= 1;
        // What follows at once has begun by then.
        setImmediate(() => {
          if (inRow === 0) row.destroy();
        });
      }
    },
  };
}
