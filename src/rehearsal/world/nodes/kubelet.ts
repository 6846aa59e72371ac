import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { CSR_RESOURCE } from '../../api/csr.ts';
import { getList, getString, type KubeObject } from '../../api/objects.ts';
import { createRequest } from '../../pki.ts';
import { deriveDuration } from '../../site/seeded-random.ts';
import type { MachineContext } from '../network/network.ts';
import type { KubeletRequest, MachineStage } from '../saved-world.ts';
import { buildNode, markReady, submitCsr } from './node.ts';

/** A kubelet waits 15 minutes for a certificate, then sends another request (client-go certificate_manager.go). */
const REQUEST_TIMEOUT = 15 * MINUTE;
const POLLING_INTERVAL = 3 * SECOND;

/** Runs the kubelet from its first start to a Ready node with a serving certificate, and then until power-off. */
export async function runKubelet(machine: MachineContext): Promise<MachineStage> {
  const { world, state, print, sleep } = machine;
  const name = await waitForHostname(machine);
  await waitForApi(machine);
  const subject = { commonName: `system:node:${name}`, organization: 'system:nodes' };
  if (state.joinedAt === null || state.isExpired === true) {
    if (state.isExpired === true) {
      print('kubelet: part of the existing bootstrap client certificate in /var/lib/kubelet/kubeconfig is expired');
    }
    await obtainCertificate(machine, 'client', subject);
  }
  if (state.joinedAt === null) {
    world.store.create('nodes', buildNode(world, machine.hardware, state, name));
    state.joinedAt = world.clock.now();
    world.requestSave();
    print('kubelet: Successfully registered node');
    return 'joined';
  }
  if (state.isExpired === true) {
    state.isExpired = false;
    world.requestSave();
    return 'joined';
  }
  const readyAt = state.joinedAt + deriveDuration(world.seed, 40 * SECOND, 75 * SECOND, name, 'ready');
  await sleep(Math.max(0, Math.min(readyAt, state.joinedAt + 10 * SECOND) - world.clock.now()));
  const readyPromise = markNodeReady(machine, name, readyAt);
  if (state.servingCertificate === null) {
    const names = { dnsNames: [name], ipAddresses: [state.lease?.address ?? ''] };
    state.servingCertificate = await obtainCertificate(machine, 'serving', { ...subject, ...names });
    world.requestSave();
  }
  await readyPromise;
  print('kubelet: running');
  await new Promise<void>((resolve) => machine.signal.addEventListener('abort', () => resolve(), { once: true }));
  return 'joined';
}

/** Waits for a host name as node-valid-hostname.service does; `localhost` does not count. */
async function waitForHostname({ state, print, sleep }: MachineContext): Promise<string> {
  for (;;) {
    if (state.hostname !== null && !state.hostname.startsWith('localhost')) return state.hostname;
    print('node-valid-hostname.service: waiting for non-localhost hostname to be assigned');
    await sleep(10 * SECOND);
  }
}

/** Waits until the kubelet reaches the API under its internal name, through the load balancer. */
async function waitForApi({ world, getNetwork, print, sleep }: MachineContext): Promise<void> {
  for (;;) {
    const { cluster } = world.saved;
    const url = `https://api-int.${cluster?.clusterDomain}:6443/readyz`;
    const { problem, status } = await getNetwork().fetch(url, cluster?.apiAuthority);
    if (problem === null) return;
    print(`kubelet: Unable to register node with API server: ${status ?? problem}`);
    await sleep(5 * SECOND);
  }
}

/**
 * Delays after a denied or failed request (client-go certificate_manager.go): two seconds at first, doubled each time,
 * at most 32 seconds.
 */
const RETRY_DELAYS = [2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND, 32 * SECOND] as const;

/** Creates requests, each with its own key, until a certificate is issued. */
async function obtainCertificate(
  machine: MachineContext,
  kind: 'client' | 'serving',
  options: Parameters<typeof createRequest>[0],
): Promise<{ certPem: string; keyPem: string }> {
  const { world, state, print, sleep } = machine;
  for (let refusalCount = 0; ; ) {
    let pendingRequest: KubeletRequest | null = state[kind];
    if (pendingRequest === null) {
      const { requestPem, keyPem } = await createRequest(options);
      state.requests += 1;
      const nameKeys = [state.name, 'request', state.requests];
      const name = submitCsr(world, kind === 'client' ? null : state.hostname, requestPem, nameKeys);
      pendingRequest = { name, at: world.clock.now(), keyPem };
      state[kind] = pendingRequest;
      world.requestSave();
      print(`kubelet: waiting for the ${kind} certificate request ${pendingRequest.name}`);
    }
    while (world.clock.now() < pendingRequest.at + REQUEST_TIMEOUT) {
      const request = world.store.get(CSR_RESOURCE, null, pendingRequest.name);
      const certificate = getString(request, 'status', 'certificate');
      if (certificate !== '')
        return { certPem: Buffer.from(certificate, 'base64').toString(), keyPem: pendingRequest.keyPem };
      const refusal = describeRefusal(request);
      if (refusal !== null) {
        print(`kubelet: certificate request was not signed: ${refusal}`);
        await sleep(RETRY_DELAYS[refusalCount] ?? 32 * SECOND);
        refusalCount += 1;
        break;
      }
      await sleep(POLLING_INTERVAL);
    }
    state[kind] = null;
  }
}

/** Formats a refusal as client-go does (util/certificate/csr). Null: the request may still be approved. */
function describeRefusal(request: KubeObject | undefined): string | null {
  const condition = getList(request, 'status', 'conditions').find((candidate) =>
    /^(?:Denied|Failed)$/.test(getString(candidate, 'type')),
  );
  if (condition === undefined) return null;
  const outcome = getString(condition, 'type') === 'Denied' ? 'is denied' : 'failed';
  return `certificate signing request ${outcome}, reason: ${getString(condition, 'reason')}, message: ${getString(condition, 'message')}`;
}

async function markNodeReady({ world, sleep, signal }: MachineContext, name: string, readyAt: number): Promise<void> {
  try {
    await sleep(Math.max(0, readyAt - world.clock.now()));
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  world.store.mutate('nodes', null, name, (node) => markReady(node, world.clock.now()));
}
