import { type ApproveResult, type ApproveTarget, approveRequests } from '../../cluster/csr/approve.ts';
import { judgeFresh } from '../../cluster/csr/fresh-lists.ts';
import { type Judgement, mayApproveByName } from '../../cluster/csr/judgement.ts';
import { catalogue } from '../../text/catalogue.ts';
import { asTrouble } from '../../text/trouble.ts';
import { endOf, UNLOGGED } from '../shared/acts.ts';
import type { LiveCluster } from '../shared/live-cluster.ts';
import { bootedSince } from '../shared/machines/later-nodes.ts';
import { listRequests } from './requests.ts';

/** The requests that we approve without a person naming them. */
export function expectedTargets(requests: readonly Judgement[]): ApproveTarget[] {
  return requests
    .filter(({ verdict }) => verdict === 'expected')
    .map(({ name, uid }) => ({ name, uid, isByName: false }));
}

/** Approves these, each judged anew. Reports what it approved even when the signal stops it. @throws ClusterError */
export async function approve(
  live: LiveCluster,
  targets: readonly ApproveTarget[],
  signal: AbortSignal,
): Promise<ApproveResult[]> {
  if (targets.length === 0) return [];
  const { design, clock } = live;
  const judgeNow = judgeFresh({ design, bootedSince: bootedSince(live) }, clock);
  const acts = live.session?.context.acts ?? UNLOGGED;
  const ended = acts.begin(targets.map(({ name }) => ({ step: 'certificates', action: 'approve', subject: name })));
  try {
    const results = await approveRequests(await live.connect(), targets, judgeNow, { clock, signal });
    ended(results.map(({ outcome }) => endOf(outcome === 'failed' || outcome === 'skipped' ? outcome : null)));
    return results;
  } catch (error) {
    ended(targets.map(() => endOf(asTrouble(error).code)));
    throw error;
  }
}

/**
 * Approves the requests named, and all expected ones when asked for those.
 * @param asked.confirm asks a person about a request that the design cannot decide; null to approve it, else why not
 * @returns the outcome of each, named ones first, in the order of the names
 * @throws ClusterError when the API does not answer
 */
export async function approveAsked(
  live: LiveCluster,
  asked: {
    readonly names: readonly string[];
    readonly isAllExpected: boolean;
    readonly confirm: (request: Judgement) => Promise<string | null>;
    readonly signal: AbortSignal;
  },
): Promise<ApproveResult[]> {
  const { names, isAllExpected, confirm, signal } = asked;
  const { requests } = await listRequests(live);
  const targets: ApproveTarget[] = [];
  const declined: ApproveResult[] = [];
  for (const name of names) {
    const judgement = requests.find((request) => request.name === name);
    if (judgement === undefined) {
      declined.push({ judgement: null, name, outcome: 'skipped', detail: catalogue().live.csr.noRequest });
      continue;
    }
    const isByName = mayApproveByName(judgement);
    const detail = isByName ? await confirm(judgement) : null;
    if (detail === null) targets.push({ name, uid: judgement.uid, isByName });
    else declined.push({ judgement, name, outcome: 'skipped', detail });
  }
  if (isAllExpected) targets.push(...expectedTargets(requests).filter(({ name }) => !names.includes(name)));
  const results = [...declined, ...(await approve(live, targets, signal))];
  const rank = ({ name }: ApproveResult) => (names.includes(name) ? names.indexOf(name) : names.length);
  return results.toSorted((a, b) => rank(a) - rank(b));
}
