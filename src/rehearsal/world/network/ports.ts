import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { SECOND } from '../../../ports/clock.ts';
import { listAt, textAt } from '../../api/objects.ts';
import { allMachines } from '../cloud/instances.ts';
import { noteInJournal } from '../machines/inside.ts';
import type { ClusterState, MachineState } from '../saved.ts';
import type { World } from '../world.ts';
import type { Endpoint } from './endpoints.ts';

const API = 6443;
const MACHINE_CONFIG = 22623;
const KUBELET = 10250;
/** From the registration of a control plane node to the static pod of its API server. */
const STATIC_POD_DELAY = 100 * SECOND;

/** Whether a machine's own API server answers. */
export function servesApi(machine: MachineState, now: number, isInPlace = false): boolean {
  if (machine.stage === 'serving' || machine.stage === 'in-place') return true;
  // A single node has its static pods on the disk: they start before it is registered anywhere.
  if (isInPlace && machine.stage === 'kubelet') return now >= machine.since + STATIC_POD_DELAY;
  if (isInPlace && machine.stage === 'joined') return true;
  return (
    machine.kind === 'master' &&
    machine.stage === 'joined' &&
    machine.joinedAt !== null &&
    now >= machine.joinedAt + STATIC_POD_DELAY
  );
}

/** The ports that are open in the world now, by what runs where. */
export function openPorts(world: World, apiHandler: RequestListener): Endpoint[] {
  const { cluster } = world.saved;
  if (cluster === null) return [];
  const machines = allMachines(world).filter(({ lease }) => lease !== null);
  const routers = new Set(
    world.store
      .list('pods', 'openshift-ingress')
      .filter((pod) => pod.metadata.labels?.['app.kubernetes.io/name'] === 'router-default')
      .filter((pod) =>
        listAt(pod, 'status', 'conditions').some(
          (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
        ),
      )
      .map((pod) => textAt(pod, 'spec', 'nodeName')),
  );
  return machines.flatMap((machine) => [
    ...(servesApi(machine, world.clock.now(), cluster.isInPlace) ? apiPorts(world, cluster, machine, apiHandler) : []),
    ...(machine.stage === 'joined' && machine.hostname !== null && routers.has(machine.hostname)
      ? routerPorts(world, cluster, machine)
      : []),
    ...(machine.stage === 'joined' && machine.servingCertificate !== null ? [kubeletPort(machine)] : []),
  ]);
}

function apiPorts(world: World, cluster: ClusterState, machine: MachineState, handler: RequestListener): Endpoint[] {
  const address = machine.lease?.address ?? '';
  const { apiServing, machineConfigServing, clientAuthorities } = cluster;
  return [
    {
      address,
      port: API,
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
      port: MACHINE_CONFIG,
      identity: hash('sha256', machineConfigServing.certPem),
      tls: { cert: machineConfigServing.certPem, key: machineConfigServing.keyPem },
      handler: machineConfigHandler(world, cluster, machine),
      onRefused: () =>
        noteInJournal(
          world,
          machine,
          `machine-config-server: http: TLS handshake error from ${balancerOf(world)}: remote error: tls: bad certificate`,
        ),
    },
  ];
}

/** Where connections to the machine config server come from: it sees the load balancer, never the node. */
function balancerOf({ design }: World): string {
  return design.services.loadBalancer.servers[0]?.ip[0] ?? design.endpoints.apiInt[0] ?? '';
}

/** The machine config server: /healthz, /config/master and /config/worker. */
function machineConfigHandler(world: World, cluster: ClusterState, machine: MachineState): RequestListener {
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
    noteInJournal(
      world,
      machine,
      `machine-config-server: api.go:52] Pool ${pool} requested by address:"${balancerOf(world)}" User-Agent:"Ignition/2.15.0" Accept-Header: "${request.headers.accept ?? ''}"`,
    );
    world.log(`machine config for ${pool} served to ${request.socket.remoteAddress}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };
}

/** The router: the console and the like answer, anything else is a route that does not exist. */
function routerPorts(world: World, cluster: ClusterState, machine: MachineState): Endpoint[] {
  const address = machine.lease?.address ?? '';
  const handler: RequestListener = (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const isKnown = world.store
      .list('routes.route.openshift.io')
      .some((route) => textAt(route, 'spec', 'host') === host);
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

function kubeletPort(machine: MachineState): Endpoint {
  const { certPem = '', keyPem = '' } = machine.servingCertificate ?? {};
  return {
    address: machine.lease?.address ?? '',
    port: KUBELET,
    identity: hash('sha256', certPem),
    tls: { cert: certPem, key: keyPem },
    handler: (_request, response) => void response.writeHead(401).end('Unauthorized'),
  };
}

type CertifiedUser = { readonly username: string; readonly groups: readonly string[] };
/** A connection keeps its certificate, and reading one takes longer than most answers. */
const users = new WeakMap<TLSSocket, CertifiedUser | null>();

/** Who connects, by the client certificate; null without one that an authority of the cluster signed. */
export function authenticateByCertificate(request: IncomingMessage): CertifiedUser | null {
  const socket = request.socket as TLSSocket;
  if (!socket.authorized) return null;
  const known = users.get(socket);
  if (known !== undefined) return known;
  const user = certifiedUser(socket);
  users.set(socket, user);
  return user;
}

function certifiedUser(socket: TLSSocket): CertifiedUser | null {
  const subject = socket.getPeerCertificate().subject as Record<string, string | string[] | undefined> | undefined;
  const values = (name: string) => [subject?.[name] ?? []].flat();
  const [username] = values('CN');
  if (username === undefined) return null;
  return { username, groups: [...values('O'), 'system:authenticated'] };
}
