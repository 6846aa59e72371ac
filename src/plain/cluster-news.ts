import type { CertificatesView } from '../steps/certificates/index.ts';
import type { StepId } from '../steps/contract.ts';
import type { OperatorsView } from '../steps/operators/index.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';

const words = () => catalogue().plain.cluster;

/** States of an operator that a person has to know of when it was fine before. */
const ILL: ReadonlySet<OperatorsView['operators'][number]['state']> = new Set(['degraded', 'unavailable']);

/**
 * What changed in the cluster between two looks of a step, a sentence each, where the screens change a row: nodes that became Ready
 * or are not Ready any more, operators that fell ill or recovered.
 * @param before the view of the look before, null at the first: then there is no news
 */
export function clusterNews(step: StepId, before: unknown, now: unknown): string[] {
  if (before === null || before === undefined || now === null || now === undefined || before === now) return [];
  // A run does not have the type of its view; the step's id tells it.
  if (step === 'certificates') return nodeNews(before as CertificatesView, now as CertificatesView);
  if (step === 'operators') return operatorNews(before as OperatorsView, now as OperatorsView);
  return [];
}

function nodeNews(before: CertificatesView, now: CertificatesView): string[] {
  // While the API does not answer, nothing is known of any node.
  if (before.apiDetail !== null || now.apiDetail !== null) return [];
  const was = new Map(before.nodes.map(({ name, isReady }) => [name, isReady]));
  return now.nodes.flatMap(({ name, isReady }) => {
    const known = was.get(name);
    if (known === undefined || known === isReady) return [];
    return [isReady ? words().ready(sanitizeLine(name)) : words().notReady(sanitizeLine(name))];
  });
}

function operatorNews(before: OperatorsView, now: OperatorsView): string[] {
  const was = new Map(before.operators.map(({ name, state }) => [name, state]));
  const there = new Set(now.operators.map(({ name }) => name));
  const states = catalogue().screens.operators.states;
  const changed = now.operators.flatMap(({ name, state, message }) => {
    const known = was.get(name);
    if (known === undefined || known === state) return [];
    if (ILL.has(state) && !ILL.has(known))
      return [words().ill(sanitizeLine(name), states[state], sanitizeLine(message))];
    return ILL.has(known) && state === 'fine' ? [words().well(sanitizeLine(name))] : [];
  });
  const gone = now.operators.length === 0 ? [] : before.operators.filter(({ name }) => !there.has(name));
  return [...changed, ...gone.map(({ name }) => words().gone(sanitizeLine(name)))];
}
