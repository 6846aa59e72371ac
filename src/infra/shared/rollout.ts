import { DAEMON_TOLERATIONS, INFRA_LABEL, listInfraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { parseNode, type Taint } from '../../openshift/node.ts';
import {
  getField,
  getList,
  getNumber,
  getString,
  isConditionTrue,
  type KubeObject,
  listConditions,
} from '../../openshift/object.ts';
import { isWorkloadRolledOut } from '../../openshift/operator.ts';
import { type PodView, parsePod } from '../../openshift/pod.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import { isJsonObject } from '../edit.ts';
import type { RolloutStatus, Workload } from '../infra-move.ts';
import { classifyPendingPod } from '../pending-pod.ts';
import { listPlannedTaints, tolerates } from './tolerations.ts';

const words = () => catalogue().moves.reasons;

/**
 * Finds why the workloads are not rolled out. Returns null when the operator is not Degraded, each workload is placed
 * on the infra nodes, and all its pods run there. A workload is rolled out when its generation is observed and all its
 * replicas are updated and available.
 */
export async function findIncompleteRollout(
  cluster: ClusterReader,
  workloads: readonly Workload[],
  design: Design,
  operator: string,
): Promise<RolloutStatus | null> {
  const infraNames = listInfraNodeNames(design);
  const object = await cluster.get('ClusterOperator', operator);
  const conditions = object ? listConditions(object) : [];
  if (isConditionTrue(conditions, 'Degraded')) {
    const message = conditions.find(({ type }) => type === 'Degraded')?.message ?? '';
    return { state: 'failed', why: words().rollout.degraded(operator, message) };
  }
  const unappliedNames = await listUnappliedWorkloads(cluster, workloads, await listPlannedTaints(cluster, design));
  if (unappliedNames.length > 0) return { state: 'moving', why: words().rollout.notApplied(unappliedNames) };
  const pods = await listPods(cluster, workloads);
  for (const workload of workloads) {
    const reason = await explainIncomplete(cluster, workload, pods, infraNames);
    if (reason !== null) return { state: 'moving', ...reason };
  }
  return null;
}

/**
 * Lists workloads whose pods do not select the infra nodes yet, or do not tolerate their taints: the operator has not
 * applied the setting.
 */
async function listUnappliedWorkloads(
  cluster: ClusterReader,
  workloads: readonly Workload[],
  taints: readonly Taint[],
): Promise<string[]> {
  const objects = await Promise.all(workloads.map(({ kind, name, namespace }) => cluster.get(kind, name, namespace)));
  return workloads.flatMap(({ name, isOptional }, index) => {
    const object = objects[index] ?? null;
    if (object === null) return isOptional ? [] : name;
    // Every real workload has a template; without one there is nothing to compare.
    if (getField(object.spec, 'template', 'spec') === undefined) return [];
    const isApplied =
      getField(object.spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) === '' &&
      taints.every((taint) => tolerates(getTemplateTolerations(object), taint));
    return isApplied ? [] : name;
  });
}

/** Lists all pods of the workloads' namespaces; lists each namespace once. */
async function listPods(cluster: ClusterReader, workloads: readonly Workload[]): Promise<KubeObject[]> {
  const namespaces = [...new Set(workloads.map(({ namespace }) => namespace))];
  return (await Promise.all(namespaces.map((namespace) => cluster.list('Pod', { namespace })))).flat();
}

async function explainIncomplete(
  cluster: ClusterReader,
  workload: Workload,
  allPods: readonly KubeObject[],
  infraNames: readonly string[],
): Promise<Pick<RolloutStatus, 'why' | 'pending'> | null> {
  const { kind, name, namespace } = workload;
  const object = await cluster.get(kind, name, namespace);
  if (!object) return workload.isOptional ? null : { why: words().rollout.missing(name) };
  const pods = listActivePods(allPods, workload);
  const pendingPod = findPendingPod(pods);
  if (pendingPod) return describePendingPod(pendingPod);
  const why = describeReplicas(object, workload.replicas);
  if (why !== null) return { why };
  const misplacedPods = pods.filter(({ node }) => node === null || !infraNames.includes(node));
  if (misplacedPods.length > 0) {
    const locations = misplacedPods.map(({ node, name: pod }) => node ?? pod);
    return { why: words().rollout.onOtherNodes(name, locations) };
  }
  return pods.length > 0 ? null : { why: words().rollout.missing(name) };
}

/**
 * Describes what the rollout of a workload waits for, wherever its pods run: a pod that no node accepts, or replicas;
 * null: it is finished.
 */
export async function describeWorkloadRollout(
  cluster: ClusterReader,
  workload: Workload,
  object: KubeObject,
): Promise<string | null> {
  const pods = listActivePods(await cluster.list('Pod', { namespace: workload.namespace }), workload);
  const pendingPod = findPendingPod(pods);
  return pendingPod ? words().rollout.pending(pendingPod.name, pendingPod.message) : describeReplicas(object);
}

/** Finds a pod that no node accepts. A pending pod without a message is only starting. */
const findPendingPod = (pods: readonly PodView[]) =>
  pods.find(({ phase, message }) => phase === 'Pending' && message !== '');

/** Describes how many replicas are available; null: all of them are, and all are updated. */
function describeReplicas(object: KubeObject, wantedReplicas?: number): string | null {
  const replicas = getNumber(object.spec, 'replicas') ?? 1;
  const desiredReplicas = wantedReplicas ?? replicas;
  if (replicas === desiredReplicas && isWorkloadRolledOut(object)) return null;
  const readyReplicas = getNumber(object.status, 'availableReplicas') ?? getNumber(object.status, 'readyReplicas') ?? 0;
  return words().rollout.rolling(object.metadata.name, readyReplicas, desiredReplicas);
}

/** Describes a pod that no node accepts: the scheduler's message with a hint, and its cause. */
export function describePendingPod(pod: PodView): Required<Pick<RolloutStatus, 'why' | 'pending'>> {
  const pending = classifyPendingPod(pod);
  return { why: words().rollout.pending(pod.name, `${pod.message} ${words().hints[pending.cause]}`.trim()), pending };
}

/** Lists the nodes on which pods of a workload run. */
export async function listWorkloadNodes(cluster: ClusterReader, workload: Workload): Promise<string[]> {
  const pods = listActivePods(await cluster.list('Pod', { namespace: workload.namespace }), workload);
  return [...new Set(pods.flatMap(({ node }) => node ?? []))].sort();
}

/** Lists the pods of a workload that have not ended: evicted pods stay in the list of the API for a while. */
function listActivePods(allPods: readonly KubeObject[], workload: Workload): PodView[] {
  return allPods
    .filter((pod) => isWorkloadPod(pod, workload))
    .map(parsePod)
    .filter(({ phase }) => phase !== 'Failed' && phase !== 'Succeeded');
}

/**
 * Whether the pod belongs to the workload and is not terminating: `router-default-7d4b9c-x2x9p`, `prometheus-k8s-0`.
 */
export function isWorkloadPod(pod: KubeObject, { kind, name, namespace }: Workload): boolean {
  const { name: podName, namespace: podNamespace, deletionTimestamp } = pod.metadata;
  if (deletionTimestamp || podNamespace !== namespace || !podName.startsWith(`${name}-`)) return false;
  const suffix = podName.slice(name.length + 1);
  return kind === 'StatefulSet' ? /^\d+$/.test(suffix) : /^[a-z0-9]+-[a-z0-9]+$/.test(suffix);
}

/**
 * Describes the rollout of a DaemonSet, and names the nodes that it waits for; null: it is finished. As for `kubectl
 * rollout status` (kubectl, pkg/polymorphichelpers/rollout_status.go), pods on nodes that repel it do not count.
 */
export async function describeDaemonSetRollout(cluster: ClusterReader, set: KubeObject): Promise<string | null> {
  const { metadata, status } = set;
  const desiredCount = getNumber(status, 'desiredNumberScheduled') ?? 0;
  const updatedCount = getNumber(status, 'updatedNumberScheduled') ?? 0;
  const availableCount = getNumber(status, 'numberAvailable') ?? 0;
  // The status of an earlier generation counts pods of the earlier template.
  const isCurrent = (getNumber(status, 'observedGeneration') ?? 0) >= (metadata.generation ?? 0);
  if (isCurrent && updatedCount >= desiredCount && availableCount >= desiredCount) return null;
  const readyCount = isCurrent ? Math.min(updatedCount, availableCount) : 0;
  const places = isCurrent ? await listUnfinishedPlaces(cluster, set) : [];
  return [
    words().rollout.rolling(metadata.name, readyCount, desiredCount),
    ...(places.length === 0 ? [] : [words().rollout.unfinished(places)]),
  ].join(' ');
}

/** Describes the pods of a DaemonSet on nodes that repel it: they keep running until they are deleted. */
export async function describeLeftoverPods(cluster: ClusterReader, set: KubeObject): Promise<string[]> {
  if ((getNumber(set.status, 'numberMisscheduled') ?? 0) === 0) return [];
  return (await listDaemonNodes(cluster, set)).flatMap(({ name, pod, isTarget }) =>
    pod === undefined || isTarget ? [] : [words().rollout.leftover(pod.metadata.name, name)],
  );
}

/** Lists the nodes on which an updated, ready pod of a DaemonSet is missing, each with the reason. */
async function listUnfinishedPlaces(cluster: ClusterReader, set: KubeObject): Promise<string[]> {
  const { noPod, notReplaced, notReady } = words().rollout;
  const generation = set.metadata.annotations?.['deprecated.daemonset.template.generation'];
  return (await listDaemonNodes(cluster, set)).flatMap(({ name, pod, isTarget }) => {
    if (!isTarget) return [];
    if (pod === undefined) return [noPod(name)];
    const podGeneration = pod.metadata.labels?.['pod-template-generation'];
    if (podGeneration !== undefined && podGeneration !== generation) return [notReplaced(name, pod.metadata.name)];
    return isConditionTrue(listConditions(pod), 'Ready') ? [] : [notReady(name, pod.metadata.name)];
  });
}

/** Lists the nodes by their short names, with their pod of a DaemonSet, and whether it should run there. */
async function listDaemonNodes(cluster: ClusterReader, set: KubeObject) {
  const [nodes, allPods] = await Promise.all([
    cluster.list('Node'),
    cluster.list('Pod', { namespace: set.metadata.namespace ?? '' }),
  ]);
  const isOwnPod = ({ metadata }: KubeObject) =>
    !metadata.deletionTimestamp &&
    getList(metadata, 'ownerReferences').some(
      (owner) => getString(owner, 'kind') === 'DaemonSet' && getString(owner, 'name') === set.metadata.name,
    );
  const pods = allPods.filter(isOwnPod);
  const tolerations = [...getTemplateTolerations(set), ...DAEMON_TOLERATIONS];
  return nodes.map((node) => {
    const { name, taints } = parseNode(node);
    const repellingTaints = taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
    return {
      name: name.split('.')[0] ?? name,
      pod: pods.find((pod) => getField(pod.spec, 'nodeName') === name),
      isTarget: selectsNode(set, node) && repellingTaints.every((taint) => tolerates(tolerations, taint)),
    };
  });
}

/** Whether the template of a DaemonSet selects a node. */
export function selectsNode({ spec }: KubeObject, { metadata }: KubeObject): boolean {
  const selector = getField(spec, 'template', 'spec', 'nodeSelector');
  return Object.entries(isJsonObject(selector) ? selector : {}).every(
    ([key, value]) => metadata.labels?.[key] === value,
  );
}

/** Returns the tolerations in the pods of a workload. */
export function getTemplateTolerations(object: KubeObject): readonly unknown[] {
  return getList(object.spec, 'template', 'spec', 'tolerations');
}
