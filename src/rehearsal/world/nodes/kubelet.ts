import { MINUTE, SECOND } from '../../../ports/clock.ts';
import { type KubeObject, listAt, textAt, timestamp } from '../../api/objects.ts';
import { createRequest } from '../../pki.ts';
import { jitter, nameSuffix } from '../../site/random.ts';
import type { MachineContext } from '../machines/machine-context.ts';
import type { KubeletRequest, MachineStage } from '../saved.ts';
import { newNode, READY_CONDITIONS } from './object.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
/** A kubelet gives a request a quarter of an hour, then makes another with a new key (client-go certificate_manager.go). */
const PATIENCE = 15 * MINUTE;
const LOOK_EVERY = 3 * SECOND;
const BOOTSTRAPPER = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';

/** From the first start of the kubelet to a Ready node with a serving certificate, and on. */
export async function runKubelet(machine: MachineContext): Promise<MachineStage> {
  const { world, state, print, sleep } = machine;
  const name = await validHostname(machine);
  await reachApi(machine);
  if (state.joinedAt === null || state.isExpired === true) {
    if (state.isExpired === true) {
      print('kubelet: part of the existing bootstrap client certificate in /var/lib/kubelet/kubeconfig is expired');
    }
    await obtain(machine, 'client', () =>
      createRequest({ commonName: `system:node:${name}`, organization: 'system:nodes' }),
    );
  }
  if (state.joinedAt === null) {
    world.store.create('nodes', newNode(world, machine.hardware, state, name));
    state.joinedAt = world.clock.now();
    world.changed();
    print('kubelet: Successfully registered node');
    return 'joined';
  }
  if (state.isExpired === true) {
    state.isExpired = false;
    world.changed();
    return 'joined';
  }
  const readyAt = state.joinedAt + jitter(world.seed, 40 * SECOND, 75 * SECOND, name, 'ready');
  await sleep(Math.max(0, Math.min(readyAt, state.joinedAt + 10 * SECOND) - world.clock.now()));
  const ready = becomeReady(machine, name, readyAt);
  if (state.servingCertificate === null) {
    const pending = await obtain(machine, 'serving', () =>
      createRequest({
        commonName: `system:node:${name}`,
        organization: 'system:nodes',
        dnsNames: [name],
        ipAddresses: [state.lease?.address ?? ''],
      }),
    );
    state.servingCertificate = pending;
    world.changed();
  }
  await ready;
  print('kubelet: running');
  await new Promise<void>((resolve) => machine.signal.addEventListener('abort', () => resolve(), { once: true }));
  return 'joined';
}

/** node-valid-hostname.service: the kubelet does not start as `localhost`. */
async function validHostname({ state, print, sleep }: MachineContext): Promise<string> {
  for (;;) {
    if (state.hostname !== null && !state.hostname.startsWith('localhost')) return state.hostname;
    print('node-valid-hostname.service: waiting for non-localhost hostname to be assigned');
    await sleep(10 * SECOND);
  }
}

/** The kubelet reaches the API under its internal name, through the load balancer, or waits. */
async function reachApi({ world, network, print, sleep }: MachineContext): Promise<void> {
  for (;;) {
    const { cluster } = world.saved;
    const url = `https://api-int.${cluster?.clusterDomain}:6443/readyz`;
    const found = await network()
      .fetch(url, cluster?.apiAuthority)
      .catch((error: Error) => error);
    if (!(found instanceof Error) && found.status === 200) return;
    print(`kubelet: Unable to register node with API server: ${found instanceof Error ? found.message : found.status}`);
    await sleep(5 * SECOND);
  }
}

/**
 * How long it waits after a request that was denied or failed, before it makes the next (client-go certificate_manager.go:
 * from two seconds on, twice as long each time, and half a minute in the end).
 */
const AGAIN = [2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND, 32 * SECOND] as const;

/** Makes requests until one is issued; each with a key of its own. */
async function obtain(
  machine: MachineContext,
  kind: 'client' | 'serving',
  create: () => Promise<{ requestPem: string; keyPem: string }>,
): Promise<{ certPem: string; keyPem: string }> {
  const { world, state, print, sleep } = machine;
  for (let refusals = 0; ; ) {
    let pending: KubeletRequest | null = state[kind];
    if (pending === null) {
      const { requestPem, keyPem } = await create();
      pending = { name: submit(machine, kind, requestPem), at: world.clock.now(), keyPem };
      state[kind] = pending;
      world.changed();
      print(`kubelet: waiting for the ${kind} certificate request ${pending.name}`);
    }
    while (world.clock.now() < pending.at + PATIENCE) {
      const certificate = textAt(world.store.get(REQUESTS, null, pending.name), 'status', 'certificate');
      if (certificate !== '') {
        return { certPem: Buffer.from(certificate, 'base64').toString(), keyPem: pending.keyPem };
      }
      const why = refusalOf(world.store.get(REQUESTS, null, pending.name));
      if (why !== null) {
        print(`kubelet: certificate request was not signed: ${why}`);
        await sleep(AGAIN[refusals] ?? 32 * SECOND);
        refusals += 1;
        break;
      }
      await sleep(LOOK_EVERY);
    }
    state[kind] = null;
  }
}

/** In the words of client-go (util/certificate/csr); null: it may still be approved. */
function refusalOf(request: KubeObject | undefined): string | null {
  const found = listAt(request, 'status', 'conditions').find((each) =>
    /^(?:Denied|Failed)$/.test(textAt(each, 'type')),
  );
  if (found === undefined) return null;
  const what = textAt(found, 'type') === 'Denied' ? 'is denied' : 'failed';
  return `certificate signing request ${what}, reason: ${textAt(found, 'reason')}, message: ${textAt(found, 'message')}`;
}

function submit({ world, state }: MachineContext, kind: 'client' | 'serving', requestPem: string): string {
  state.requests += 1;
  const name = `csr-${nameSuffix(world.seed, 5, state.name, 'request', state.requests)}`;
  const isClient = kind === 'client';
  world.store.create(REQUESTS, {
    metadata: { name, generateName: 'csr-' },
    spec: {
      request: Buffer.from(requestPem).toString('base64'),
      signerName: isClient ? 'kubernetes.io/kube-apiserver-client-kubelet' : 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', isClient ? 'client auth' : 'server auth'],
      username: isClient ? BOOTSTRAPPER : `system:node:${state.hostname}`,
      groups: isClient
        ? ['system:serviceaccounts', 'system:serviceaccounts:openshift-machine-config-operator', 'system:authenticated']
        : ['system:nodes', 'system:authenticated'],
    },
    status: {},
  });
  return name;
}

async function becomeReady({ world, sleep, signal }: MachineContext, name: string, readyAt: number): Promise<void> {
  try {
    await sleep(Math.max(0, readyAt - world.clock.now()));
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  world.store.mutate('nodes', null, name, (node) => {
    const at = timestamp(world.clock.now());
    node.status = {
      ...(node.status as object),
      conditions: READY_CONDITIONS.map((condition) => ({
        ...condition,
        lastHeartbeatTime: at,
        lastTransitionTime: at,
      })),
    };
    const spec = node.spec as { taints?: { key: string }[] };
    spec.taints = spec.taints?.filter(({ key }) => key !== 'node.kubernetes.io/not-ready');
  });
}
