import { Agent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { checkServerIdentity, connect, createSecureContext } from 'node:tls';
import type { Endpoint } from '../ports/reach.ts';
import type { Identity } from './kubeconfig.ts';

/** The most approvals under way at a time. */
const MANY = 8;
/** A look reads up to eight lists; a second connection keeps one that hangs from holding up the rest. */
const IN_A_ROW = 2;
/** How long the idle connections of many writes stay open (ms of the machine). */
const REST = 4000;

/**
 * The connections to one API server, each through TLS with the same identity. None stays open long enough for a
 * reloaded load balancer to leave a stale one behind.
 */
export interface Connections {
  /** A connection for one request. */
  readonly single: Agent;
  /**
   * Runs `act` over one of them. `row`: requests that follow each other without a pause, as those of one look; the
   * first pause closes the connections. `many`: many writes at once; the connections stay open for a few seconds.
   */
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
  // Built once: parsing certificates and key takes longer than the rest of a connection.
  const secureContext = createSecureContext({ ca, cert, key });
  const dial = (over: { readonly socket: Socket } | Endpoint) => {
    const socket = connect({
      ...over,
      servername: to.serverName,
      secureContext,
      rejectUnauthorized: true,
      checkServerIdentity: (_host, certificate) => checkServerIdentity(to.tlsName, certificate),
    });
    // Node reports a handshake that fails while data waits to be written as EPROTO, without its reason.
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
  const many = new Own({ keepAlive: true, maxSockets: MANY });
  const single = new Own({ keepAlive: false });
  const underWay = { row: 0, many: 0 };
  const rest = (way: 'row' | 'many', agent: Agent) => {
    if (underWay[way] === 0) agent.destroy();
  };
  return {
    single,
    async use(way, act) {
      if (way === 'single') return await act(single);
      const agent = way === 'row' ? row : many;
      underWay[way] += 1;
      try {
        return await act(agent);
      } finally {
        underWay[way] -= 1;
        // By then the next request of the row has begun.
        if (underWay[way] === 0) {
          if (way === 'row') setImmediate(rest, way, agent);
          else setTimeout(rest, REST, way, agent).unref();
        }
      }
    },
  };
}
