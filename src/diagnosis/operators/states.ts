import type { Design } from '../../design/model.ts';
import { nodeFqdn, nodesWithRole } from '../../design/names.ts';
import type { NodeView } from '../../objects/node.ts';
import { type OperatorView, standingOf } from '../../objects/operator.ts';
import type { PodView } from '../../objects/pod.ts';
import { SECOND } from '../../ports/clock.ts';
import { type OperatorSurroundings, type OperatorWait, operatorWait } from './waits.ts';

/** An operator as the screens show it: its conditions, what they mean, and its unwell pods. */
export interface OperatorState extends OperatorView {
  readonly state: 'degraded' | 'unavailable' | 'silent' | 'progressing' | 'settling' | 'fine';
  /** What it waits for; null where there is nothing to explain. */
  readonly wait: OperatorWait | null;
  /** The installer's last phase: it waits until each operator has not been progressing for 30 seconds. */
  readonly stability: 'moving' | 'settling' | 'stable';
  /** Its pods that neither run nor are completed, as far as we looked. */
  readonly pods: readonly PodView[];
}

/** openshift-install waitfor.go: coStabilityThreshold, from 4.15 on. */
const STABLE_AFTER = 30 * SECOND;

/** The operators with what they wait for; those that need attention come first. @param design null: what is planned is not known */
export function operatorStates(
  design: Design | null,
  operators: readonly OperatorView[],
  nodes: readonly NodeView[],
  pods: readonly PodView[],
  now: number,
): OperatorState[] {
  const unavailable = new Set(operators.filter(({ available }) => !available).map(({ name }) => name));
  // We wait for an operator that is not there yet, as long as the others are not complete.
  for (const name of ['ingress', 'authentication'])
    if (operators.length > 0 && !operators.some((operator) => operator.name === name)) unavailable.add(name);
  const around = { now, unavailable, workers: workersOf(design, nodes) };
  return (
    operators
      .map((operator): OperatorState => {
        const stability = stabilityOf(operator, now);
        return {
          ...operator,
          state: stateOf(operator, stability),
          wait: operatorWait(operator, around),
          stability,
          pods: pods.filter(({ namespace }) => operator.namespaces.includes(namespace)),
        };
      })
      // By code, not by language: names are ASCII, and the first comparison by language loads its tables.
      .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
  );
}

/** It waits longer than normal, or for something that a person has to change. */
export function needsAttention({ state, wait }: OperatorState): boolean {
  return state !== 'fine' && state !== 'settling' && wait !== null && !wait.isNormal;
}

/** The nodes that routers run on: all but the control plane, or the control plane where there are no others. */
function workersOf(design: Design | null, nodes: readonly NodeView[]): OperatorSurroundings['workers'] {
  if (design === null) return labelled(nodes);
  const compute = design.nodes.filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane');
  const planned = compute.length > 0 ? compute : nodesWithRole(design, 'control-plane');
  const names = new Set(planned.map((node) => nodeFqdn(design, node)));
  return { planned: planned.length, ...readyOf(nodes.filter(({ name }) => names.has(name))) };
}

/** Where nobody knows what is planned: the nodes that call themselves workers, which those of a schedulable control plane do as well. */
function labelled(nodes: readonly NodeView[]): OperatorSurroundings['workers'] {
  const workers = nodes.filter(({ roles }) => roles.includes('worker'));
  return { planned: workers.length, ...readyOf(workers) };
}

function readyOf(nodes: readonly NodeView[]) {
  const ready = nodes.filter(({ isReady }) => isReady);
  const times = ready.flatMap(({ readySince }) => readySince ?? []);
  return { ready: ready.length, since: times.length > 0 ? Math.min(...times) : null };
}

function stabilityOf({ steadySince }: OperatorView, now: number): OperatorState['stability'] {
  if (steadySince === null) return 'moving';
  return now - steadySince > STABLE_AFTER ? 'stable' : 'settling';
}

function stateOf(operator: OperatorView, stability: OperatorState['stability']): OperatorState['state'] {
  const standing = standingOf(operator);
  switch (standing) {
    case 'unavailable':
      return operator.conditions.some(({ type, status }) => type === 'Available' && status === 'False')
        ? 'unavailable'
        : 'silent';
    case 'fine':
      return stability === 'settling' ? 'settling' : 'fine';
    case 'degraded':
    case 'progressing':
      return standing;
  }
}

const ORDER: readonly OperatorState['state'][] = [
  'degraded',
  'unavailable',
  'silent',
  'progressing',
  'settling',
  'fine',
];

/** Waits that last too long come before normal ones. */
function rank(operator: OperatorState): number {
  return ORDER.indexOf(operator.state) + (needsAttention(operator) ? 0 : ORDER.length);
}
