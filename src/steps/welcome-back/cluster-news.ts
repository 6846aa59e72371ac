import { judgeAll } from '../../cluster/csr/judge-all.ts';
import { isPending } from '../../cluster/csr/judgement.ts';
import { OPERATOR_STANDINGS, standingOf } from '../../objects/operator.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { StepContext } from '../contract.ts';
import { look } from '../shared/access.ts';
import { bootedSince } from '../shared/machines/later-nodes.ts';

const words = () => catalogue().back;

/** So many operators are named. */
const NAMED = 4;

/**
 * What is new in the cluster itself, which the card cannot know that asks nobody: requests that were made, and operators that
 * changed. Nothing where there is no cluster yet, or none that answers: its step tells that.
 * @param since ms of the context's clock
 */
export async function clusterNews(context: StepContext, since: number): Promise<string[]> {
  const snapshot = await look(context, ['nodes', 'requests', 'operators']).catch(() => null);
  if (snapshot === null || snapshot.api.state === 'away') return [];
  const { design } = context;
  const { requests, nodes, operators, at } = snapshot;
  const judged =
    requests && nodes ? judgeAll(requests, { design, nodes, now: at, bootedSince: bootedSince(context) }) : [];
  const made = judged.filter((request) => isPending(request) && (request.requestedAt ?? 0) > since);
  const of = (verdict: string) => made.filter((request) => request.verdict === verdict).length;
  const changed = (operators ?? [])
    .filter((operator) => (operator.since ?? 0) > since)
    .map((operator) => ({ name: sanitizeLine(operator.name, 60), standing: standingOf(operator) }))
    .sort((a, b) => OPERATOR_STANDINGS.indexOf(a.standing) - OPERATOR_STANDINGS.indexOf(b.standing));
  const named = changed
    .slice(0, NAMED)
    .map(({ name, standing }) => words().operator(name, words().standings[standing]));
  return [
    ...(made.length === 0 ? [] : [words().requests(made.length, of('expected'), of('refused'))]),
    ...(changed.length === 0 ? [] : [words().operators(named.join(', '), changed.length - named.length)]),
  ];
}
