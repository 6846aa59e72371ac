import { INFRA_LABEL, infraNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import type { Taint } from '../../objects/node.ts';
import { at, conditionsOf, isTrue, type KubeObject, listAt, numberAt } from '../../objects/object.ts';
import { type PodView, podView } from '../../objects/pod.ts';
import { isRolledOut } from '../../objects/rollout.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Workload } from '../carried.ts';
import type { Settled, Sight } from '../move.ts';
import { pendingPod } from '../pending.ts';
import { doTolerate, taintsToBe } from './tolerations.ts';

const words = () => catalogue().moves.why;

/**
 * Why the workloads have not settled; null when its operator placed each on the infra nodes, each is rolled out (generation
 * observed, all replicas updated and available) with all its pods there, and the operator is not degraded.
 */
export async function unsettled(
  sight: Sight,
  workloads: readonly Workload[],
  design: Design,
  operator: string,
): Promise<Settled | null> {
  const nodes = infraNames(design);
  const object = await sight.get('ClusterOperator', operator);
  const conditions = object ? conditionsOf(object) : [];
  if (isTrue(conditions, 'Degraded')) {
    const message = conditions.find(({ type }) => type === 'Degraded')?.message ?? '';
    return { state: 'failed', why: words().rollout.degraded(operator, message) };
  }
  const waiting = await notTakenOver(sight, workloads, await taintsToBe(sight, design));
  if (waiting.length > 0) return { state: 'moving', why: words().rollout.notTaken(waiting) };
  const pods = await podsIn(sight, workloads);
  for (const workload of workloads) {
    const waiting = await whyNotThere(sight, workload, pods, nodes);
    if (waiting !== null) return { state: 'moving', ...waiting };
  }
  return null;
}

/** Workloads whose pods do not select the infra nodes yet, or not tolerate their taints: the operator has not applied the setting. */
async function notTakenOver(sight: Sight, workloads: readonly Workload[], taints: readonly Taint[]): Promise<string[]> {
  const found = await Promise.all(workloads.map(({ kind, name, namespace }) => sight.get(kind, name, namespace)));
  return workloads.flatMap(({ name, isOptional }, index) => {
    const object = found[index] ?? null;
    if (object === null) return isOptional ? [] : name;
    // Every real workload has a template; without one there is nothing to compare.
    if (at(object.spec, 'template', 'spec') === undefined) return [];
    const isTaken =
      at(object.spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) === '' &&
      taints.every((taint) => doTolerate(templateTolerations(object), taint));
    return isTaken ? [] : name;
  });
}

/** All pods of the workloads' namespaces; lists each namespace once. */
async function podsIn(sight: Sight, workloads: readonly Workload[]): Promise<KubeObject[]> {
  const namespaces = [...new Set(workloads.map(({ namespace }) => namespace))];
  return (await Promise.all(namespaces.map((namespace) => sight.list('Pod', { namespace })))).flat();
}

async function whyNotThere(
  sight: Sight,
  workload: Workload,
  all: readonly KubeObject[],
  nodes: readonly string[],
): Promise<Pick<Settled, 'why' | 'pending'> | null> {
  const { kind, name, namespace } = workload;
  const object = await sight.get(kind, name, namespace);
  if (!object) return workload.isOptional ? null : { why: words().rollout.missing(name) };
  const pods = livePods(all, workload);
  // Without a message, a pod only starts.
  const pending = pods.find(({ phase, message }) => phase === 'Pending' && message !== '');
  if (pending) return kept(pending);
  const replicas = numberAt(object.spec, 'replicas') ?? 1;
  const wanted = workload.replicas ?? replicas;
  if (replicas !== wanted || !isRolledOut(object)) {
    const ready = numberAt(object.status, 'availableReplicas') ?? numberAt(object.status, 'readyReplicas') ?? 0;
    return { why: words().rollout.rolling(name, ready, wanted) };
  }
  const elsewhere = pods.filter(({ node }) => node === null || !nodes.includes(node));
  if (elsewhere.length > 0) {
    const places = elsewhere.map(({ node, name: pod }) => node ?? pod);
    return { why: words().rollout.elsewhere(name, places) };
  }
  return pods.length > 0 ? null : { why: words().rollout.missing(name) };
}

/** A pod that no node takes: the scheduler's message, and what it comes to. */
export function kept(pod: PodView): Required<Pick<Settled, 'why' | 'pending'>> {
  const pending = pendingPod(pod);
  return { why: words().rollout.pending(pod.name, `${pod.message} ${words().hints[pending.cause]}`.trim()), pending };
}

/** The nodes on which pods of a workload run. */
export async function nodesOf(sight: Sight, workload: Workload): Promise<string[]> {
  const pods = livePods(await sight.list('Pod', { namespace: workload.namespace }), workload);
  return [...new Set(pods.flatMap(({ node }) => node ?? []))].sort();
}

/** Evicted pods stay in the list for a while, but no longer run. */
function livePods(all: readonly KubeObject[], workload: Workload): PodView[] {
  return all
    .filter((pod) => isPodOf(pod, workload))
    .map(podView)
    .filter(({ phase }) => phase !== 'Failed' && phase !== 'Succeeded');
}

/** A pod of the workload that is not terminating: `router-default-7d4b9c-x2x9p`, `prometheus-k8s-0`. */
export function isPodOf(pod: KubeObject, { kind, name, namespace }: Workload): boolean {
  const { name: podName, namespace: podNamespace, deletionTimestamp } = pod.metadata;
  if (deletionTimestamp || podNamespace !== namespace || !podName.startsWith(`${name}-`)) return false;
  const rest = podName.slice(name.length + 1);
  return kind === 'StatefulSet' ? /^\d+$/.test(rest) : /^[a-z0-9]+-[a-z0-9]+$/.test(rest);
}

/** A DaemonSet whose pods are all updated and available. */
export function isDaemonSetRolledOut(object: KubeObject): boolean {
  const wanted = numberAt(object.status, 'desiredNumberScheduled') ?? 0;
  return (
    (numberAt(object.status, 'observedGeneration') ?? 0) >= (object.metadata.generation ?? 0) &&
    (numberAt(object.status, 'updatedNumberScheduled') ?? 0) === wanted &&
    (numberAt(object.status, 'numberAvailable') ?? 0) === wanted
  );
}

/** The tolerations in the pods of a workload. */
export function templateTolerations(object: KubeObject): readonly unknown[] {
  return listAt(object.spec, 'template', 'spec', 'tolerations');
}
