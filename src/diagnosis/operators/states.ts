import type { Design } from '../../design/model.ts';
import { nodeFqdn, nodesWithRole } from '../../design/names.ts';
import type { NodeView } from '../../openshift/node.ts';
import { deriveOperatorHealth, type OperatorView } from '../../openshift/operator.ts';
import type { PodView } from '../../openshift/pod.ts';
import { SECOND } from '../../platform/clock.ts';
import { explainWait, type OperatorDependencies, type OperatorWait } from './waits.ts';

/** An operator as the screens show it: its conditions, their meaning, and its unhealthy pods. */
export interface OperatorState extends OperatorView {
  readonly state: 'degraded' | 'unavailable' | 'silent' | 'progressing' | 'settling' | 'fine';
  /** The condition that it waits for; null if there is nothing to explain. */
  readonly wait: OperatorWait | null;
  /** The installer's last phase: it waits until each operator has not been progressing for 30 seconds. */
  readonly stability: 'moving' | 'settling' | 'stable';
  /** Its pods that are neither running nor completed, among those that were listed. */
  readonly pods: readonly PodView[];
}

/** openshift-install waitfor.go: coStabilityThreshold, from 4.15 on. */
const STABLE_AFTER = 30 * SECOND;

/**
 * Derives the state of each operator and the condition that it waits for. Operators that need attention come first.
 * @param design null: the planned nodes are unknown
 */
export function deriveOperatorStates(
  design: Design | null,
  operators: readonly OperatorView[],
  nodes: readonly NodeView[],
  pods: readonly PodView[],
  now: number,
): OperatorState[] {
  const unavailable = new Set(operators.filter(({ available }) => !available).map(({ name }) => name));
  // Until the others are complete, an operator that does not exist yet counts as unavailable.
  for (const name of ['ingress', 'authentication'])
    if (operators.length > 0 && !operators.some((operator) => operator.name === name)) unavailable.add(name);
  const dependencies = { now, unavailable, workers: countRouterNodes(design, nodes) };
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
      .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
  );
}

/** Whether it waits longer than normal, or for a condition that the user has to change. */
export function needsAttention({ state, wait }: OperatorState): boolean {
  return state !== 'fine' && state !== 'settling' && wait !== null && !wait.isNormal;
}

/** Counts the nodes that run routers: the compute nodes, or the control plane nodes if there are no others. */
function countRouterNodes(design: Design | null, nodes: readonly NodeView[]): OperatorDependencies['workers'] {
  if (design === null) return countLabelledWorkers(nodes);
  const compute = design.nodes.filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane');
  const planned = compute.length > 0 ? compute : nodesWithRole(design, 'control-plane');
  const names = new Set(planned.map((node) => nodeFqdn(design, node)));
  return { planned: planned.length, ...countReady(nodes.filter(({ name }) => names.has(name))) };
}

/** Without a design: counts the nodes with the worker role, which schedulable control plane nodes have, too. */
function countLabelledWorkers(nodes: readonly NodeView[]): OperatorDependencies['workers'] {
  const workers = nodes.filter(({ roles }) => roles.includes('worker'));
  return { planned: workers.length, ...countReady(workers) };
}

function countReady(nodes: readonly NodeView[]) {
  const ready = nodes.filter(({ isReady }) => isReady);
  const times = ready.flatMap(({ readySince }) => readySince ?? []);
  return { ready: ready.length, since: times.length > 0 ? Math.min(...times) : null };
}

function deriveStability({ steadySince }: OperatorView, now: number): OperatorState['stability'] {
  if (steadySince === null) return 'moving';
  return now - steadySince > STABLE_AFTER ? 'stable' : 'settling';
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

/** Sort key: overdue waits come before normal ones. */
function rank(operator: OperatorState): number {
  return STATE_ORDER.indexOf(operator.state) + (needsAttention(operator) ? 0 : STATE_ORDER.length);
}
