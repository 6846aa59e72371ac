import { hash } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Design } from '../../../design/model.ts';
import { HOUR, MINUTE, SECOND, systemClock } from '../../../platform/clock.ts';
import { getString } from '../../api/objects.ts';
import { createAuthority, type IssuedCertificate, issueCertificate } from '../../pki.ts';
import { listBmcs } from '../../site/bmcs.ts';
import { listMachines } from '../cloud/machines.ts';
import type { World } from '../world.ts';
import { createMachineNetwork } from './network.ts';

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

const BMC_PORT = 443;
const TEN_YEARS = 3650 * 24 * HOUR;

/** Creates the Redfish servers of the BMCs: they serve the service root (DSP0266) and answer other paths with 401. */
export async function createBmcPorts(design: Design): Promise<readonly Endpoint[]> {
  return await Promise.all(
    listBmcs(design).map(async ({ address }): Promise<Endpoint> => {
      const now = systemClock.now();
      const options = { notBefore: now - HOUR, notAfter: now + TEN_YEARS, usage: 'server' } as const;
      const authority = await createAuthority(`bmc-${address}`, options);
      const names = { commonName: address, ipAddresses: [address] };
      const certificate = await issueCertificate(authority, { ...names, ...options });
      return {
        address,
        port: BMC_PORT,
        ...buildTlsFields(certificate),
        handler: (request, response) => {
          if (request.url !== '/redfish/v1/') return void response.writeHead(401).end();
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"RedfishVersion":"1.15.0"}');
        },
      };
    }),
  );
}

const CHECK_INTERVAL = 20 * SECOND;
/**
 * Delay from the first failed check until the canary is failing. The real ingress operator reports five failed checks,
 * a minute apart.
 */
const FAILURE_DELAY = 3 * MINUTE;

/** Canary of the ingress operator: checks from inside the cluster whether users reach a route by its name. */
export interface Canary {
  /** Starts a check if one is due. */
  checkIfDue(): void;
  /** True if the last check reached the routes. */
  isReachable(): boolean;
  /** True if the checks have failed for at least `FAILURE_DELAY`. */
  isFailing(): boolean;
  /** Message of the last failure. */
  getLastError(): string;
}

/**
 * True if the request goes to the cluster's proxy, which cannot reach internal names (fault `proxy-without-no-proxy`).
 * An entry of noProxy covers its own name and all names below it, with or without a leading dot, as the cluster's
 * programs read it.
 */
function usesProxy({ store, faults }: World, host: string): boolean {
  const proxy = store.get('proxies.config.openshift.io', null, 'cluster');
  if (!faults.has('proxy-without-no-proxy') || getString(proxy, 'spec', 'httpsProxy') === '') return false;
  const noProxyEntries = getString(proxy, 'spec', 'noProxy').split(',');
  return !noProxyEntries.some((entry) => {
    const name = entry.trim().replace(/^\*?\./, '');
    return name === '*' || (name !== '' && (host === name || host.endsWith(`.${name}`)));
  });
}

/** Creates the canary. It probes from the first node that has joined. */
export function createCanary(world: World): Canary {
  let isChecking = false;
  let lastCheckAt = Number.NEGATIVE_INFINITY;
  let isLastCheckOk = false;
  let failingSince: number | null = null;
  let lastError = '';

  async function runCheck(): Promise<void> {
    const { cluster } = world.saved;
    const node = listMachines(world).find(({ stage, lease }) => stage === 'joined' && lease !== null);
    if (!cluster || !node?.lease) return;
    const url = `https://canary-openshift-ingress-canary.apps.${cluster.clusterDomain}/healthz`;
    const { problem, status } = usesProxy(world, new URL(url).hostname)
      ? { problem: `Get "${url}": Service Unavailable`, status: null }
      : await createMachineNetwork(world, node.lease).fetch(url, cluster.ingressAuthority.certPem);
    isLastCheckOk = problem === null;
    if (problem === null) failingSince = null;
    else {
      failingSince ??= world.clock.now();
      lastError = status === null ? problem : `unexpected status ${status}`;
    }
  }

  return {
    checkIfDue() {
      if (isChecking || world.clock.now() < lastCheckAt + CHECK_INTERVAL) return;
      isChecking = true;
      lastCheckAt = world.clock.now();
      runCheck()
        .catch((failure: Error) => world.log(`canary: ${failure.message}`))
        .finally(() => {
          isChecking = false;
        });
    },
    isReachable: () => isLastCheckOk,
    isFailing: () => failingSince !== null && world.clock.now() >= failingSince + FAILURE_DELAY,
    getLastError: () => lastError,
  };
}
