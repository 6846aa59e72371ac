import { reviewRequests } from '../../csr/review-requests.ts';
import { isPending } from '../../csr/verdict.ts';

import { catalogue } from '../../i18n/catalogue.ts';
import { deriveOperatorHealth, OPERATOR_HEALTH_STATES } from '../../openshift/operator.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { StepContext } from '../contract.ts';
import { readSnapshot } from '../shared/cluster-access.ts';
import { getFirstPowerOn } from '../shared/machines/node-facts.ts';

const words = () => catalogue().back;

/** The number of operators that are named. */
const MAX_NAMED = 4;

/**
 * Describes what is new in the cluster itself, which the card cannot know from local records: new requests, and
 * operators that changed. Empty if there is no cluster yet, or none that answers: its step reports that.
 * @param since ms of the context's clock
 */
export async function describeClusterChanges(context: StepContext, since: number): Promise<string[]> {
  const snapshot = await readSnapshot(context, ['nodes', 'requests', 'operators']).catch(() => null);
  if (snapshot === null || snapshot.api.state === 'away') return [];
  const { design } = context;
  const { requests, nodes, operators, at } = snapshot;
  const verdicts =
    requests && nodes
      ? reviewRequests(requests, { design, nodes, now: at, bootedSince: getFirstPowerOn(context) })
      : [];
  const newRequests = verdicts.filter((request) => isPending(request) && (request.requestedAt ?? 0) > since);
  const countVerdict = (verdict: string) => newRequests.filter((request) => request.verdict === verdict).length;
  const changed = (operators ?? [])
    .filter((operator) => (operator.since ?? 0) > since)
    .map((operator) => ({ name: sanitizeLine(operator.name, 60), health: deriveOperatorHealth(operator) }))
    .sort((a, b) => OPERATOR_HEALTH_STATES.indexOf(a.health) - OPERATOR_HEALTH_STATES.indexOf(b.health));
  const descriptions = changed
    .slice(0, MAX_NAMED)
    .map(({ name, health }) => words().operator(name, words().operatorStates[health]));
  return [
    ...(newRequests.length === 0
      ? []
      : [words().requests(newRequests.length, countVerdict('expected'), countVerdict('refused'))]),
    ...(changed.length === 0 ? [] : [words().operators(descriptions.join(', '), changed.length - descriptions.length)]),
  ];
}
