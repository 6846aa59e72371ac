import { isClusterError } from '../../cluster/errors.ts';
import { INFRA_LABEL, infraNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import type { InfraNode, MovingEvidence, PoolState } from '../../diagnosis/moving/evidence.ts';
import { judgeMoving, judgeNodes } from '../../diagnosis/moving/index.ts';
import { type Carried, operatorOf, type Workload } from '../../moves/carried.ts';
import { withMachineNodes } from '../../moves/machine-sets/nodes.ts';
import type { Sight } from '../../moves/move.ts';
import { heldDrain } from '../../moves/nodes/budgets.ts';
import { isPodOf, templateTolerations } from '../../moves/shared/rollout.ts';
import { doTolerate, tolerateOn } from '../../moves/shared/tolerations.ts';
import { storageNodes } from '../../moves/storage/storage-nodes.ts';
import { carriedBy, type MoveName } from '../../moves/table.ts';
import { nodeView, type Taint } from '../../objects/node.ts';
import { at, conditionsOf, isTrue, type KubeObject, numberAt, textAt } from '../../objects/object.ts';
import { allocatableOf, less, type Room, requestOf, together } from '../../objects/room.ts';
import { isSelectedBy } from '../../objects/selector.ts';
import { unwellOf } from '../../objects/unwell.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { SeenMove } from '../recollection.ts';

/** What one preflight after the other has seen. */
export interface Preflight {
  /** The move with its findings; blocked where one of them is an obstacle. Only a move that would write is looked at. */
  look(seen: SeenMove): Promise<SeenMove>;
}

/**
 * @param sight the cluster as it is
 * @param names the moves that are to be made: the label, which comes first, waits for nodes that take what they move
 */
export function preflightOn(sight: Sight, design: Design, names: readonly MoveName[]): Preflight {
  const before: Room[] = [];
  /** The cloud still makes infra nodes: nothing can be said of them before they are Ready, and the moves wait for that. */
  let areComing = false;
  const infraOf = async (moved: readonly Workload[]) => (areComing ? null : await infraNodesOf(sight, design, moved));
  return {
    async look(seen) {
      if (seen.name === 'machine-sets') areComing = seen.state === 'needed' || seen.state === 'moving';
      if (seen.state !== 'needed') return seen;
      if (seen.name === 'label') {
        const moved = await known(() =>
          workloadsOf(
            sight,
            design,
            names.flatMap((name) => carriedBy(name) ?? []),
          ),
        );
        if (moved === null || moved.length === 0) return seen;
        const infra = await known(() => infraOf(moved));
        return judged(seen, judgeNodes({ infra, strays: await known(() => straysOf(sight, design, moved)) }));
      }
      const carried = carriedBy(seen.name);
      if (carried === null) return seen;
      const own = await known(() => requestsOf(sight, design, carried));
      const evidence = await gather(sight, design, seen.name, { carried, infraOf });
      before.push(...(own ?? []));
      return judged(seen, judgeMoving({ ...evidence, moving: own === null ? null : [...before] }));
    },
  };
}

/** The move with what was found; blocked by the first obstacle. */
function judged(seen: SeenMove, preflight: readonly Finding[]): SeenMove {
  const obstacle = preflight.find(isObstacle);
  if (obstacle === undefined) return { ...seen, preflight };
  const { title, cause, whatToDo } = obstacle;
  const why = catalogue().diagnosis.moving.blocked(title, cause, whatToDo);
  return { ...seen, preflight, state: 'blocked', why };
}

async function workloadsOf(sight: Sight, design: Design, carried: readonly Carried[]): Promise<readonly Workload[]> {
  return (await Promise.all(carried.map(({ workloads }) => workloads?.(sight, design) ?? []))).flat();
}

/** Comes with a cordon, which is told by itself. */
const CORDON = 'node.kubernetes.io/unschedulable';
const isObstacle = ({ state, severity }: Finding) => state === 'failed' && severity === 'fatal';

/** Null for what the API does not show us. @throws ClusterError where it does not answer */
async function known<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isClusterError(error, 'forbidden', 'absent')) return null;
    throw error;
  }
}

async function gather(
  sight: Sight,
  design: Design,
  name: MoveName,
  {
    carried,
    infraOf,
  }: { readonly carried: Carried; readonly infraOf: (moved: readonly Workload[]) => Promise<InfraNode[] | null> },
): Promise<Omit<MovingEvidence, 'moving'>> {
  const moved = () => workloadsOf(sight, design, [carried]);
  const version = await known(() => sight.get('ClusterVersion', 'version'));
  return {
    operator: await known(() => operatorOf(sight, carried)),
    isOfHub: typeof carried.operator === 'function',
    isCure: carried.isCure === true,
    update: version === null ? null : updateOf(version),
    pools: await known(() => poolsOf(sight, name)),
    infra: carried.workloads ? await known(async () => infraOf(await moved())) : null,
    strays: carried.workloads ? await known(async () => straysOf(sight, design, await moved())) : [],
    storageClass: await storageOf(sight, carried.storageClass?.(design) ?? null),
    tightBudgets: carried.workloads ? await known(() => budgetsOf(sight, design, carried)) : [],
  };
}

/** Says nothing of an installation that has not come to its end: that is no update. */
function updateOf(version: KubeObject): NonNullable<MovingEvidence['update']> {
  const conditions = conditionsOf(version);
  const progressing = conditions.find(({ type, status }) => type === 'Progressing' && status === 'True');
  if (!progressing || !isTrue(conditions, 'Available')) return 'at-rest';
  return { said: progressing.message || progressing.reason };
}

async function poolsOf(sight: Sight, move: MoveName): Promise<PoolState[]> {
  const pools = (await sight.list('MachineConfigPool')).filter(
    ({ metadata }) => metadata.name === 'worker' || (metadata.name === 'infra' && move !== 'pool'),
  );
  return await Promise.all(
    pools.map(async (pool) => {
      const isUpdating = isTrue(conditionsOf(pool), 'Updating');
      return {
        name: pool.metadata.name,
        isPaused: at(pool.spec, 'paused') === true,
        isUpdating,
        degraded: unwellOf(pool)?.message ?? null,
        held: isUpdating ? await drainOf(sight, pool) : '',
      };
    }),
  );
}

/** The drain of a node of the pool that a budget holds up, in a sentence. */
async function drainOf(sight: Sight, { spec }: KubeObject): Promise<string> {
  const selects = ({ metadata }: KubeObject) => isSelectedBy(at(spec, 'nodeSelector'), metadata.labels ?? {});
  const held = await heldDrain(sight, (await sight.list('Node')).filter(selects));
  return held === null ? '' : catalogue().moves.each.pool.held(held.node, `${held.namespace}/${held.name}`, held.pods);
}

/** Null while the cloud still makes some of them. @param moved what is going to run there */
async function infraNodesOf(sight: Sight, design: Design, moved: readonly Workload[]): Promise<InfraNode[] | null> {
  const names = infraNames(await withMachineNodes(design, sight));
  if (names.length < (design.infra.machineSets?.count ?? 0)) return null;
  const nodes = (await sight.list('Node')).filter(({ metadata }) => names.includes(metadata.name));
  const tolerated = await toleratedOn(nodes, sight, design, moved);
  return await Promise.all(
    nodes.map(async (node) => {
      const { name } = node.metadata;
      const all = allocatableOf(node);
      const pods = all === null ? [] : await sight.list('Pod', { fieldSelector: `spec.nodeName=${name}` });
      const free = all === null ? null : less(all, together(pods.filter(isLive).map(requestOf)));
      const { isReady } = nodeView(node);
      const isCordoned = at(node.spec, 'unschedulable') === true;
      return {
        name,
        isReady,
        isCordoned,
        repelling: repellingOf(node, (taint) => tolerated.every(covers(taint))),
        free,
      };
    }),
  );
}

/** The taints of a node that keep off what is not covered against them. */
function repellingOf(node: KubeObject, isTolerated: (taint: Taint) => boolean): Taint[] {
  return nodeView(node).taints.filter(
    (taint) => taint.effect !== 'PreferNoSchedule' && taint.key !== CORDON && !isTolerated(taint),
  );
}

/** The nodes that have the label and were not planned, where something of what moves could run. */
async function straysOf(sight: Sight, design: Design, moved: readonly Workload[]): Promise<string[]> {
  const planned = infraNames(await withMachineNodes(design, sight));
  const { tainted } = await storageNodes(sight, design);
  const labelled = (await sight.list('Node')).filter(
    ({ metadata: { name, labels = {} } }) =>
      labels[INFRA_LABEL] === '' && !planned.includes(name) && !tainted.includes(name),
  );
  const tolerated = await toleratedOn(labelled, sight, design, moved);
  const takes = (node: KubeObject) => repellingOf(node, (taint) => tolerated.some(covers(taint))).length === 0;
  return labelled.filter(takes).map(({ metadata }) => metadata.name);
}

const covers = (taint: Taint) => (tolerations: readonly unknown[]) => doTolerate(tolerations, taint);

/**
 * What each workload is going to tolerate: what it does now, by its owner, and what a move gives it. One that is not there says
 * nothing. Nobody is asked where no node repels anything.
 */
async function toleratedOn(
  nodes: readonly KubeObject[],
  sight: Sight,
  design: Design,
  moved: readonly Workload[],
): Promise<(readonly unknown[])[]> {
  if (!nodes.some((node) => repellingOf(node, () => false).length > 0)) return [];
  const ours = (await tolerateOn(sight, design))([]);
  const found = await Promise.all(moved.map(({ kind, name, namespace }) => sight.get(kind, name, namespace)));
  return found.flatMap((workload) => (workload === null ? [] : [[...ours, ...templateTolerations(workload)]]));
}

/** What the pods ask for that run elsewhere and go to the infra nodes. */
async function requestsOf(sight: Sight, design: Design, { workloads }: Carried): Promise<Room[]> {
  const moving = workloads ? await workloads(sight, design) : [];
  const names = infraNames(await withMachineNodes(design, sight));
  const found = await Promise.all(
    [...new Set(moving.map(({ namespace }) => namespace))].map((namespace) => sight.list('Pod', { namespace })),
  );
  const pods = found.flat().filter((pod) => isLive(pod) && moving.some((workload) => isPodOf(pod, workload)));
  return pods.filter((pod) => !names.includes(textAt(pod.spec, 'nodeName') ?? '')).map(requestOf);
}

function isLive(pod: KubeObject): boolean {
  const phase = textAt(pod.status, 'phase');
  return phase !== 'Succeeded' && phase !== 'Failed';
}

async function storageOf(sight: Sight, name: string | null): Promise<MovingEvidence['storageClass']> {
  if (name === null) return undefined;
  const found = await known(() => sight.get('StorageClass', name));
  const provisioner = textAt(found, 'provisioner');
  return provisioner === null ? null : { name, provisioner };
}

async function budgetsOf(sight: Sight, design: Design, { workloads }: Carried): Promise<string[]> {
  const moving = workloads ? await workloads(sight, design) : [];
  const namespaces = [...new Set(moving.map(({ namespace }) => namespace))];
  const found = await Promise.all(namespaces.map((namespace) => sight.list('PodDisruptionBudget', { namespace })));
  return found.flat().flatMap(({ metadata, status }) => {
    const [allowed, wanted] = [numberAt(status, 'disruptionsAllowed'), numberAt(status, 'desiredHealthy') ?? 0];
    const healthy = numberAt(status, 'currentHealthy') ?? 0;
    const name = `${metadata.namespace}/${metadata.name}`;
    return allowed === 0 && wanted > 0 ? [catalogue().diagnosis.moving.tightBudget(name, healthy, wanted)] : [];
  });
}
