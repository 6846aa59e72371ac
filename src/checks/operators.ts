import { getNodeFqdn, isWorker, listNodesWithRole } from '../design/derived-facts.ts';
import type { Design } from '../design/model.ts';
import { formatRelease } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { isNodeLost, type NodeView } from '../openshift/node.ts';
import { deriveOperatorHealth, type OperatorView } from '../openshift/operator.ts';
import type { PodView } from '../openshift/pod.ts';
import { SECOND } from '../platform/clock.ts';
import { createCheckFactory, type Finding, runChecks } from './check.ts';
import { explainWait, type OperatorDependencies, type OperatorWait, type WaitCode } from './operator-waits.ts';

const words = () => catalogue().diagnosis.operators;

/** Operators that wait for the same condition. */
interface OperatorsEvidence {
  readonly group: readonly [OperatorState, ...OperatorState[]];
  /** Whether the installer reported completion: unhealthy operators are then warnings, as nothing waits for them. */
  readonly isInstalled: boolean;
}

const check = createCheckFactory<OperatorsEvidence>('operators');

const operatorDegraded = check('operator-degraded', 'fatal', ({ group, isInstalled }) =>
  group[0].degraded
    ? [{ ...createGroupResult(group, 'operator-degraded'), severity: isInstalled ? 'warning' : 'fatal' }]
    : [],
);

const operatorSlow = check('operator-slow', 'warning', ({ group }) =>
  group[0].degraded ? [] : [createGroupResult(group, 'operator-slow')],
);

const OPERATOR_CHECKS = [operatorDegraded, operatorSlow];

/** Explains unhealthy operators; the table in `operator-waits.ts` has the condition that each one waits for. */
export function explainOperators(operators: readonly OperatorState[], isInstalled: boolean): Finding[] {
  return groupByWait(operators).flatMap((group) => runChecks(OPERATOR_CHECKS, { group, isInstalled }));
}

function groupByWait(operators: readonly OperatorState[]): OperatorsEvidence['group'][] {
  const groups = new Map<string, [OperatorState, ...OperatorState[]]>();
  for (const operator of operators) {
    const { code, waitsFor } = operator.wait ?? { code: 'other', waitsFor: '' };
    const key = code === 'other' ? operator.name : waitsFor;
    const existingGroup = groups.get(key);
    if (existingGroup) existingGroup.push(operator);
    else groups.set(key, [operator]);
  }
  return [...groups.values()];
}

function createGroupResult(group: OperatorsEvidence['group'], id: 'operator-degraded' | 'operator-slow') {
  const [{ name, reason, message, wait }] = group;
  const isKnown = wait !== null && wait.code !== 'other';
  return {
    state: 'failed' as const,
    subject: name,
    title: isKnown
      ? words().waitsFor(group.map((groupMember) => groupMember.name).join(', '), wait.waitsFor)
      : words()[id].title(name),
    evidence: [message === '' ? reason : `${reason}: ${message}`],
    remedy: wait?.remedy ?? words().remedy(name),
  };
}

/** An operator as the screens show it: its conditions, their meaning, and its unhealthy pods. */
export interface OperatorState extends OperatorView {
  readonly state: 'degraded' | 'unavailable' | 'silent' | 'progressing' | 'settling' | 'fine';
  /** The condition that it waits for; null if there is nothing to explain. */
  readonly wait: OperatorWait | null;
  /** For the installer's last phase, which waits until each operator is stable: Progressing=False for 30 seconds. */
  readonly stability: 'moving' | 'settling' | 'stable';
  /** Its pods that are neither running nor completed, among those that were listed. */
  readonly pods: readonly PodView[];
}

/** openshift-install waitfor.go: coStabilityThreshold, from 4.15 on. */
const STABILITY_THRESHOLD = 30 * SECOND;

/**
 * Derives the state of each operator and the condition that it waits for. Operators that need attention come first.
 * @param design null: the planned nodes are unknown
 * @param nodes null: the nodes are unknown
 * @param pods their unhealthy pods
 * @param routers the router pods; null: unknown
 */
export function deriveOperatorStates(
  design: Design | null,
  operators: readonly OperatorView[],
  nodes: readonly NodeView[] | null,
  pods: readonly PodView[],
  routers: readonly PodView[] | null,
  now: number,
): OperatorState[] {
  const unavailableOperators = new Set(operators.filter(({ available }) => !available).map(({ name }) => name));
  // Once any ClusterOperator exists, a missing one of these two counts as unavailable.
  for (const name of ['ingress', 'authentication'])
    if (operators.length > 0 && !operators.some((operator) => operator.name === name)) unavailableOperators.add(name);
  const dependencies = {
    now,
    unavailableOperators,
    workers: nodes === null ? UNKNOWN_WORKERS : countRouterNodes(design, nodes),
    isRouterRunning: routers && isRouterRunning(routers),
    lostNodes: new Set((nodes ?? []).filter(isNodeLost).map(({ name }) => name)),
  };
  return (
    operators
      .map((operator): OperatorState => {
        const stability = deriveStability(operator, now);
        return {
          ...operator,
          state: deriveState(operator, stability),
          wait: explainWait(operator, dependencies),
          stability,
          pods: pods.filter(({ namespace }) => operator.namespaces.includes(namespace)),
        };
      })
      // Compares by code unit: names are ASCII, and the first locale-aware comparison has to load its tables.
      .sort((a, b) => getSortRank(a) - getSortRank(b) || (a.name < b.name ? -1 : 1))
  );
}

/**
 * Derives the state of each operator as `deriveOperatorStates` does. Reads the routers only if the load balancer would
 * be blamed: first, one of them has to run.
 */
export async function deriveOperatorStatesWithRouters(
  derive: (routers: readonly PodView[] | null) => OperatorState[],
  listRouters: () => Promise<readonly PodView[] | null>,
): Promise<OperatorState[]> {
  const states = derive(null);
  return states.some(({ wait }) => wait?.code === 'routes-closed') ? derive(await listRouters()) : states;
}

/** Whether one of the router pods runs. */
export function isRouterRunning(routers: readonly PodView[]): boolean {
  return routers.some(({ phase, reason }) => phase === 'Running' && reason === '');
}

/** Whether the operator waits longer than normal, or for a condition that the user has to change. */
export function needsAttention({ state, wait }: OperatorState): boolean {
  return state !== 'fine' && state !== 'settling' && wait !== null && !wait.isNormal;
}

const UNKNOWN_WORKERS: OperatorDependencies['workers'] = { ready: null, planned: 0, since: null };

/** Counts the nodes that run routers: the compute nodes, or the control plane nodes if there are no others. */
function countRouterNodes(design: Design | null, nodes: readonly NodeView[]): OperatorDependencies['workers'] {
  if (design === null) return countLabelledWorkers(nodes);
  const compute = design.nodes.filter(isWorker);
  const plannedNodes = compute.length > 0 ? compute : listNodesWithRole(design, 'control-plane');
  const names = new Set(plannedNodes.map((node) => getNodeFqdn(design, node)));
  return { planned: plannedNodes.length, ...countReady(nodes.filter(({ name }) => names.has(name))) };
}

/** Counts the nodes with the worker role, which schedulable control plane nodes have, too: for an unknown design. */
function countLabelledWorkers(nodes: readonly NodeView[]): OperatorDependencies['workers'] {
  const workers = nodes.filter(({ roles }) => roles.includes('worker'));
  return { planned: workers.length, ...countReady(workers) };
}

function countReady(nodes: readonly NodeView[]) {
  const readyNodes = nodes.filter(({ isReady }) => isReady);
  const times = readyNodes.flatMap(({ readySince }) => readySince ?? []);
  return { ready: readyNodes.length, since: times.length > 0 ? Math.min(...times) : null };
}

function deriveStability({ steadySince }: OperatorView, now: number): OperatorState['stability'] {
  if (steadySince === null) return 'moving';
  return now - steadySince > STABILITY_THRESHOLD ? 'stable' : 'settling';
}

function deriveState(operator: OperatorView, stability: OperatorState['stability']): OperatorState['state'] {
  const health = deriveOperatorHealth(operator);
  switch (health) {
    case 'unavailable':
      return operator.conditions.some(({ type, status }) => type === 'Available' && status === 'False')
        ? 'unavailable'
        : 'silent';
    case 'fine':
      return stability === 'settling' ? 'settling' : 'fine';
    case 'degraded':
    case 'progressing':
      return health;
  }
}

const STATE_ORDER: readonly OperatorState['state'][] = [
  'degraded',
  'unavailable',
  'silent',
  'progressing',
  'settling',
  'fine',
];

/** Waits that end when another operator recovers. */
const WAITS_FOR_OPERATORS: ReadonlySet<string> = new Set<WaitCode>(['routers', 'authentication']);

/**
 * Returns the sort key: operators that need attention come first, unless they only wait for another one. Then the order
 * of `STATE_ORDER` counts; an operator that waits for another one comes after the others of its state.
 */
function getSortRank(operator: OperatorState): number {
  const waitsForOperator = WAITS_FOR_OPERATORS.has(operator.wait?.code ?? '');
  const isUrgent = needsAttention(operator) && !waitsForOperator;
  return STATE_ORDER.indexOf(operator.state) + (isUrgent ? 0 : STATE_ORDER.length) + (waitsForOperator ? 0.5 : 0);
}

/** Versions as "4.18" or "4.18.11"; `clusterVersion`: the cluster's version, null until it is reported. */
interface VersionEvidence {
  readonly designVersion: string;
  readonly clusterVersion: string | null;
}

/** The cluster runs another version than the design specifies. Actions in the cluster use the running version. */
export const versionDifference = createCheckFactory<VersionEvidence>('operators')(
  'version-differs',
  'note',
  ({ designVersion, clusterVersion }) => {
    if (clusterVersion === null || clusterVersion === '' || isSameVersion(designVersion, clusterVersion)) return [];
    const { title, cause, remedy } = catalogue().diagnosis.operators['version-differs'];
    return [
      {
        state: 'failed',
        title: title(formatRelease(designVersion), clusterVersion),
        evidence: [cause],
        remedy: remedy(clusterVersion),
      },
    ];
  },
);

/** "4.18" covers 4.18.11 and 4.18.0-okd-scos.3; "4.18.3" covers only 4.18.3. */
const isSameVersion = (designVersion: string, clusterVersion: string) =>
  clusterVersion === designVersion ||
  clusterVersion.startsWith(`${designVersion}.`) ||
  clusterVersion.startsWith(`${designVersion}-`);
