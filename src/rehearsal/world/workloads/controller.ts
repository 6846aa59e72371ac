import { MINUTE, SECOND } from '../../../ports/clock.ts';
import { isSame } from '../../api/json.ts';
import { at, type KubeObject, textAt } from '../../api/objects.ts';
import { nameSuffix } from '../../site/random.ts';
import { forgetEvents } from '../events.ts';
import { untilSettled } from '../settled.ts';
import { firstSeen, forget, type Operated } from '../world.ts';
import { bindClaims, hasUnbound } from './claims.ts';
import { plannedWorkloads } from './plan.ts';
import { advancePods, isPodReady, newPod } from './pods.ts';
import { fits, isEvicted, matchesSelector, type SchedulableNode, schedulableNode } from './scheduler.ts';
import { RESOURCES, specOf } from './spec.ts';
import { reportWorkload } from './status.ts';
import type { Workload } from './workload.ts';

/** From the API's first answer to the first workloads: the version operator needs that long to get to them. */
const FIRST_WORKLOADS = 3 * MINUTE;
/** Operators look at their specifications again after this long. */
const OPERATOR_DELAY = 8 * SECOND;

const bringCloser = untilSettled(reconcileAll, isWaiting);

/** Brings the objects of the operators and their pods one step closer to the wanted state at each look. */
export function reconcileWorkloads(world: Operated): void {
  const { cluster } = world.saved;
  if (cluster === null || world.clock.now() < cluster.apiSince + FIRST_WORKLOADS) return;
  forgetEvents(world);
  bringCloser(world);
}

/** Whether there is something that goes on by itself as time passes: operators and claims that take theirs, pods that start. */
function isWaiting(world: Operated): boolean {
  return (
    plannedWorkloads(world).some((workload) => world.saved.timers[`changing ${keyOf(workload)}`] !== undefined) ||
    world.store.list('pods').some((pod) => !isPodReady(pod)) ||
    hasUnbound(world)
  );
}

function reconcileAll(world: Operated): void {
  const nodes = world.store.list('nodes').map(schedulableNode);
  bindClaims(world);
  const planned = plannedWorkloads(world);
  const pods = podsByOwner(world);
  for (const workload of planned) reconcile(world, workload, nodes, pods.get(keyOf(workload)) ?? []);
  removeUnplanned(world, new Set(planned.map(keyOf)), pods);
  advancePods(world, nodes, planned);
  const after = podsByOwner(world);
  for (const workload of planned) reportWorkload(world, workload, nodes, after.get(keyOf(workload)) ?? []);
}

export function keyOf({ namespace, name }: Pick<Workload, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function podsByOwner(world: Operated): Map<string, KubeObject[]> {
  const found = new Map<string, KubeObject[]>();
  for (const pod of world.store.list('pods')) {
    const key = `${pod.metadata.namespace}/${pod.metadata.labels?.['app.kubernetes.io/name']}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, [pod]);
    else known.push(pod);
  }
  return found;
}

function reconcile(world: Operated, workload: Workload, nodes: readonly SchedulableNode[], pods: KubeObject[]): void {
  const owner = applySpec(world, workload);
  if (owner === null) return;
  const revision = textAt(owner, 'spec', 'template', 'metadata', 'labels', 'revision');
  const stay = pods.filter((pod) => {
    const name = textAt(pod, 'spec', 'nodeName');
    const node = nodes.find((each) => each.name === name);
    const mustGo = name !== '' && (node === undefined || isEvicted(node, placementOf(pod)));
    if (mustGo) world.store.delete('pods', workload.namespace, pod.metadata.name);
    return !mustGo;
  });
  if (workload.kind === 'DaemonSet') reconcileDaemonSet(world, workload, owner, revision, nodes, stay);
  else reconcileReplicas(world, workload, owner, revision, stay);
}

function placementOf(pod: KubeObject) {
  const tolerations = at(pod, 'spec', 'tolerations');
  return Array.isArray(tolerations) ? tolerations : [];
}

/** Creates or changes the object of a workload, after the delay of its operator; null where there is none yet. */
function applySpec(world: Operated, workload: Workload): KubeObject | null {
  const { store, clock } = world;
  const resource = RESOURCES[workload.kind];
  const known = store.get(resource, workload.namespace, workload.name);
  const spec = specOf(workload);
  if (known && isSame(known.spec, spec)) {
    forget(world, `changing ${keyOf(workload)}`);
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
  if (clock.now() < firstSeen(world, `changing ${keyOf(workload)}`) + OPERATOR_DELAY) return known;
  forget(world, `changing ${keyOf(workload)}`);
  const changed = store.mutate(resource, workload.namespace, workload.name, (object) => {
    object.spec = spec;
  });
  return changed ?? known;
}

function reconcileDaemonSet(
  world: Operated,
  workload: Workload,
  owner: KubeObject,
  revision: string,
  nodes: readonly SchedulableNode[],
  pods: readonly KubeObject[],
): void {
  // The daemon set controller lets its pods run on nodes that are not ready yet, or cordoned.
  const own = ['not-ready', 'unschedulable'].map((key) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists' }));
  const tolerations = [...workload.placement.tolerations, ...own];
  const wanted = nodes.filter((node) => fits(node, { ...workload.placement, tolerations }));
  // A node that is not selected any more loses its pod; a new taint NoSchedule takes none away.
  const selected = nodes.filter((node) => matchesSelector(node, workload.placement.nodeSelector));
  for (const pod of pods) {
    if (!selected.some(({ name }) => name === textAt(pod, 'spec', 'nodeName')))
      world.store.delete('pods', workload.namespace, pod.metadata.name);
  }
  for (const node of wanted) {
    const there = pods.filter((pod) => textAt(pod, 'spec', 'nodeName') === node.name);
    const old = there.filter((pod) => pod.metadata.labels?.revision !== revision);
    for (const pod of old) world.store.delete('pods', workload.namespace, pod.metadata.name);
    if (there.length === old.length) {
      const suffix = nameSuffix(world.seed, 5, keyOf(workload), node.name, revision, owner.metadata.resourceVersion);
      newPod(world, workload, owner, `${workload.name}-${suffix}`, revision, node.name);
    }
  }
}

/** One pod at a time: the next is replaced when the last new one is ready. */
function reconcileReplicas(
  world: Operated,
  workload: Workload,
  owner: KubeObject,
  revision: string,
  pods: KubeObject[],
): void {
  const { store } = world;
  const replicas = Number(at(owner, 'spec', 'replicas') ?? 0);
  const current = pods.filter((pod) => pod.metadata.labels?.revision === revision);
  const old = pods.filter((pod) => !current.includes(pod));
  const remove = (pod: KubeObject | undefined) => {
    if (pod) store.delete('pods', workload.namespace, pod.metadata.name);
    return pod ? 1 : 0;
  };
  const dead = old.filter((pod) => !isPodReady(pod));
  for (const pod of dead) remove(pod);
  const working = old.filter((pod) => !dead.includes(pod));
  let removed = 0;
  if (working.length > 0 && current.every(isPodReady)) removed += remove(working.at(-1));
  const surplus = current.length - replicas;
  const leaving = [...current]
    .sort((a, b) => Number(isPodReady(a)) - Number(isPodReady(b)))
    .slice(0, Math.max(0, surplus));
  if (surplus > 0) for (const pod of workload.kind === 'StatefulSet' ? current.slice(-surplus) : leaving) remove(pod);
  const present = new Set(
    [...current, ...working.slice(0, working.length - removed)].map(({ metadata }) => metadata.name),
  );
  for (let number = present.size; number < replicas; number += 1) {
    const name = nextName(world, workload, owner, revision, present);
    present.add(name);
    newPod(world, workload, owner, name, revision, null);
  }
}

function nextName(
  world: Operated,
  workload: Workload,
  owner: KubeObject,
  revision: string,
  present: ReadonlySet<string>,
): string {
  if (workload.kind === 'StatefulSet') {
    for (let ordinal = 0; ; ordinal += 1) {
      const name = `${workload.name}-${ordinal}`;
      if (!present.has(name)) return name;
    }
  }
  for (let attempt = 0; ; attempt += 1) {
    const suffix = nameSuffix(world.seed, 5, keyOf(workload), revision, owner.metadata.generation ?? 0, attempt);
    const name = `${workload.name}-${revision}-${suffix}`;
    if (!present.has(name) && !world.store.get('pods', workload.namespace, name)) return name;
  }
}

function removeUnplanned(world: Operated, planned: ReadonlySet<string>, pods: ReadonlyMap<string, KubeObject[]>): void {
  for (const resource of Object.values(RESOURCES)) {
    for (const { metadata } of world.store.list(resource)) {
      const key = `${metadata.namespace}/${metadata.name}`;
      if (planned.has(key)) continue;
      world.store.delete(resource, metadata.namespace ?? null, metadata.name);
      for (const pod of pods.get(key) ?? []) world.store.delete('pods', metadata.namespace ?? null, pod.metadata.name);
    }
  }
}
