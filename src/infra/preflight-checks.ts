import { type CheckResult, createCheckFactory, type Finding, runChecks } from '../checks/check.ts';
import { INFRA_LABEL } from '../design/infra-placement.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatNodeProblems, type NodeView, type Taint } from '../openshift/node.ts';
import { deriveOperatorHealth, type OperatorView } from '../openshift/operator.ts';
import { fitsOnNodes, type ResourceAmounts, sumAmounts } from '../openshift/resource-amounts.ts';
import { quoteShellArg } from '../platform/shell-quoting.ts';

const words = () => catalogue().diagnosis.infraMove;

const check = createCheckFactory<MoveCheckEvidence>('infra');

/** A PodDisruptionBudget that allows no disruption blocks a drain forever; a rollout ignores it. */
const budget = check('move-budget', 'warning', ({ exhaustedBudgets }) => {
  if (exhaustedBudgets === null) return { state: 'unknown' };
  return exhaustedBudgets.length === 0 ? { state: 'ok' } : { state: 'failed', evidence: [exhaustedBudgets.join(', ')] };
});

/** The relocated pods have to fit on the infra nodes: the scheduler compares requests with allocatable resources. */
const capacity = check('move-room', 'fatal', (evidence) => checkCapacity(evidence, 0));

/** The pods have to fit without one of the nodes, too: during a restart, or after a failure. */
const spareCapacity = check('move-spare-room', 'warning', (evidence) =>
  checkCapacity(evidence, 1)?.state === 'failed' && checkCapacity(evidence, 0)?.state === 'failed'
    ? null
    : checkCapacity(evidence, 1),
);

/**
 * Checks whether the pods fit.
 * @param unavailableNodes number of nodes to leave out, those with the most free memory first
 */
function checkCapacity({ infraNodes, podRequests }: MoveCheckEvidence, unavailableNodes: number): CheckResult | null {
  if (infraNodes === null || podRequests === null) return podRequests?.length === 0 ? null : { state: 'unknown' };
  if (podRequests.length === 0) return null;
  const nodes = infraNodes.filter(({ isReady }) => isReady);
  const freeResources = nodes.flatMap((node) => node.freeResources ?? []);
  if (freeResources.length < nodes.length) return { state: 'unknown' };
  const remainingCapacity = [...freeResources].sort((a, b) => b.memory - a.memory).slice(unavailableNodes);
  const detail = words().resources.amounts(
    podRequests.length,
    sumAmounts(podRequests),
    nodes.map(({ name }, index) => ({
      name: name.split('.')[0] ?? name,
      free: freeResources[index] ?? { cpu: 0, memory: 0 },
    })),
  );
  return { state: fitsOnNodes(podRequests, remainingCapacity) ? 'ok' : 'failed', evidence: [detail] };
}

/** An unhealthy operator rolls nothing out. One that the move may repair is no obstacle. */
const operator = check('move-operator', 'fatal', ({ operator: view, canFixOperator, isFromOperatorHub }) => {
  if (canFixOperator) return null;
  if (view === null) return { state: 'unknown' };
  const health = deriveOperatorHealth(view);
  const isHealthy = health === 'fine' || health === 'progressing';
  if (isHealthy) return { state: 'ok', subject: view.name };
  const remedy = isFromOperatorHub ? words().operatorHubRemedy : words().operatorRemedy(view.name);
  const detail = isFromOperatorHub ? words().operatorHubStatus(view.reason, view.message) : view.message;
  return { state: 'failed', subject: view.name, evidence: [detail], remedy };
});

/**
 * A paused MachineConfigPool applies nothing, a degraded one stops at a node, and an updating one restarts nodes during
 * the move.
 */
const pool = check('move-pool', 'fatal', ({ pools }) => {
  if (pools === null) return { state: 'unknown' };
  const poolWords = words().pool;
  const problems = pools.flatMap(({ name, isPaused, isUpdating, degradedMessage, blockedDrain }) => [
    ...(isPaused ? [poolWords.paused(name)] : []),
    ...(degradedMessage === null ? [] : [poolWords.degraded(name, degradedMessage)]),
    ...(isUpdating && degradedMessage === null ? [poolWords.updating(name, blockedDrain)] : []),
  ]);
  if (problems.length === 0) return { state: 'ok' };
  // A degraded pool does not recover by waiting.
  const isDegraded = pools.some(({ degradedMessage }) => degradedMessage !== null);
  const degradedWords = isDegraded ? { remedy: catalogue().diagnosis.causes['pool-degraded'].remedy } : {};
  return { state: 'failed', evidence: [problems.join('; ')], ...degradedWords };
});

/**
 * NooBaa's claims create buckets instead of volumes (observed in a user's installation notes: the claim stays Pending).
 */
const BUCKET_PROVISIONER = /\/obc$|\/bucket$/;
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Whether the StorageClass can provide volumes. The plan of the move checks that it exists. */
const storage = check('move-storage', 'fatal', ({ storageClass }) => {
  if (storageClass === undefined) return null;
  if (storageClass === null) return { state: 'unknown' };
  const { name, provisioner } = storageClass;
  return BUCKET_PROVISIONER.test(provisioner)
    ? { state: 'failed', subject: name, evidence: [provisioner] }
    : { state: 'ok', subject: name };
});

/** Without a provisioner, the volumes have to be created manually. */
const manualVolumes = check('move-volumes', 'warning', ({ storageClass }) =>
  storageClass?.provisioner === NO_PROVISIONER
    ? { state: 'failed', subject: storageClass.name, evidence: [words().noProvisioner] }
    : null,
);

/**
 * Prefix of taints that Kubernetes sets on an unhealthy node: the remedy is to inspect the node, not to remove the
 * taint.
 */
const KUBERNETES_PREFIX = 'node.kubernetes.io/';

/** A taint that is not ours and that the relocated pods do not tolerate: they could not be scheduled on these nodes. */
const taints = check('move-taint', 'fatal', ({ infraNodes }) => {
  if (infraNodes === null) return null;
  const nodeTaints = infraNodes.flatMap(({ name, repellingTaints }) =>
    repellingTaints.map((taint) => ({ node: name, ...taint })),
  );
  const [firstTaint] = nodeTaints;
  if (firstTaint === undefined) return { state: 'ok' };
  const { key, effect } = firstTaint;
  const nodes = nodeTaints
    .filter((nodeTaint) => nodeTaint.key === key && nodeTaint.effect === effect)
    .map(({ node }) => quoteShellArg(node));
  const command = key.startsWith(KUBERNETES_PREFIX)
    ? `oc describe nodes ${nodes.join(' ')}`
    : `oc adm taint nodes ${nodes.join(' ')} ${quoteShellArg(`${key}:${effect}-`)}`;
  const details = nodeTaints.map((nodeTaint) =>
    words().taint(nodeTaint.node.split('.')[0] ?? nodeTaint.node, nodeTaint),
  );
  return { state: 'failed', evidence: details, remedy: words().taintFix(command) };
});

/**
 * The node selector matches the label: pods also run on an unplanned node that has this label, and the load balancer
 * does not know that node.
 */
const unplannedNodes = check('move-strays', 'fatal', ({ unplannedNodes: nodes }) => {
  if (nodes === null || nodes.length === 0) return null;
  const command = `oc label nodes ${nodes.map(quoteShellArg).join(' ')} ${INFRA_LABEL}-`;
  return { state: 'failed', evidence: [nodes.join(', ')], remedy: words().unlabel(command) };
});

/** A cordoned node accepts no new pods, and the move would wait for it. */
const cordons = check('move-cordoned', 'fatal', ({ infraNodes }) => {
  const cordonedNodes = (infraNodes ?? []).filter(({ isCordoned }) => isCordoned);
  if (cordonedNodes.length === 0) return null;
  const getName = ({ name }: InfraNode) => name;
  const command = `oc adm uncordon ${cordonedNodes.map(getName).map(quoteShellArg).join(' ')}`;
  const detail = cordonedNodes.map(({ name }) => name.split('.')[0] ?? name).join(', ');
  return { state: 'failed', evidence: [detail], remedy: words().uncordon(command) };
});

/** A DaemonSet is rolled out when its pods are available on all nodes; on a NotReady node they never are. */
const nodeReadiness = check('move-node-down', 'fatal', ({ unreadyNodes }) => {
  if (unreadyNodes === null) return { state: 'unknown' };
  const [firstNode] = unreadyNodes;
  if (firstNode === undefined) return null;
  const evidence = [unreadyNodes.map((name) => name.split('.')[0] ?? name).join(', ')];
  return { state: 'failed', evidence, remedy: words().startNodes(`oc describe node ${quoteShellArg(firstNode)}`) };
});

/** The kubelet evicts pods from a node under pressure, and new pods stay away; checked once in a plan. */
const nodePressure = check('move-pressure', 'warning', ({ nodesUnderPressure: nodes }) => {
  if (nodes === null) return { state: 'unknown' };
  if (nodes.length === 0) return null;
  const command = `oc describe nodes ${nodes.map(({ name }) => quoteShellArg(name)).join(' ')}`;
  return { state: 'failed', evidence: [formatNodeProblems(nodes).join(', ')], remedy: words().pressure(command) };
});

/**
 * During an update of OpenShift, operators and nodes restart on their own: two changes at once hide each other's
 * faults.
 */
const update = check('move-update', 'fatal', ({ update: status }) => {
  if (status === null) return { state: 'unknown' };
  return status === 'none' ? { state: 'ok' } : { state: 'failed', evidence: [status.message] };
});

const MOVE_CHECKS = [
  operator,
  update,
  pool,
  taints,
  cordons,
  nodeReadiness,
  nodePressure,
  unplannedNodes,
  capacity,
  spareCapacity,
  storage,
  manualVolumes,
  budget,
];
const NODE_CHECKS = [taints, cordons, nodePressure, unplannedNodes];

/** Checks the preconditions of an infra move. An unknown result does not block it. */
export function checkMove(evidence: MoveCheckEvidence): Finding[] {
  return runChecks(MOVE_CHECKS, evidence, words().checks);
}

/** Runs only the checks of the infra nodes. */
export function checkInfraNodes(
  nodes: Pick<MoveCheckEvidence, 'infraNodes' | 'unplannedNodes' | 'nodesUnderPressure'>,
): Finding[] {
  const unknownFacts = {
    operator: null,
    isFromOperatorHub: false,
    canFixOperator: false,
    update: null,
    pools: null,
    unreadyNodes: [],
    podRequests: null,
    storageClass: undefined,
  };
  return runChecks(NODE_CHECKS, { ...unknownFacts, ...nodes, exhaustedBudgets: null }, words().checks);
}

/** Evidence before an infra move. Null always means: not readable. */
export interface MoveCheckEvidence {
  /** The operator that rolls the move out. */
  readonly operator: OperatorView | null;
  /** The operator comes from OperatorHub: it has no ClusterOperator. */
  readonly isFromOperatorHub: boolean;
  /** The move may repair an unhealthy operator. */
  readonly canFixOperator: boolean;
  /** The ClusterVersion's message during an update; `none` without an update. */
  readonly update: { readonly message: string } | 'none' | null;
  /** The MachineConfigPools that infra nodes are in, or will be in. */
  readonly pools: readonly PoolStatus[] | null;
  /** Nodes that are not Ready, if the move rolls out a pod on every node. */
  readonly unreadyNodes: readonly string[] | null;
  /** Nodes with DiskPressure, MemoryPressure or PIDPressure; empty for all moves of a plan but the first. */
  readonly nodesUnderPressure: readonly NodeView[] | null;
  readonly infraNodes: readonly InfraNode[] | null;
  /** Nodes that carry the infra label without being planned as infra nodes, and that accept the relocated pods. */
  readonly unplannedNodes: readonly string[] | null;
  /** Requests of the pods that go to the infra nodes with this move and the earlier ones. */
  readonly podRequests: readonly ResourceAmounts[] | null;
  /** The StorageClass that the design names; undefined if it names none. */
  readonly storageClass: { readonly name: string; readonly provisioner: string } | null | undefined;
  /** PodDisruptionBudgets of the relocated pods that currently allow no disruption. */
  readonly exhaustedBudgets: readonly string[] | null;
}

/** The state of a MachineConfigPool. */
export interface PoolStatus {
  readonly name: string;
  readonly isPaused: boolean;
  readonly isUpdating: boolean;
  /** The pool's message if it is degraded; null otherwise. */
  readonly degradedMessage: string | null;
  /** A drain in the pool that a PodDisruptionBudget blocks, in a sentence; empty: none known. */
  readonly blockedDrain: string;
}

/** The state of an infra node. */
export interface InfraNode {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  /** Its taints NoSchedule or NoExecute that the relocated pods do not tolerate, except the taint of a cordon. */
  readonly repellingTaints: readonly Taint[];
  /** Allocatable resources minus the requests of its pods. */
  readonly freeResources: ResourceAmounts | null;
}
