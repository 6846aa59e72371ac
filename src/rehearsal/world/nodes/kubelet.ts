import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { formatTimestamp, getList, getString, type KubeObject, type NewObject } from '../../api/objects.ts';
import { createRequest } from '../../pki.ts';
import { deriveDuration, generateNameSuffix } from '../../site/seeded-random.ts';
import type { MachineContext } from '../machines/machine-context.ts';
import type { Hardware, KubeletRequest, MachineStage, MachineState } from '../saved.ts';
import type { World } from '../world.ts';

export const READY_CONDITIONS = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
] as const;

/** Builds a node as its kubelet registers it: not Ready until its network is. */
function buildNode(world: World, hardware: Hardware, state: MachineState, name: string): NewObject {
  const isMaster = state.kind === 'master';
  const isSchedulable = !isMaster || world.saved.cluster?.mastersSchedulable === true;
  const time = formatTimestamp(world.clock.now());
  const capacity = {
    cpu: String(hardware.vcpu),
    memory: `${hardware.memoryGiB * 1024 * 1024}Ki`,
    pods: '250',
    'ephemeral-storage': hardware.diskGiB === undefined ? '125293548Ki' : `${hardware.diskGiB * 1024 * 1000}Ki`,
  };
  const labels: Record<string, string> = {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'node.openshift.io/os_id': 'rhcos',
  };
  if (isMaster) {
    labels['node-role.kubernetes.io/master'] = '';
    labels['node-role.kubernetes.io/control-plane'] = '';
  }
  if (isSchedulable) labels['node-role.kubernetes.io/worker'] = '';
  const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
  if (!isSchedulable) taints.push({ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' });
  return {
    metadata: {
      name,
      labels,
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: { taints },
    status: {
      addresses: [
        { type: 'InternalIP', address: state.lease?.address ?? '' },
        { type: 'Hostname', address: name },
      ],
      capacity,
      allocatable: capacity,
      conditions: READY_CONDITIONS.map((condition) =>
        condition.type === 'Ready'
          ? {
              type: 'Ready',
              status: 'False',
              reason: 'KubeletNotReady',
              message:
                'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: no CNI configuration file in /etc/kubernetes/cni/net.d/. Has your network provider started?',
              lastHeartbeatTime: time,
              lastTransitionTime: time,
            }
          : { ...condition, lastHeartbeatTime: time, lastTransitionTime: time },
      ),
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        architecture: 'amd64',
        bootID: '',
        containerRuntimeVersion: 'cri-o://1.31.7',
        kernelVersion: '5.14.0-427.el9.x86_64',
        kubeProxyVersion: world.release.kubernetes,
        kubeletVersion: world.release.kubernetes,
        machineID: '',
        operatingSystem: 'linux',
        osImage: `Red Hat Enterprise Linux CoreOS ${world.release.rhcos.build}`,
        systemUUID: '',
      },
    },
  };
}

const CSR_RESOURCE = 'certificatesigningrequests.certificates.k8s.io';
/**
 * A kubelet waits a quarter of an hour for a request, then creates another with a new key (client-go
 * certificate_manager.go).
 */
const REQUEST_TIMEOUT = 15 * MINUTE;
const POLLING_INTERVAL = 3 * SECOND;
const NODE_BOOTSTRAPPER = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';

/** Runs the kubelet from its first start to a Ready node with a serving certificate, and then until power-off. */
export async function runKubelet(machine: MachineContext): Promise<MachineStage> {
  const { world, state, print, sleep } = machine;
  const name = await waitForHostname(machine);
  await waitForApi(machine);
  if (state.joinedAt === null || state.isExpired === true) {
    if (state.isExpired === true) {
      print('kubelet: part of the existing bootstrap client certificate in /var/lib/kubelet/kubeconfig is expired');
    }
    await obtainCertificate(machine, 'client', () =>
      createRequest({ commonName: `system:node:${name}`, organization: 'system:nodes' }),
    );
  }
  if (state.joinedAt === null) {
    world.store.create('nodes', buildNode(world, machine.hardware, state, name));
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
  const readyAt = state.joinedAt + deriveDuration(world.seed, 40 * SECOND, 75 * SECOND, name, 'ready');
  await sleep(Math.max(0, Math.min(readyAt, state.joinedAt + 10 * SECOND) - world.clock.now()));
  const ready = becomeReady(machine, name, readyAt);
  if (state.servingCertificate === null) {
    const certificate = await obtainCertificate(machine, 'serving', () =>
      createRequest({
        commonName: `system:node:${name}`,
        organization: 'system:nodes',
        dnsNames: [name],
        ipAddresses: [state.lease?.address ?? ''],
      }),
    );
    state.servingCertificate = certificate;
    world.changed();
  }
  await ready;
  print('kubelet: running');
  await new Promise<void>((resolve) => machine.signal.addEventListener('abort', () => resolve(), { once: true }));
  return 'joined';
}

/** node-valid-hostname.service: the kubelet does not start as `localhost`. */
async function waitForHostname({ state, print, sleep }: MachineContext): Promise<string> {
  for (;;) {
    if (state.hostname !== null && !state.hostname.startsWith('localhost')) return state.hostname;
    print('node-valid-hostname.service: waiting for non-localhost hostname to be assigned');
    await sleep(10 * SECOND);
  }
}

/** Waits until the kubelet reaches the API under its internal name, through the load balancer. */
async function waitForApi({ world, network, print, sleep }: MachineContext): Promise<void> {
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
 * Delays after a denied or failed request (client-go certificate_manager.go: two seconds at first, doubled each time,
 * half a minute in the end).
 */
const RETRY_DELAYS = [2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND, 32 * SECOND] as const;

/** Creates requests until one is issued, each with its own key. */
async function obtainCertificate(
  machine: MachineContext,
  kind: 'client' | 'serving',
  create: () => Promise<{ requestPem: string; keyPem: string }>,
): Promise<{ certPem: string; keyPem: string }> {
  const { world, state, print, sleep } = machine;
  for (let refusals = 0; ; ) {
    let pending: KubeletRequest | null = state[kind];
    if (pending === null) {
      const { requestPem, keyPem } = await create();
      pending = { name: submitRequest(machine, kind, requestPem), at: world.clock.now(), keyPem };
      state[kind] = pending;
      world.changed();
      print(`kubelet: waiting for the ${kind} certificate request ${pending.name}`);
    }
    while (world.clock.now() < pending.at + REQUEST_TIMEOUT) {
      const certificate = getString(world.store.get(CSR_RESOURCE, null, pending.name), 'status', 'certificate');
      if (certificate !== '') {
        return { certPem: Buffer.from(certificate, 'base64').toString(), keyPem: pending.keyPem };
      }
      const refusal = describeRefusal(world.store.get(CSR_RESOURCE, null, pending.name));
      if (refusal !== null) {
        print(`kubelet: certificate request was not signed: ${refusal}`);
        await sleep(RETRY_DELAYS[refusals] ?? 32 * SECOND);
        refusals += 1;
        break;
      }
      await sleep(POLLING_INTERVAL);
    }
    state[kind] = null;
  }
}

/** Formats a refusal as client-go does (util/certificate/csr). Null: the request may still be approved. */
function describeRefusal(request: KubeObject | undefined): string | null {
  const found = getList(request, 'status', 'conditions').find((each) =>
    /^(?:Denied|Failed)$/.test(getString(each, 'type')),
  );
  if (found === undefined) return null;
  const outcome = getString(found, 'type') === 'Denied' ? 'is denied' : 'failed';
  return `certificate signing request ${outcome}, reason: ${getString(found, 'reason')}, message: ${getString(found, 'message')}`;
}

function submitRequest({ world, state }: MachineContext, kind: 'client' | 'serving', requestPem: string): string {
  state.requests += 1;
  const name = `csr-${generateNameSuffix(world.seed, 5, state.name, 'request', state.requests)}`;
  const isClient = kind === 'client';
  world.store.create(CSR_RESOURCE, {
    metadata: { name, generateName: 'csr-' },
    spec: {
      request: Buffer.from(requestPem).toString('base64'),
      signerName: isClient ? 'kubernetes.io/kube-apiserver-client-kubelet' : 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', isClient ? 'client auth' : 'server auth'],
      username: isClient ? NODE_BOOTSTRAPPER : `system:node:${state.hostname}`,
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
    const time = formatTimestamp(world.clock.now());
    node.status = {
      ...(node.status as object),
      conditions: READY_CONDITIONS.map((condition) => ({
        ...condition,
        lastHeartbeatTime: time,
        lastTransitionTime: time,
      })),
    };
    const spec = node.spec as { taints?: { key: string }[] };
    spec.taints = spec.taints?.filter(({ key }) => key !== 'node.kubernetes.io/not-ready');
  });
}
