import { hash } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { getString, isConditionTrue } from '../../api/objects.ts';
import { listMachines } from '../cloud/machines.ts';
import { writeJournal } from '../machines/machine.ts';
import { listNodeKinds } from '../operators/cluster-objects.ts';
import type { ClusterState, MachineState } from '../saved-world.ts';
import type { World } from '../world.ts';
import { createMachineNetwork } from './network.ts';

const API_PORT = 6443;
const MACHINE_CONFIG_PORT = 22623;
const KUBELET_PORT = 10250;
/** Delay from the registration of a control plane node to the static pod of its API server. */
const STATIC_POD_DELAY = 100 * SECOND;

/**
 * True if the machine's own API server answers.
 * @param isInPlace the cluster is a single node that was its own bootstrap
 */
export function isApiServing(machine: MachineState, now: number, isInPlace = false): boolean {
  if (machine.stage === 'serving' || machine.stage === 'in-place') return true;
  // A single node has its static pods on the disk, so they start before the node is registered.
  if (isInPlace && machine.stage === 'kubelet') return now >= machine.since + STATIC_POD_DELAY;
  if (isInPlace && machine.stage === 'joined') return true;
  return (
    machine.kind === 'master' &&
    machine.stage === 'joined' &&
    machine.joinedAt !== null &&
    now >= machine.joinedAt + STATIC_POD_DELAY
  );
}

/** Lists the ports that are open now, by the services that run on each machine. */
export function listOpenPorts(
  world: World,
  apiHandler: RequestListener,
  onUpgrade?: Endpoint['onUpgrade'],
): Endpoint[] {
  const { cluster } = world.saved;
  if (cluster === null) return [];
  const machines = listMachines(world).filter(({ lease }) => lease !== null);
  const routerNodes = new Set(
    world.store
      .list('pods', 'openshift-ingress')
      .filter((pod) => pod.metadata.labels?.['app.kubernetes.io/name'] === 'router-default')
      .filter((pod) => isConditionTrue(pod, 'Ready'))
      .map((pod) => getString(pod, 'spec', 'nodeName')),
  );
  return machines.flatMap((machine) => [
    ...(isApiServing(machine, world.clock.now(), cluster.isInPlace)
      ? buildApiPorts(world, cluster, machine, apiHandler, onUpgrade)
      : []),
    ...(machine.stage === 'joined' && machine.hostname !== null && routerNodes.has(machine.hostname)
      ? buildRouterPorts(world, cluster, machine)
      : []),
    ...(machine.stage === 'joined' && machine.servingCertificate !== null ? [buildKubeletPort(machine)] : []),
  ]);
}

function buildApiPorts(
  world: World,
  cluster: ClusterState,
  machine: MachineState,
  handler: RequestListener,
  onUpgrade: Endpoint['onUpgrade'],
): Endpoint[] {
  const address = machine.lease?.address ?? '';
  const { apiServing, machineConfigServing, clientAuthorities } = cluster;
  return [
    {
      address,
      port: API_PORT,
      identity: hash('sha256', apiServing.certPem),
      tls: {
        cert: apiServing.certPem,
        key: apiServing.keyPem,
        ca: [...clientAuthorities],
        requestCert: true,
        rejectUnauthorized: false,
      },
      handler,
      ...(onUpgrade === undefined ? {} : { onUpgrade }),
    },
    {
      address,
      port: MACHINE_CONFIG_PORT,
      identity: hash('sha256', machineConfigServing.certPem),
      tls: { cert: machineConfigServing.certPem, key: machineConfigServing.keyPem },
      handler: createMachineConfigHandler(world, cluster, machine),
      onRefused: () =>
        writeJournal(
          world,
          machine,
          `machine-config-server: http: TLS handshake error from ${getLoadBalancerAddress(world)}: remote error: tls: bad certificate`,
        ),
    },
  ];
}

/** Returns the address from which the Machine Config Server sees connections: the load balancer's. */
function getLoadBalancerAddress({ design }: World): string {
  return design.services.loadBalancer.servers[0]?.ip[0] ?? design.endpoints.apiInt[0] ?? '';
}

/** Creates the Machine Config Server: /healthz, and /config/POOL for the pools of the cluster. */
function createMachineConfigHandler(world: World, cluster: ClusterState, machine: MachineState): RequestListener {
  return (request, response) => {
    const pool = listNodeKinds(cluster).find((kind) => request.url === `/config/${kind}`);
    if (request.url === '/healthz') return void response.writeHead(200).end();
    if (!pool) return void response.writeHead(404).end();
    const files = [
      ['/etc/mcs-machine-config-content.json', JSON.stringify({ pool })],
      ['/etc/kubernetes/kubelet-ca.crt', cluster.apiAuthority],
    ].map(([path, text]) => ({
      path,
      contents: { source: `data:text/plain;charset=utf-8;base64,${Buffer.from(text ?? '').toString('base64')}` },
      mode: 0o644,
    }));
    const body = JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } });
    writeJournal(
      world,
      machine,
      `machine-config-server: api.go:52] Pool ${pool} requested by address:"${getLoadBalancerAddress(world)}" User-Agent:"Ignition/2.15.0" Accept-Header: "${request.headers.accept ?? ''}"`,
    );
    world.log(`machine config for ${pool} served to ${request.socket.remoteAddress}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };
}

/**
 * Builds the ports of a router. Port 80 redirects to HTTPS; port 443 answers /healthz and the hosts of routes, and
 * other hosts with a 503.
 */
function buildRouterPorts(world: World, cluster: ClusterState, machine: MachineState): Endpoint[] {
  const address = machine.lease?.address ?? '';
  const handler: RequestListener = (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const isKnown = world.store
      .list('routes.route.openshift.io')
      .some((route) => getString(route, 'spec', 'host') === host);
    if (request.url === '/healthz' || isKnown) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>OpenShift</title>\n');
    } else response.writeHead(503).end('Application is not available\n');
  };
  const redirect: RequestListener = (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    response.writeHead(302, { location: `https://${host}${request.url ?? '/'}` }).end();
  };
  const { certPem, keyPem } = cluster.ingressServing;
  return [
    { address, port: 80, identity: 'router', tls: null, handler: redirect },
    { address, port: 443, identity: 'router', tls: { cert: certPem, key: keyPem }, handler },
  ];
}

function buildKubeletPort(machine: MachineState): Endpoint {
  const { certPem = '', keyPem = '' } = machine.servingCertificate ?? {};
  return {
    address: machine.lease?.address ?? '',
    port: KUBELET_PORT,
    identity: hash('sha256', certPem),
    tls: { cert: certPem, key: keyPem },
    handler: (_request, response) => void response.writeHead(401).end('Unauthorized'),
  };
}

/**
 * Caches the result by connection: a connection keeps its certificate, and parsing a certificate takes longer than most
 * answers.
 */
const administratorCache = new WeakMap<TLSSocket, boolean>();

/** Whether the client has the certificate of an administrator. */
export function isAdministrator({ socket }: IncomingMessage): boolean {
  const tls = socket as TLSSocket;
  if (!tls.authorized) return false;
  const cachedResult = administratorCache.get(tls);
  if (cachedResult !== undefined) return cachedResult;
  const subject = tls.getPeerCertificate().subject as { readonly O?: string | string[] } | undefined;
  const isKnownAdministrator = [subject?.O].flat().includes('system:masters');
  administratorCache.set(tls, isKnownAdministrator);
  return isKnownAdministrator;
}

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
  /** Called when a client opened a TLS connection but sent no request: it did not trust the certificate. */
  readonly onRefused?: () => void;
}

/** Creates the manager of the HTTP and HTTPS servers of the site. Initially no port is open. */
export function createEndpoints(world: World) {
  const listeners = new Map<string, { readonly identity: string; readonly server: Server }>();

  function close(key: string): void {
    const listener = listeners.get(key);
    listeners.delete(key);
    listener?.server.close();
    listener?.server.closeAllConnections();
  }

  return {
    /** Opens and closes ports so that exactly the given endpoints are open. */
    apply(endpoints: readonly Endpoint[]): void {
      const endpointsByKey = new Map(endpoints.map((endpoint) => [`${endpoint.address}:${endpoint.port}`, endpoint]));
      for (const [key, { identity }] of [...listeners]) if (endpointsByKey.get(key)?.identity !== identity) close(key);
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
    isOpen: (port: number) => [...listeners].some(([key, { server }]) => key.endsWith(`:${port}`) && server.listening),
    stop(): void {
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

const CHECK_INTERVAL = 20 * SECOND;
/**
 * The ingress operator reports a failure after five failed checks, a minute apart. This delay is equivalent with fewer
 * checks.
 */
const FAILURE_DELAY = 3 * MINUTE;

/**
 * Canary of the ingress operator: checks from inside the cluster whether a route is reachable by the name that users
 * use.
 */
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
  let isBusy = false;
  let lastCheckAt = Number.NEGATIVE_INFINITY;
  let isOk = false;
  let failingSince: number | null = null;
  let error = '';

  async function check(): Promise<void> {
    const { cluster } = world.saved;
    const node = listMachines(world).find(({ stage, lease }) => stage === 'joined' && lease !== null);
    if (!cluster || !node?.lease) return;
    const url = `https://canary-openshift-ingress-canary.apps.${cluster.clusterDomain}/healthz`;
    const result = usesProxy(world, new URL(url).hostname)
      ? new Error(`Get "${url}": Service Unavailable`)
      : await createMachineNetwork(world, node.lease)
          .fetch(url, cluster.ingressAuthority.certPem)
          .catch((failure: Error) => failure);
    isOk = !(result instanceof Error) && result.status === 200;
    if (isOk) failingSince = null;
    else {
      failingSince ??= world.clock.now();
      error = result instanceof Error ? result.message : `unexpected status ${result.status}`;
    }
  }

  return {
    checkIfDue() {
      if (isBusy || world.clock.now() < lastCheckAt + CHECK_INTERVAL) return;
      isBusy = true;
      lastCheckAt = world.clock.now();
      check()
        .catch((failure: Error) => world.log(`canary: ${failure.message}`))
        .finally(() => {
          isBusy = false;
        });
    },
    isReachable: () => isOk,
    isFailing: () => failingSince !== null && world.clock.now() >= failingSince + FAILURE_DELAY,
    getLastError: () => error,
  };
}
