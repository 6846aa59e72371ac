import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { SECOND } from '../../../platform/clock.ts';
import { getList, getString } from '../../api/objects.ts';
import { listMachines } from '../cloud/instances.ts';
import { writeJournal } from '../machines/machine-report.ts';
import type { ClusterState, MachineState } from '../saved.ts';
import type { World } from '../world.ts';
import type { Endpoint } from './endpoints.ts';

const API_PORT = 6443;
const MACHINE_CONFIG_PORT = 22623;
const KUBELET_PORT = 10250;
/** From the registration of a control plane node to the static pod of its API server. */
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
export function listOpenPorts(world: World, apiHandler: RequestListener): Endpoint[] {
  const { cluster } = world.saved;
  if (cluster === null) return [];
  const machines = listMachines(world).filter(({ lease }) => lease !== null);
  const routerNodes = new Set(
    world.store
      .list('pods', 'openshift-ingress')
      .filter((pod) => pod.metadata.labels?.['app.kubernetes.io/name'] === 'router-default')
      .filter((pod) =>
        getList(pod, 'status', 'conditions').some(
          (each) => getString(each, 'type') === 'Ready' && getString(each, 'status') === 'True',
        ),
      )
      .map((pod) => getString(pod, 'spec', 'nodeName')),
  );
  return machines.flatMap((machine) => [
    ...(isApiServing(machine, world.clock.now(), cluster.isInPlace)
      ? buildApiPorts(world, cluster, machine, apiHandler)
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

/** Source address of connections to the machine config server: it sees the load balancer, never the node. */
function getLoadBalancerAddress({ design }: World): string {
  return design.services.loadBalancer.servers[0]?.ip[0] ?? design.endpoints.apiInt[0] ?? '';
}

/** Creates the machine config server: /healthz, /config/master and /config/worker. */
function createMachineConfigHandler(world: World, cluster: ClusterState, machine: MachineState): RequestListener {
  return (request, response) => {
    const [, pool] = /^\/config\/(master|worker)$/.exec(request.url ?? '') ?? [];
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

/** Ports of the router: /healthz and known routes such as the console answer, any other host gets a 503. */
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

type CertificateUser = { readonly username: string; readonly groups: readonly string[] };
/** Users by connection: a connection keeps its certificate, and parsing one takes longer than most answers. */
const userCache = new WeakMap<TLSSocket, CertificateUser | null>();

/** Returns the user of a client certificate. Null: there is none that an authority of the cluster signed. */
export function authenticateByCertificate(request: IncomingMessage): CertificateUser | null {
  const socket = request.socket as TLSSocket;
  if (!socket.authorized) return null;
  const known = userCache.get(socket);
  if (known !== undefined) return known;
  const user = parseCertificateUser(socket);
  userCache.set(socket, user);
  return user;
}

function parseCertificateUser(socket: TLSSocket): CertificateUser | null {
  const subject = socket.getPeerCertificate().subject as Record<string, string | string[] | undefined> | undefined;
  const values = (name: string) => [subject?.[name] ?? []].flat();
  const [username] = values('CN');
  if (username === undefined) return null;
  return { username, groups: [...values('O'), 'system:authenticated'] };
}
