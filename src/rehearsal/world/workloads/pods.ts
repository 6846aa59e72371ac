import { SECOND } from '../../../ports/clock.ts';
import { refusedByWebhook } from '../../api/admission.ts';
import { isSame } from '../../api/json.ts';
import { at, isRecord, type KubeObject, listAt, readOnce, textAt, timestamp } from '../../api/objects.ts';
import { kindOf } from '../../api/registry.ts';
import { jitter } from '../../site/random.ts';
import { noteEvent } from '../events.ts';
import type { Operated } from '../world.ts';
import { isClaimBound } from './claims.ts';
import { type Placement, type SchedulableNode, schedule } from './scheduler.ts';
import type { Workload } from './workload.ts';

const PODS = { resource: 'pods', kind: kindOf('pods') };
const READY_TIME = [12 * SECOND, 35 * SECOND] as const;

export const isPodReady = readOnce((pod) =>
  listAt(pod, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
  ),
);

/** A pod of a workload, and the claim of its own where it needs one. */
export function newPod(
  world: Operated,
  workload: Workload,
  owner: KubeObject,
  name: string,
  revision: string,
  nodeName: string | null,
): void {
  const { store } = world;
  const { namespace, volume } = workload;
  if (refusedByWebhook(store, { ...PODS, namespace, operation: 'CREATE' }) !== null) return;
  const template = at(owner, 'spec', 'template', 'spec');
  const claim = volume === null ? null : workload.kind === 'StatefulSet' ? `${volume.claim}-${name}` : volume.claim;
  if (
    volume !== null &&
    claim !== null &&
    workload.kind === 'StatefulSet' &&
    !store.get('persistentvolumeclaims', namespace, claim)
  ) {
    const spec = at(volume.template, 'spec');
    store.create('persistentvolumeclaims', {
      metadata: { name: claim, namespace, labels: { 'app.kubernetes.io/name': workload.name } },
      spec: { accessModes: ['ReadWriteOnce'], ...(isRecord(spec) ? spec : {}) },
      status: {},
    });
  }
  store.create('pods', {
    metadata: {
      name,
      namespace,
      labels: { 'app.kubernetes.io/name': workload.name, revision, ...extraLabels(workload) },
      ownerReferences: [
        {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name: owner.metadata.name,
          uid: owner.metadata.uid,
          controller: true,
        },
      ],
    },
    spec: {
      ...(isRecord(template) ? template : { containers: [] }),
      ...(claim === null ? {} : { volumes: [{ name: 'storage', persistentVolumeClaim: { claimName: claim } }] }),
      ...(nodeName === null ? {} : { nodeName }),
    },
    status: { phase: 'Pending', ...(nodeName === null ? {} : { startTime: timestamp(world.clock.now()) }) },
  });
}

/** Labels that people select these pods by. */
function extraLabels({ name, labels }: Workload): Readonly<Record<string, string>> {
  if (name.startsWith('router-'))
    return { 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller': name.slice('router-'.length) };
  if (name === 'image-registry') return { 'docker-registry': 'default' };
  if (name === 'ingress-canary')
    return { 'ingresscanary.operator.openshift.io/daemonset-ingresscanary': 'canary_controller' };
  if (name === 'dns-default') return { 'dns.operator.openshift.io/daemonset-dns': 'default' };
  return labels;
}

/** Gives pods their nodes, and lets those that have one become ready. */
export function advancePods(world: Operated, nodes: readonly SchedulableNode[], planned: readonly Workload[]): void {
  const workloads = new Map(planned.map((each) => [`${each.namespace}/${each.name}`, each]));
  const pods = world.store.list('pods');
  const counts = new Map<string, number>();
  const countKey = (pod: KubeObject, node: string) => {
    const name = `${pod.metadata.namespace}/${pod.metadata.labels?.['app.kubernetes.io/name']}`;
    // A port of the host is taken, whoever took it.
    const ports = workloads.get(name)?.hostPorts ?? [];
    return `${ports.length > 0 ? ports.join() : name} ${node}`;
  };
  for (const pod of pods) {
    const key = countKey(pod, textAt(pod, 'spec', 'nodeName'));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const pod of pods) {
    if (isPodReady(pod)) continue;
    const workload = workloads.get(`${pod.metadata.namespace}/${pod.metadata.labels?.['app.kubernetes.io/name']}`);
    if (!workload) continue;
    if (textAt(pod, 'spec', 'nodeName') === '') {
      const claim = unboundClaim(world, pod);
      const found =
        claim === null
          ? schedule(placementOf(pod), nodes, {
              count: (node) => counts.get(countKey(pod, node)) ?? 0,
              isExclusive: workload.isExclusive,
              usesHostPorts: workload.hostPorts.length > 0,
            })
          : { message: claim };
      if ('node' in found) {
        bind(world, pod, found.node);
        const key = countKey(pod, found.node);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      } else setUnschedulable(world, pod, found.message);
    } else start(world, pod, nodes);
  }
}

function placementOf(pod: KubeObject): Placement {
  const selector = at(pod, 'spec', 'nodeSelector');
  return {
    nodeSelector: isRecord(selector) ? (selector as Record<string, string>) : {},
    tolerations: listAt(pod, 'spec', 'tolerations') as Placement['tolerations'],
  };
}

function unboundClaim(world: Operated, pod: KubeObject): string | null {
  const { namespace = '' } = pod.metadata;
  for (const volume of listAt(pod, 'spec', 'volumes')) {
    const name = textAt(volume, 'persistentVolumeClaim', 'claimName');
    if (name === '' || isClaimBound(world, namespace, name)) continue;
    return world.store.get('persistentvolumeclaims', namespace, name)
      ? 'pod has unbound immediate PersistentVolumeClaims. not found'
      : `persistentvolumeclaim "${name}" not found`;
  }
  return null;
}

function bind(world: Operated, pod: KubeObject, node: string): void {
  const at = timestamp(world.clock.now());
  world.store.mutate('pods', pod.metadata.namespace ?? null, pod.metadata.name, (change) => {
    change.spec = { ...(change.spec as object), nodeName: node };
    change.status = {
      phase: 'Pending',
      startTime: at,
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: at }],
    };
  });
}

function setUnschedulable(world: Operated, pod: KubeObject, message: string): void {
  const [known] = listAt(pod, 'status', 'conditions');
  if (textAt(known, 'message') === message) return;
  noteEvent(world, pod, { type: 'Warning', reason: 'FailedScheduling', message, component: 'default-scheduler' });
  world.store.mutate('pods', pod.metadata.namespace ?? null, pod.metadata.name, (change) => {
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime: timestamp(world.clock.now()),
    };
    change.status = { phase: 'Pending', conditions: [condition] };
  });
}

/** Pulling the image and passing the first readiness probe takes a while; a node that is not ready starts nothing. */
function start(world: Operated, pod: KubeObject, nodes: readonly SchedulableNode[]): void {
  const node = nodes.find(({ name }) => name === textAt(pod, 'spec', 'nodeName'));
  if (!node?.isReady) return;
  const startedAt = Date.parse(textAt(pod, 'status', 'startTime') || pod.metadata.creationTimestamp);
  if (world.clock.now() < startedAt + jitter(world.seed, ...READY_TIME, pod.metadata.name)) return;
  const at = timestamp(world.clock.now());
  const name = textAt(listAt(pod, 'spec', 'containers')[0], 'name');
  const status = {
    phase: 'Running',
    startTime: textAt(pod, 'status', 'startTime') || at,
    hostIP: node.address,
    podIP: node.address,
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: at,
    })),
    containerStatuses: [
      {
        name,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: at } },
        image: '',
        imageID: '',
      },
    ],
  };
  if (isSame(pod.status, status)) return;
  world.store.mutate('pods', pod.metadata.namespace ?? null, pod.metadata.name, (change) => {
    change.status = status;
  });
}
