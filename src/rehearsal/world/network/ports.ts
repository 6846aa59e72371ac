import type { IncomingMessage, RequestListener } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { SECOND } from '../../../platform/clock.ts';
import { getString, isConditionTrue } from '../../api/objects.ts';
import type { IssuedCertificate } from '../../pki.ts';
import { toDataUrl } from '../../stand-in/ignition.ts';
import { listMachines } from '../cloud/machines.ts';
import { writeJournal } from '../machines/machine.ts';
import { listPoolNames } from '../operators/cluster-objects.ts';
import type { ClusterState, MachineState } from '../saved-world.ts';
import type { World } from '../world.ts';
import { buildTlsFields, type Endpoint } from './endpoints.ts';

const API_PORT = 6443;
const MACHINE_CONFIG_PORT = 22623;
const KUBELET_PORT = 10250;
/** Delay from the registration of a control plane node to the static pod of its API server. */
const STATIC_POD_DELAY = 100 * SECOND;

/**
 * Whether the machine's own API server answers.
 * @param isInPlace whether the cluster is a single node that was its own bootstrap
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
    ...(machine.stage === 'joined' && machine.servingCertificate !== null
      ? [buildKubeletPort(machine, machine.servingCertificate)]
      : []),
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
  const apiFields = buildTlsFields(apiServing);
  return [
    {
      address,
      port: API_PORT,
      identity: apiFields.identity,
      tls: { ...apiFields.tls, ca: [...clientAuthorities], requestCert: true, rejectUnauthorized: false },
      handler,
      ...(onUpgrade === undefined ? {} : { onUpgrade }),
    },
    {
      address,
      port: MACHINE_CONFIG_PORT,
      ...buildTlsFields(machineConfigServing),
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
    const pool = listPoolNames(cluster).find((kind) => request.url === `/config/${kind}`);
    if (request.url === '/healthz') return void response.writeHead(200).end();
    if (!pool) return void response.writeHead(404).end();
    const buildFile = (path: string, text: string) => ({ path, contents: { source: toDataUrl(text) }, mode: 0o644 });
    const files = [
      buildFile('/etc/mcs-machine-config-content.json', JSON.stringify({ pool })),
      buildFile('/etc/kubernetes/kubelet-ca.crt', cluster.apiAuthority),
    ];
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
    const isKnownHost = world.store
      .list('routes.route.openshift.io')
      .some((route) => getString(route, 'spec', 'host') === host);
    if (request.url === '/healthz' || isKnownHost) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>OpenShift</title>\n');
    } else response.writeHead(503).end('Application is not available\n');
  };
  const redirectHandler: RequestListener = (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    response.writeHead(302, { location: `https://${host}${request.url ?? '/'}` }).end();
  };
  return [
    { address, port: 80, identity: 'router', tls: null, handler: redirectHandler },
    { address, port: 443, ...buildTlsFields(cluster.ingressServing), handler },
  ];
}

function buildKubeletPort(machine: MachineState, certificate: IssuedCertificate): Endpoint {
  return {
    address: machine.lease?.address ?? '',
    port: KUBELET_PORT,
    ...buildTlsFields(certificate),
    handler: (_request, response) => void response.writeHead(401).end('Unauthorized'),
  };
}

/** Results of `isAdministrator` by connection: parsing a client certificate takes longer than most responses. */
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
