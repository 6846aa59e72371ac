import { Agent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { checkServerIdentity, connect, createSecureContext } from 'node:tls';
import type { Endpoint } from '../platform/manual-actions.ts';
import type { Identity } from './kubeconfig.ts';

/** The maximum number of concurrent approvals. */
const MAX_APPROVALS = 8;
/** A probe reads up to eight lists; with a second connection, a list that hangs does not delay the others. */
const MAX_PROBE_CONNECTIONS = 2;
/** How long the idle connections of many writes stay open (ms of real time). */
const IDLE_TIMEOUT_MS = 4000;

/**
 * The connections to one API server, each through TLS with the same identity. All are closed early, so that no
 * stale connection remains after the load balancer was reloaded.
 */
export interface Connections {
  /** The agent that opens a new connection for each request. */
  readonly singleAgent: Agent;
  /**
   * Runs `act` with an agent. `sequential`: requests that follow each other without a pause, as those of one probe; the
   * first pause closes the connections. `concurrent`: many writes at once; the connections stay open for a few seconds.
   */
  withAgent<T>(mode: 'sequential' | 'concurrent' | 'single', act: (agent: Agent) => Promise<T>): Promise<T>;
}

/**
 * Creates the agents that connect to an API server.
 * @param target.tlsName the name that the certificate must be for
 * @param target.serverName the name sent to the server as SNI; empty for none
 * @param target.getEndpoint called for each connection
 * @param target.openTunnel opens a connection through a proxy; null where there is none
 */
export function createConnections(target: {
  readonly identity: Identity;
  readonly tlsName: string;
  readonly serverName: string;
  readonly getEndpoint: () => Endpoint;
  readonly openTunnel: (() => Promise<Socket>) | null;
}): Connections {
  const { ca, cert, key } = target.identity;
  // Built once: parsing certificates and key takes longer than the rest of a connection.
  const secureContext = createSecureContext({ ca, cert, key });
  const dial = (route: { readonly socket: Socket } | Endpoint) => {
    const socket = connect({
      ...route,
      servername: target.serverName,
      secureContext,
      rejectUnauthorized: true,
      checkServerIdentity: (_host, certificate) => checkServerIdentity(target.tlsName, certificate),
    });
    // Holds data back until the handshake is complete: if it fails while data waits, Node.js reports only EPROTO,
    // without the reason.
    socket.cork();
    return socket.once('secureConnect', () => socket.uncork());
  };
  class ClusterAgent extends Agent {
    override createConnection(_options: RequestOptions, callback?: (error: Error | null, socket: Socket) => void) {
      if (target.openTunnel === null) return dial(target.getEndpoint());
      target.openTunnel().then(
        (socket) => callback?.(null, dial({ socket })),
        (error: Error) => callback?.(error, undefined as never),
      );
      return undefined;
    }
  }
  const sequentialAgent = new ClusterAgent({ keepAlive: true, maxSockets: MAX_PROBE_CONNECTIONS });
  const concurrentAgent = new ClusterAgent({ keepAlive: true, maxSockets: MAX_APPROVALS });
  const singleAgent = new ClusterAgent({ keepAlive: false });
  const activeCount = { sequential: 0, concurrent: 0 };
  const closeIfIdle = (mode: 'sequential' | 'concurrent', agent: Agent) => {
    if (activeCount[mode] === 0) agent.destroy();
  };
  return {
    singleAgent,
    async withAgent(mode, act) {
      if (mode === 'single') return await act(singleAgent);
      const agent = mode === 'sequential' ? sequentialAgent : concurrentAgent;
      activeCount[mode] += 1;
      try {
        return await act(agent);
      } finally {
        activeCount[mode] -= 1;
        // When the callback runs, the next request of a sequence has begun, so its connection stays open.
        if (activeCount[mode] === 0) {
          if (mode === 'sequential') setImmediate(closeIfIdle, mode, agent);
          else setTimeout(closeIfIdle, IDLE_TIMEOUT_MS, mode, agent).unref();
        }
      }
    },
  };
}
