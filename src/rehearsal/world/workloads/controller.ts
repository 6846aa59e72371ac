import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { formatTimestamp, getField, getString, isDeepEqual, type KubeObject } from '../../api/objects.ts';
import { generateNameSuffix } from '../../site/seeded-random.ts';
import {
  clearTimer,
  deleteOldEvents,
  getOrStartTimer,
  type OperatorContext,
  setStatus,
  skipWhileUnchanged,
} from '../world.ts';
import { planWorkloads } from './plan.ts';
import { advancePods, bindClaims, createPod, hasUnboundClaims, isPodReady } from './pods.ts';
import { canSchedule, isEvicted, matchesSelector, type SchedulableNode, toSchedulableNode } from './scheduler.ts';
import { getWorkloadSpec, RESOURCES, type Workload } from './workload.ts';

/**
 * Writes the progress of a workload into its status.
 * @param pods the workload's own pods
 */
function updateWorkloadStatus(
  world: OperatorContext,
  workload: Workload,
  nodes: readonly SchedulableNode[],
  pods: readonly KubeObject[],
): void {
  const resource = RESOURCES[workload.kind];
  const owner = world.store.get(resource, workload.namespace, workload.name);
  if (!owner) return;
  const revision = getString(owner, 'spec', 'template', 'metadata', 'labels', 'revision');
  const updated = pods.filter((pod) => pod.metadata.labels?.revision === revision).length;
  const ready = pods.filter(isPodReady).length;
  const observedGeneration = owner.metadata.generation ?? 1;
  const replicas = Number(getField(owner, 'spec', 'replicas') ?? 0);
  const status =
    workload.kind === 'DaemonSet'
      ? {
          observedGeneration,
          currentNumberScheduled: pods.length,
          desiredNumberScheduled: nodes.filter((node) => canSchedule(node, workload.placement)).length,
          numberMisscheduled: pods.filter((pod) => {
            const node = nodes.find(({ name }) => name === getString(pod, 'spec', 'nodeName'));
            return node !== undefined && !canSchedule(node, workload.placement);
          }).length,
          numberReady: ready,
          numberAvailable: ready,
          updatedNumberScheduled: updated,
        }
      : {
          observedGeneration,
          replicas: pods.length,
          updatedReplicas: updated,
          readyReplicas: ready,
          availableReplicas: ready,
          ...(workload.kind === 'Deployment' ? buildDeploymentStatus(world, owner, ready, replicas) : {}),
          ...(workload.kind === 'StatefulSet'
            ? { currentReplicas: updated, currentRevision: revision, updateRevision: revision }
            : {}),
        };
  setStatus(world, resource, owner, status);
}

function buildDeploymentStatus(world: OperatorContext, owner: KubeObject, ready: number, replicas: number) {
  const status = ready >= Math.max(1, replicas - Math.floor(replicas / 4)) ? 'True' : 'False';
  const known = getField(owner, 'status', 'conditions');
  const [previous] = Array.isArray(known) ? known : [];
  if (getString(previous, 'status') === status)
    return { unavailableReplicas: Math.max(0, replicas - ready), conditions: known };
  const time = formatTimestamp(world.clock.now());
  const condition = {
    type: 'Available',
    status,
    reason: status === 'True' ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message:
      status === 'True' ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
    lastTransitionTime: time,
    lastUpdateTime: time,
  };
  return { unavailableReplicas: Math.max(0, replicas - ready), conditions: [condition] };
}

/** True if all replicas run the newest revision and are ready. */
export function isRolledOut(world: OperatorContext, workload: Workload): boolean {
  const owner = world.store.get(RESOURCES[workload.kind], workload.namespace, workload.name);
  if (!owner) return false;
  const getCount = (name: string) => Number(getField(owner, 'status', name) ?? 0);
  if (Number(getField(owner, 'status', 'observedGeneration')) !== owner.metadata.generation) return false;
  if (workload.kind === 'DaemonSet') return getCount('numberReady') >= getCount('desiredNumberScheduled');
  const replicas = Number(getField(owner, 'spec', 'replicas') ?? 0);
  return (
    getCount('updatedReplicas') === replicas &&
    getCount('readyReplicas') === replicas &&
    getCount('replicas') === replicas
  );
}

/**
 * Delay from the API's first answer to the first workloads: the cluster-version-operator needs this long to create
 * them.
 */
const FIRST_WORKLOADS_DELAY = 3 * MINUTE;
/** Delay after which operators read their settings again. */
const OPERATOR_DELAY = 8 * SECOND;

const reconcileIfChanged = skipWhileUnchanged(reconcileAllWorkloads, hasPendingWork);

/** Moves the operators' objects and their pods one step closer to the desired state. */
export function reconcileWorkloads(world: OperatorContext): void {
  const { cluster } = world.saved;
  if (cluster === null || world.clock.now() < cluster.apiSince + FIRST_WORKLOADS_DELAY) return;
  deleteOldEvents(world);
  reconcileIfChanged(world);
}

/**
 * True if something continues as time passes: operators that apply changes, claims that are not bound, pods that start.
 */
function hasPendingWork(world: OperatorContext): boolean {
  return (
    planWorkloads(world).some((workload) => world.saved.timers[`changing ${getWorkloadKey(workload)}`] !== undefined) ||
    world.store.list('pods').some((pod) => !isPodReady(pod)) ||
    hasUnboundClaims(world)
  );
}

function reconcileAllWorkloads(world: OperatorContext): void {
  const nodes = world.store.list('nodes').map(toSchedulableNode);
  bindClaims(world);
  const planned = planWorkloads(world);
  const pods = groupPodsByOwner(world);
  for (const workload of planned) reconcileWorkload(world, workload, nodes, pods.get(getWorkloadKey(workload)) ?? []);
  removeUnplanned(world, new Set(planned.map(getWorkloadKey)), pods);
  advancePods(world, nodes, planned);
  const updatedPods = groupPodsByOwner(world);
  for (const workload of planned)
    updateWorkloadStatus(world, workload, nodes, updatedPods.get(getWorkloadKey(workload)) ?? []);
}

/** Formats the key of a workload: `namespace/name`. */
function getWorkloadKey({ namespace, name }: Pick<Workload, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function groupPodsByOwner(world: OperatorContext): Map<string, KubeObject[]> {
  const found = new Map<string, KubeObject[]>();
  for (const pod of world.store.list('pods')) {
    const key = `${pod.metadata.namespace}/${pod.metadata.labels?.['app.kubernetes.io/name']}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, [pod]);
    else known.push(pod);
  }
  return found;
}

/** The rollout of the newest revision of a workload. */
interface Rollout {
  readonly world: OperatorContext;
  readonly workload: Workload;
  readonly owner: KubeObject;
  readonly revision: string;
}

function reconcileWorkload(
  world: OperatorContext,
  workload: Workload,
  nodes: readonly SchedulableNode[],
  pods: KubeObject[],
): void {
  const owner = applyWorkloadSpec(world, workload);
  const remaining = pods.filter((pod) => {
    const name = getString(pod, 'spec', 'nodeName');
    const node = nodes.find((each) => each.name === name);
    const shouldDelete = name !== '' && (node === undefined || isEvicted(node, getTolerations(pod)));
    if (shouldDelete) world.store.delete('pods', workload.namespace, pod.metadata.name);
    return !shouldDelete;
  });
  const revision = getString(owner, 'spec', 'template', 'metadata', 'labels', 'revision');
  const rollout = { world, workload, owner, revision };
  if (workload.kind === 'DaemonSet') reconcileDaemonSet(rollout, nodes, remaining);
  else reconcileReplicas(rollout, remaining);
}

function getTolerations(pod: KubeObject) {
  const tolerations = getField(pod, 'spec', 'tolerations');
  return Array.isArray(tolerations) ? tolerations : [];
}

/** Creates the object of a workload, or updates it after the delay of its operator. */
function applyWorkloadSpec(world: OperatorContext, workload: Workload): KubeObject {
  const { store, clock } = world;
  const resource = RESOURCES[workload.kind];
  const known = store.get(resource, workload.namespace, workload.name);
  const spec = getWorkloadSpec(workload, world.release.contentRepository);
  if (known && isDeepEqual(known.spec, spec)) {
    clearTimer(world, `changing ${getWorkloadKey(workload)}`);
    return known;
  }
  if (known === undefined) {
    return store.create(resource, {
      metadata: {
        name: workload.name,
        namespace: workload.namespace,
        labels: { 'app.kubernetes.io/name': workload.name, ...workload.labels },
      },
      spec,
      status: {},
    });
  }
  if (clock.now() < getOrStartTimer(world, `changing ${getWorkloadKey(workload)}`) + OPERATOR_DELAY) return known;
  clearTimer(world, `changing ${getWorkloadKey(workload)}`);
  const changed = store.mutate(resource, workload.namespace, workload.name, (object) => {
    object.spec = spec;
  });
  return changed ?? known;
}

function reconcileDaemonSet(
  { world, workload, owner, revision }: Rollout,
  nodes: readonly SchedulableNode[],
  pods: readonly KubeObject[],
): void {
  const key = getWorkloadKey(workload);
  // The DaemonSet controller also runs its pods on nodes that are not ready or are cordoned.
  const defaultTolerations = ['not-ready', 'unschedulable'].map((taint) => ({
    key: `node.kubernetes.io/${taint}`,
    operator: 'Exists',
  }));
  const tolerations = [...workload.placement.tolerations, ...defaultTolerations];
  const targets = nodes.filter((node) => canSchedule(node, { ...workload.placement, tolerations }));
  // A node that is no longer selected loses its pod. A new NoSchedule taint removes none.
  const selected = nodes.filter((node) => matchesSelector(node, workload.placement.nodeSelector));
  for (const pod of pods) {
    if (!selected.some(({ name }) => name === getString(pod, 'spec', 'nodeName')))
      world.store.delete('pods', workload.namespace, pod.metadata.name);
  }
  for (const node of targets) {
    const nodePods = pods.filter((pod) => getString(pod, 'spec', 'nodeName') === node.name);
    const old = nodePods.filter((pod) => pod.metadata.labels?.revision !== revision);
    for (const pod of old) world.store.delete('pods', workload.namespace, pod.metadata.name);
    if (nodePods.length === old.length) {
      const suffix = generateNameSuffix(world.seed, 5, key, node.name, revision, owner.metadata.resourceVersion);
      createPod(world, workload, owner, `${workload.name}-${suffix}`, revision, node.name);
    }
  }
}

/** Replaces one pod at a time: the next one when the last new pod is ready. */
function reconcileReplicas(rollout: Rollout, pods: KubeObject[]): void {
  const { world, workload, owner, revision } = rollout;
  const { store } = world;
  const replicas = Number(getField(owner, 'spec', 'replicas') ?? 0);
  const current = pods.filter((pod) => pod.metadata.labels?.revision === revision);
  const old = pods.filter((pod) => !current.includes(pod));
  const remove = (pod: KubeObject | undefined) => {
    if (pod) store.delete('pods', workload.namespace, pod.metadata.name);
    return pod ? 1 : 0;
  };
  const unreadyPods = old.filter((pod) => !isPodReady(pod));
  for (const pod of unreadyPods) remove(pod);
  const readyPods = old.filter((pod) => !unreadyPods.includes(pod));
  let removed = 0;
  if (readyPods.length > 0 && current.every(isPodReady)) removed += remove(readyPods.at(-1));
  const surplus = current.length - replicas;
  const surplusPods = [...current]
    .sort((a, b) => Number(isPodReady(a)) - Number(isPodReady(b)))
    .slice(0, Math.max(0, surplus));
  if (surplus > 0)
    for (const pod of workload.kind === 'StatefulSet' ? current.slice(-surplus) : surplusPods) remove(pod);
  const present = new Set(
    [...current, ...readyPods.slice(0, readyPods.length - removed)].map(({ metadata }) => metadata.name),
  );
  for (let number = present.size; number < replicas; number += 1) {
    const name = createPodName(rollout, present);
    present.add(name);
    createPod(world, workload, owner, name, revision, null);
  }
}

function createPodName({ world, workload, owner, revision }: Rollout, present: ReadonlySet<string>): string {
  if (workload.kind === 'StatefulSet') {
    for (let ordinal = 0; ; ordinal += 1) {
      const name = `${workload.name}-${ordinal}`;
      if (!present.has(name)) return name;
    }
  }
  const key = getWorkloadKey(workload);
  for (let attempt = 0; ; attempt += 1) {
    const suffix = generateNameSuffix(world.seed, 5, key, revision, owner.metadata.generation ?? 0, attempt);
    const name = `${workload.name}-${revision}-${suffix}`;
    if (!present.has(name) && !world.store.get('pods', workload.namespace, name)) return name;
  }
}

function removeUnplanned(
  world: OperatorContext,
  planned: ReadonlySet<string>,
  pods: ReadonlyMap<string, KubeObject[]>,
): void {
  for (const resource of Object.values(RESOURCES)) {
    for (const { metadata } of world.store.list(resource)) {
      const key = `${metadata.namespace}/${metadata.name}`;
      if (planned.has(key)) continue;
      world.store.delete(resource, metadata.namespace ?? null, metadata.name);
      for (const pod of pods.get(key) ?? []) world.store.delete('pods', metadata.namespace ?? null, pod.metadata.name);
    }
  }
}
