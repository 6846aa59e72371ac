import { catalogue } from '../i18n/catalogue.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { CertificatesView } from '../steps/certificates/index.ts';
import type { StepId } from '../steps/contract.ts';
import type { OperatorsView } from '../steps/operators/index.ts';

const words = () => catalogue().plain.cluster;

/** Operator states to report if the operator was healthy before. */
const UNHEALTHY_STATES: ReadonlySet<OperatorsView['operators'][number]['state']> = new Set(['degraded', 'unavailable']);

/**
 * Describes what changed in the cluster between two probes of a step, one sentence each. Nodes become Ready or
 * NotReady; operators become unhealthy or recover.
 * @param before the view of the previous probe; null at the first one, which has no changes
 */
export function describeClusterChanges(step: StepId, before: unknown, current: unknown): string[] {
  if (before === null || before === undefined || current === null || current === undefined || before === current)
    return [];
  // The type of a run does not include the type of its view: the id of the step determines it.
  if (step === 'certificates') return describeNodeChanges(before as CertificatesView, current as CertificatesView);
  if (step === 'operators') return describeOperatorChanges(before as OperatorsView, current as OperatorsView);
  return [];
}

function describeNodeChanges(before: CertificatesView, current: CertificatesView): string[] {
  // While the API does not answer, the state of the nodes is unknown.
  if (before.apiDetail !== null || current.apiDetail !== null) return [];
  const readyBefore = new Map(before.nodes.map(({ name, isReady }) => [name, isReady]));
  return current.nodes.flatMap(({ name, isReady }) => {
    const wasReady = readyBefore.get(name);
    if (wasReady === undefined || wasReady === isReady) return [];
    return [isReady ? words().ready(sanitizeLine(name)) : words().notReady(sanitizeLine(name))];
  });
}

function describeOperatorChanges(before: OperatorsView, current: OperatorsView): string[] {
  const stateBefore = new Map(before.operators.map(({ name, state }) => [name, state]));
  const present = new Set(current.operators.map(({ name }) => name));
  const states = catalogue().screens.operators.states;
  const changed = current.operators.flatMap(({ name, state, message }) => {
    const previous = stateBefore.get(name);
    if (previous === undefined || previous === state) return [];
    if (UNHEALTHY_STATES.has(state) && !UNHEALTHY_STATES.has(previous))
      return [words().unhealthy(sanitizeLine(name), states[state], sanitizeLine(message))];
    return UNHEALTHY_STATES.has(previous) && state === 'fine' ? [words().healthy(sanitizeLine(name))] : [];
  });
  const removed = current.operators.length === 0 ? [] : before.operators.filter(({ name }) => !present.has(name));
  return [...changed, ...removed.map(({ name }) => words().removed(sanitizeLine(name)))];
}
