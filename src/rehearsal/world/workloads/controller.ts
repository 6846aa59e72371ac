import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { buildCondition, getField, getString, isDeepEqual, type KubeObject } from '../../api/objects.ts';
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
import {
  advancePods,
  bindClaims,
  createPod,
  formatOwnerKey,
  hasUnboundClaims,
  isPodReady,
  type Rollout,
} from './pods.ts';
import {
  canSchedule,
  isEvicted,
  matchesSelector,
  NO_PLACEMENT,
  parsePlacement,
  type SchedulableNode,
  toSchedulableNode,
} from './scheduler.ts';
import { getPlacement, getWorkloadSpec, RESOURCE_BY_KIND, type Workload } from './workload.ts';

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
  const resource = RESOURCE_BY_KIND[workload.kind];
  const owner = world.store.get(resource, workload.namespace, workload.name);
  if (!owner) return;
  const revision = getString(owner, 'spec', 'template', 'metadata', 'labels', 'revision');
  const placement = getPlacement(workload);
  const isOnTarget = (pod: KubeObject) => {
    const node = nodes.find(({ name }) => name === getString(pod, 'spec', 'nodeName'));
    return node !== undefined && canSchedule(node, placement);
  };
  // The DaemonSet controller counts only pods on nodes that should run one, and the others as misscheduled.
  const countedPods = workload.kind === 'DaemonSet' ? pods.filter(isOnTarget) : pods;
  const updatedCount = countedPods.filter((pod) => pod.metadata.labels?.revision === revision).length;
  const readyCount = countedPods.filter(isPodReady).length;
  const observedGeneration = owner.metadata.generation ?? 1;
  const replicas = Number(getField(owner, 'spec', 'replicas') ?? 0);
  const status =
    workload.kind === 'DaemonSet'
      ? {
          observedGeneration,
          currentNumberScheduled: countedPods.length,
          desiredNumberScheduled: nodes.filter((node) => canSchedule(node, placement)).length,
          numberMisscheduled: pods.length - countedPods.length,
          numberReady: readyCount,
          numberAvailable: readyCount,
          updatedNumberScheduled: updatedCount,
        }
      : {
          observedGeneration,
          replicas: pods.length,
          updatedReplicas: updatedCount,
          readyReplicas: readyCount,
          availableReplicas: readyCount,
          ...(workload.kind === 'Deployment' ? buildDeploymentStatus(world, owner, readyCount, replicas) : {}),
          ...(workload.kind === 'StatefulSet'
            ? { currentReplicas: updatedCount, currentRevision: revision, updateRevision: revision }
            : {}),
        };
  setStatus(world, resource, owner, status);
}

function buildDeploymentStatus(world: OperatorContext, owner: KubeObject, readyCount: number, replicas: number) {
  const isAvailable = readyCount >= Math.max(1, replicas - Math.floor(replicas / 4));
  const [reason, message] = isAvailable
    ? ['MinimumReplicasAvailable', 'Deployment has minimum availability.']
    : ['MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'];
  const condition = buildCondition(world.clock.now(), owner, 'Available', isAvailable, reason, message);
  const conditions = [{ ...condition, lastUpdateTime: condition.lastTransitionTime }];
  return { unavailableReplicas: Math.max(0, replicas - readyCount), conditions };
}

/** Whether all replicas run the newest revision and are ready; for a DaemonSet, whether enough pods are ready. */
export function isRolledOut(world: OperatorContext, workload: Workload): boolean {
  const owner = world.store.get(RESOURCE_BY_KIND[workload.kind], workload.namespace, workload.name);
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

/** Delay from the API's first answer until the cluster-version-operator has created workloads. */
const FIRST_WORKLOADS_DELAY = 3 * MINUTE;
/** Delay until an operator applies changed settings to its workloads. */
const OPERATOR_DELAY = 8 * SECOND;

const reconcileIfChanged = skipWhileUnchanged(reconcileAllWorkloads, hasPendingWork);

/** Moves the operators' objects and their pods one step closer to the desired state. */
export function reconcileWorkloads(world: OperatorContext): void {
  const { cluster } = world.saved;
  if (cluster === null || world.clock.now() < cluster.apiSince + FIRST_WORKLOADS_DELAY) return;
  deleteOldEvents(world);
  reconcileIfChanged(world);
}

/** Whether time changes something: operators that apply changes, unbound claims, pods that start. */
function hasPendingWork(world: OperatorContext): boolean {
  return (
    planWorkloads(world).some(
      (workload) => world.saved.timers[`changing ${formatWorkloadKey(workload)}`] !== undefined,
    ) ||
    world.store.list('pods').some((pod) => !isPodReady(pod)) ||
    hasUnboundClaims(world)
  );
}

function reconcileAllWorkloads(world: OperatorContext): void {
  const nodes = world.store.list('nodes').map(toSchedulableNode);
  bindClaims(world);
  const workloads = planWorkloads(world);
  const pods = groupPodsByOwner(world);
  for (const workload of workloads)
    reconcileWorkload(world, workload, nodes, pods.get(formatWorkloadKey(workload)) ?? []);
  deleteUnplannedWorkloads(world, new Set(workloads.map(formatWorkloadKey)), pods);
  advancePods(world, nodes, workloads);
  const updatedPods = groupPodsByOwner(world);
  for (const workload of workloads)
    updateWorkloadStatus(world, workload, nodes, updatedPods.get(formatWorkloadKey(workload)) ?? []);
}

/** Formats the key of a workload: `namespace/name`. */
export function formatWorkloadKey({ namespace, name }: Pick<Workload, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function groupPodsByOwner(world: OperatorContext): Map<string, KubeObject[]> {
  return Map.groupBy(world.store.list('pods'), formatOwnerKey);
}

function reconcileWorkload(
  world: OperatorContext,
  workload: Workload,
  nodes: readonly SchedulableNode[],
  pods: KubeObject[],
): void {
  const owner = applyWorkloadSpec(world, workload);
  const remainingPods = pods.filter((pod) => {
    const name = getString(pod, 'spec', 'nodeName');
    const node = nodes.find((candidate) => candidate.name === name);
    const shouldDelete =
      name !== '' && (node === undefined || isEvicted(node, parsePlacement(pod.spec, NO_PLACEMENT).tolerations));
    if (shouldDelete) world.store.delete('pods', workload.namespace, pod.metadata.name);
    return !shouldDelete;
  });
  const revision = getString(owner, 'spec', 'template', 'metadata', 'labels', 'revision');
  const rollout = { world, workload, owner, revision };
  if (workload.kind === 'DaemonSet') reconcileDaemonSet(rollout, nodes, remainingPods);
  else reconcileReplicas(rollout, remainingPods);
}

/** Creates the object of a workload, or updates it after the delay of its operator. */
function applyWorkloadSpec(world: OperatorContext, workload: Workload): KubeObject {
  const { store, clock } = world;
  const resource = RESOURCE_BY_KIND[workload.kind];
  const { namespace, name } = workload;
  const spec = getWorkloadSpec(workload, world.release.contentRepository);
  const existingObject = store.ensure(resource, {
    metadata: {
      ...{ name, namespace, labels: { 'app.kubernetes.io/name': name, ...workload.labels } },
      ...(workload.kind === 'DaemonSet' ? { annotations: buildTemplateGeneration(1) } : {}),
    },
    spec,
    status: {},
  });
  const timer = `changing ${formatWorkloadKey(workload)}`;
  const isChanged = !isDeepEqual(existingObject.spec, spec);
  if (isChanged && clock.now() < getOrStartTimer(world, timer) + OPERATOR_DELAY) return existingObject;
  clearTimer(world, timer);
  if (!isChanged) return existingObject;
  const updatedObject = store.mutate(resource, namespace, name, (object) => {
    object.spec = spec;
    if (workload.kind === 'DaemonSet')
      object.metadata.annotations = buildTemplateGeneration((object.metadata.generation ?? 1) + 1);
  });
  return updatedObject ?? existingObject;
}

/** Builds the annotation that names the generation of a DaemonSet's template, which its pods have as a label. */
const buildTemplateGeneration = (generation: number) => ({
  'deprecated.daemonset.template.generation': String(generation),
});

function reconcileDaemonSet(rollout: Rollout, nodes: readonly SchedulableNode[], pods: readonly KubeObject[]): void {
  const { world, workload, owner, revision } = rollout;
  const key = formatWorkloadKey(workload);
  const targetNodes = nodes.filter((node) => canSchedule(node, getPlacement(workload)));
  // A node that is no longer selected loses its pod. A new NoSchedule taint removes none.
  const selectedNodes = nodes.filter((node) => matchesSelector(node, workload.placement.nodeSelector));
  const deletePod = (pod: KubeObject) => world.store.delete('pods', workload.namespace, pod.metadata.name);
  for (const pod of pods)
    if (!selectedNodes.some(({ name }) => name === getString(pod, 'spec', 'nodeName'))) deletePod(pod);
  for (const node of targetNodes) {
    const nodePods = pods.filter((pod) => getString(pod, 'spec', 'nodeName') === node.name);
    const oldPods = nodePods.filter((pod) => pod.metadata.labels?.revision !== revision);
    oldPods.forEach(deletePod);
    if (nodePods.length === oldPods.length) {
      const suffix = generateNameSuffix(world.seed, 5, key, node.name, revision, owner.metadata.resourceVersion);
      createPod(rollout, `${workload.name}-${suffix}`, node.name);
    }
  }
}

/** Replaces old pods one at a time, each when all new pods are ready, and creates or deletes pods to match replicas. */
function reconcileReplicas(rollout: Rollout, pods: KubeObject[]): void {
  const { world, workload, owner, revision } = rollout;
  const replicas = Number(getField(owner, 'spec', 'replicas') ?? 0);
  const currentPods = pods.filter((pod) => pod.metadata.labels?.revision === revision);
  const oldPods = pods.filter((pod) => !currentPods.includes(pod));
  const deletePod = (pod: KubeObject) => world.store.delete('pods', workload.namespace, pod.metadata.name);
  for (const pod of oldPods) if (!isPodReady(pod)) deletePod(pod);
  const remainingPods = oldPods.filter(isPodReady);
  const replacedPod = currentPods.every(isPodReady) ? remainingPods.pop() : undefined;
  if (replacedPod !== undefined) deletePod(replacedPod);
  const podsByReadiness = currentPods.toSorted((a, b) => Number(isPodReady(a)) - Number(isPodReady(b)));
  const deletionOrder = workload.kind === 'StatefulSet' ? currentPods.toReversed() : podsByReadiness;
  for (const pod of deletionOrder.slice(0, Math.max(0, currentPods.length - replicas))) deletePod(pod);
  const podNames = new Set([...currentPods, ...remainingPods].map(({ metadata }) => metadata.name));
  for (let number = podNames.size; number < replicas; number += 1) {
    const name = createPodName(rollout, podNames);
    podNames.add(name);
    createPod(rollout, name, null);
  }
}

function createPodName({ world, workload, owner, revision }: Rollout, podNames: ReadonlySet<string>): string {
  if (workload.kind === 'StatefulSet') {
    for (let ordinal = 0; ; ordinal += 1) {
      const name = `${workload.name}-${ordinal}`;
      if (!podNames.has(name)) return name;
    }
  }
  const key = formatWorkloadKey(workload);
  for (let attempt = 0; ; attempt += 1) {
    const suffix = generateNameSuffix(world.seed, 5, key, revision, owner.metadata.generation ?? 0, attempt);
    const name = `${workload.name}-${revision}-${suffix}`;
    if (!podNames.has(name) && !world.store.get('pods', workload.namespace, name)) return name;
  }
}

function deleteUnplannedWorkloads(
  world: OperatorContext,
  plannedKeys: ReadonlySet<string>,
  pods: ReadonlyMap<string, KubeObject[]>,
): void {
  for (const resource of Object.values(RESOURCE_BY_KIND)) {
    for (const { metadata } of world.store.list(resource)) {
      const key = `${metadata.namespace}/${metadata.name}`;
      if (plannedKeys.has(key)) continue;
      world.store.delete(resource, metadata.namespace, metadata.name);
      for (const pod of pods.get(key) ?? []) world.store.delete('pods', metadata.namespace, pod.metadata.name);
    }
  }
}
