import type { Finding } from '../checks/check.ts';
import { INFRA_LABEL, listInfraNodeNames } from '../design/infra-placement.ts';
import type { Design } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { isClusterError } from '../kube/errors.ts';
import { CORDON_TAINT, type NodeView, parseNode, type Taint } from '../openshift/node.ts';
import {
  findUnhealthy,
  getField,
  getNumber,
  getString,
  isConditionTrue,
  type KubeObject,
  listConditions,
  matchesLabelSelector,
} from '../openshift/object.ts';
import {
  computePodRequests,
  getAllocatableAmounts,
  type ResourceAmounts,
  subtractAmounts,
  sumAmounts,
} from '../openshift/resource-amounts.ts';
import type { ClusterReader } from './cluster-reader.ts';
import { type RolloutTarget, readOperator, type Workload } from './infra-move.ts';
import { addMachineNodes } from './moves/machine-sets.ts';
import { findStorageNodes } from './moves/storage-nodes.ts';
import type { ObservedMove } from './moves.ts';
import { getRolloutTarget, type MoveName } from './moves.ts';
import {
  checkInfraNodes,
  checkMove,
  type InfraNode,
  type MoveCheckEvidence,
  type PoolStatus,
} from './preflight-checks.ts';
import { findBlockedDrain } from './shared/disruption-budgets.ts';
import { getTemplateTolerations, isWorkloadPod } from './shared/rollout.ts';
import { createTolerationMerger, tolerates } from './shared/tolerations.ts';
import { isObstacle } from './status-checks.ts';

/** A preflight of moves in their order, each with the earlier ones taken into account. */
interface Preflight {
  /**
   * Returns the move with its findings, blocked if one of them is an obstacle. Only a move that would write is checked.
   */
  check(observedMove: ObservedMove): Promise<ObservedMove>;
}

/**
 * Creates a preflight of moves on a cluster.
 * @param reader the cluster as it is
 * @param names the moves to be applied; the move `label` comes first and is blocked until the infra nodes can take the
 * workloads of all of them
 */
export function createPreflight(reader: ClusterReader, design: Design, names: readonly MoveName[]): Preflight {
  const earlierRequests: ResourceAmounts[] = [];
  /**
   * The cloud is still creating infra nodes: they cannot be assessed before they are Ready, and the moves wait for
   * that.
   */
  let areNodesPending = false;
  const readInfra = async (workloads: readonly Workload[]) =>
    areNodesPending ? null : await readInfraNodes(reader, design, workloads);
  let hasReportedPressure = false;
  /** Reads the nodes under pressure for the first move only: the other moves would repeat the warning. */
  const readNodesUnderPressure = async () => {
    if (hasReportedPressure) return [];
    hasReportedPressure = true;
    return await readIfAllowed(async () => (await reader.list('Node')).map(parseNode).filter(isUnderPressure));
  };
  // A node that has just joined becomes Ready, and the rollout waits for it.
  const readUnreadyNodes = async () => (areNodesPending ? [] : await listUnreadyNodes(reader));
  return {
    async check(observedMove) {
      if (observedMove.name === 'machine-sets')
        areNodesPending = observedMove.state === 'needed' || observedMove.state === 'moving';
      if (observedMove.state !== 'needed') return observedMove;
      if (observedMove.name === 'label') {
        const workloads = await readIfAllowed(() =>
          listWorkloads(
            reader,
            design,
            names.flatMap((name) => getRolloutTarget(name) ?? []),
          ),
        );
        if (workloads === null || workloads.length === 0) return observedMove;
        const infraNodes = await readIfAllowed(() => readInfra(workloads));
        return addPreflightFindings(
          observedMove,
          checkInfraNodes({
            infraNodes,
            unplannedNodes: await readIfAllowed(() => findUnplannedNodes(reader, design, workloads)),
            nodesUnderPressure: await readNodesUnderPressure(),
          }),
        );
      }
      const target = getRolloutTarget(observedMove.name);
      if (target === null) return observedMove;
      const moveRequests = await readIfAllowed(() => listMovedRequests(reader, design, target));
      const evidence = await collectEvidence(reader, design, observedMove.name, {
        target,
        readInfra,
        readUnreadyNodes,
        readNodesUnderPressure,
      });
      earlierRequests.push(...(moveRequests ?? []));
      return addPreflightFindings(
        observedMove,
        checkMove({ ...evidence, podRequests: moveRequests === null ? null : [...earlierRequests] }),
      );
    },
  };
}

/** Adds the findings to the move, and blocks it at the first obstacle. */
function addPreflightFindings(observedMove: ObservedMove, findings: readonly Finding[]): ObservedMove {
  const obstacle = findings.find(isObstacle);
  if (obstacle === undefined) return { ...observedMove, preflightFindings: findings };
  const { title, cause, remedy } = obstacle;
  const why = catalogue().diagnosis.infraMove.blocked(title, cause, remedy);
  return { ...observedMove, preflightFindings: findings, state: 'blocked', why };
}

async function listWorkloads(
  reader: ClusterReader,
  design: Design,
  targets: readonly RolloutTarget[],
): Promise<readonly Workload[]> {
  return (await Promise.all(targets.map(({ workloads }) => workloads?.(reader, design) ?? []))).flat();
}

/** Returns null if the credentials may not read the objects, or the API does not serve them. @throws any other error */
async function readIfAllowed<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isClusterError(error, 'forbidden', 'absent')) return null;
    throw error;
  }
}

async function collectEvidence(
  reader: ClusterReader,
  design: Design,
  name: MoveName,
  {
    target,
    readInfra,
    readUnreadyNodes,
    readNodesUnderPressure,
  }: {
    readonly target: RolloutTarget;
    readonly readUnreadyNodes: () => Promise<string[]>;
    readonly readNodesUnderPressure: () => Promise<NodeView[] | null>;
    readonly readInfra: (workloads: readonly Workload[]) => Promise<InfraNode[] | null>;
  },
): Promise<Omit<MoveCheckEvidence, 'podRequests'>> {
  const listMovedWorkloads = () => listWorkloads(reader, design, [target]);
  const clusterVersion = await readIfAllowed(() => reader.get('ClusterVersion', 'version'));
  return {
    operator: await readIfAllowed(() => readOperator(reader, target)),
    isFromOperatorHub: typeof target.operator === 'function',
    canFixOperator: target.canFixOperator === true,
    update: clusterVersion === null ? null : findUpdate(clusterVersion),
    pools: await readIfAllowed(() => readPools(reader, name)),
    unreadyNodes: target.needsEveryNode === true ? await readIfAllowed(readUnreadyNodes) : [],
    nodesUnderPressure: await readNodesUnderPressure(),
    infraNodes: target.workloads ? await readIfAllowed(async () => readInfra(await listMovedWorkloads())) : null,
    unplannedNodes: target.workloads
      ? await readIfAllowed(async () => findUnplannedNodes(reader, design, await listMovedWorkloads()))
      : [],
    storageClass: await findStorageClass(reader, target.storageClass?.(design) ?? null),
    exhaustedBudgets: target.workloads
      ? await readIfAllowed(() => describeExhaustedBudgets(reader, design, target))
      : [],
  };
}

const isUnderPressure = ({ isReady, problems }: NodeView) =>
  isReady && problems.some((problem) => problem.endsWith('Pressure'));

/** Lists the nodes that are not Ready. */
async function listUnreadyNodes(reader: ClusterReader): Promise<string[]> {
  return (await reader.list('Node'))
    .map(parseNode)
    .filter(({ isReady }) => !isReady)
    .map(({ name }) => name);
}

/** Finds an update in progress. An installation that is not complete is no update. */
function findUpdate(clusterVersion: KubeObject): NonNullable<MoveCheckEvidence['update']> {
  const conditions = listConditions(clusterVersion);
  const condition = conditions.find(({ type, status }) => type === 'Progressing' && status === 'True');
  if (!condition || !isConditionTrue(conditions, 'Available')) return 'none';
  return { message: condition.message || condition.reason };
}

async function readPools(reader: ClusterReader, move: MoveName): Promise<PoolStatus[]> {
  const pools = (await reader.list('MachineConfigPool')).filter(
    ({ metadata }) => metadata.name === 'worker' || (metadata.name === 'infra' && move !== 'pool'),
  );
  return await Promise.all(
    pools.map(async (pool) => {
      const isUpdating = isConditionTrue(listConditions(pool), 'Updating');
      return {
        name: pool.metadata.name,
        isPaused: getField(pool.spec, 'paused') === true,
        isUpdating,
        degradedMessage: findUnhealthy(pool)?.message ?? null,
        blockedDrain: isUpdating ? await describeBlockedDrain(reader, pool) : '',
      };
    }),
  );
}

/** Describes the drain of a node of the pool that a PodDisruptionBudget blocks; empty if there is none. */
async function describeBlockedDrain(reader: ClusterReader, { spec }: KubeObject): Promise<string> {
  const selectsNode = ({ metadata }: KubeObject) =>
    matchesLabelSelector(getField(spec, 'nodeSelector'), metadata.labels ?? {});
  const blockedDrain = await findBlockedDrain(reader, (await reader.list('Node')).filter(selectsNode));
  return blockedDrain === null
    ? ''
    : catalogue().moves.byName.pool.drainBlocked(
        blockedDrain.node,
        `${blockedDrain.namespace}/${blockedDrain.name}`,
        blockedDrain.pods,
      );
}

/**
 * Reads the infra nodes; null while the cloud is still creating some of them.
 * @param workloads the workloads that will run there
 */
async function readInfraNodes(
  reader: ClusterReader,
  design: Design,
  workloads: readonly Workload[],
): Promise<InfraNode[] | null> {
  const names = listInfraNodeNames(await addMachineNodes(design, reader));
  if (names.length < (design.infra.machineSets?.count ?? 0)) return null;
  const nodes = (await reader.list('Node')).filter(({ metadata }) => names.includes(metadata.name));
  const tolerationLists = await collectTolerations(nodes, reader, design, workloads);
  return await Promise.all(
    nodes.map(async (node) => {
      const { name } = node.metadata;
      const allocatable = getAllocatableAmounts(node);
      const pods = allocatable === null ? [] : await reader.list('Pod', { fieldSelector: `spec.nodeName=${name}` });
      const freeResources =
        allocatable === null
          ? null
          : subtractAmounts(allocatable, sumAmounts(pods.filter(isActivePod).map(computePodRequests)));
      const { isReady } = parseNode(node);
      const isCordoned = getField(node.spec, 'unschedulable') === true;
      return {
        name,
        isReady,
        isCordoned,
        repellingTaints: findRepellingTaints(node, (taint) => tolerationLists.every(toleratesTaint(taint))),
        freeResources,
      };
    }),
  );
}

/** Finds the taints of a node that repel pods without a toleration. */
function findRepellingTaints(node: KubeObject, isTolerated: (taint: Taint) => boolean): Taint[] {
  return parseNode(node).taints.filter(
    (taint) => taint.effect !== 'PreferNoSchedule' && taint.key !== CORDON_TAINT && !isTolerated(taint),
  );
}

/** Finds the nodes that have the label, are not planned, and could run some of the moved workloads. */
async function findUnplannedNodes(
  reader: ClusterReader,
  design: Design,
  workloads: readonly Workload[],
): Promise<string[]> {
  const plannedNames = listInfraNodeNames(await addMachineNodes(design, reader));
  const { namesToTaint } = await findStorageNodes(reader, design);
  const labelledNodes = (await reader.list('Node')).filter(
    ({ metadata: { name, labels = {} } }) =>
      labels[INFRA_LABEL] === '' && !plannedNames.includes(name) && !namesToTaint.includes(name),
  );
  const tolerationLists = await collectTolerations(labelledNodes, reader, design, workloads);
  const acceptsSomePods = (node: KubeObject) =>
    findRepellingTaints(node, (taint) => tolerationLists.some(toleratesTaint(taint))).length === 0;
  return labelledNodes.filter(acceptsSomePods).map(({ metadata }) => metadata.name);
}

const toleratesTaint = (taint: Taint) => (tolerations: readonly unknown[]) => tolerates(tolerations, taint);

/**
 * Collects the planned tolerations of each workload: those of its template, and those that a move adds. A missing
 * workload is skipped. Nothing is read if no node repels pods.
 */
async function collectTolerations(
  nodes: readonly KubeObject[],
  reader: ClusterReader,
  design: Design,
  workloads: readonly Workload[],
): Promise<(readonly unknown[])[]> {
  if (!nodes.some((node) => findRepellingTaints(node, () => false).length > 0)) return [];
  const addedTolerations = (await createTolerationMerger(reader, design))([]);
  const objects = await Promise.all(workloads.map(({ kind, name, namespace }) => reader.get(kind, name, namespace)));
  return objects.flatMap((workload) =>
    workload === null ? [] : [[...addedTolerations, ...getTemplateTolerations(workload)]],
  );
}

/** Lists the resource requests of the pods that run elsewhere and move to the infra nodes. */
async function listMovedRequests(
  reader: ClusterReader,
  design: Design,
  { workloads }: RolloutTarget,
): Promise<ResourceAmounts[]> {
  const workloadsToMove = workloads ? await workloads(reader, design) : [];
  const names = listInfraNodeNames(await addMachineNodes(design, reader));
  const podLists = await Promise.all(
    [...new Set(workloadsToMove.map(({ namespace }) => namespace))].map((namespace) =>
      reader.list('Pod', { namespace }),
    ),
  );
  const pods = podLists
    .flat()
    .filter((pod) => isActivePod(pod) && workloadsToMove.some((workload) => isWorkloadPod(pod, workload)));
  return pods.filter((pod) => !names.includes(getString(pod.spec, 'nodeName') ?? '')).map(computePodRequests);
}

function isActivePod(pod: KubeObject): boolean {
  const phase = getString(pod.status, 'phase');
  return phase !== 'Succeeded' && phase !== 'Failed';
}

async function findStorageClass(
  reader: ClusterReader,
  name: string | null,
): Promise<MoveCheckEvidence['storageClass']> {
  if (name === null) return undefined;
  const storageClass = await readIfAllowed(() => reader.get('StorageClass', name));
  const provisioner = getString(storageClass, 'provisioner');
  return provisioner === null ? null : { name, provisioner };
}

async function describeExhaustedBudgets(
  reader: ClusterReader,
  design: Design,
  { workloads }: RolloutTarget,
): Promise<string[]> {
  const workloadsToMove = workloads ? await workloads(reader, design) : [];
  const namespaces = [...new Set(workloadsToMove.map(({ namespace }) => namespace))];
  const budgetLists = await Promise.all(
    namespaces.map((namespace) => reader.list('PodDisruptionBudget', { namespace })),
  );
  return budgetLists.flat().flatMap(({ metadata, status }) => {
    const [disruptionsAllowed, desiredHealthy] = [
      getNumber(status, 'disruptionsAllowed'),
      getNumber(status, 'desiredHealthy') ?? 0,
    ];
    const currentHealthy = getNumber(status, 'currentHealthy') ?? 0;
    const name = `${metadata.namespace}/${metadata.name}`;
    return disruptionsAllowed === 0 && desiredHealthy > 0
      ? [catalogue().diagnosis.infraMove.tightBudget(name, currentHealthy, desiredHealthy)]
      : [];
  });
}
