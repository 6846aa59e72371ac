import { isUndecidedAndCurrent, type RequestReview, type RequestVerdict } from '../../csr/verdict.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import { deriveOperatorHealth, OPERATOR_HEALTH_STATES } from '../../openshift/operator.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { StepContext } from '../contract.ts';
import { reviewListedRequests } from '../shared/certificate-requests.ts';
import { readSnapshot } from '../shared/cluster-access.ts';

const words = () => catalogue().welcomeBack;

/** Maximum number of names in a sentence: of operators, nodes or moves. */
export const MAX_LISTED_NAMES = 4;

/** Reads the cluster for the messages to a user who returns; null if there is none. */
export const readSnapshotOnReturn = (context: StepContext): Promise<ClusterSnapshot | null> =>
  readSnapshot(context, ['nodes', 'requests', 'operators']).catch(() => null);

/** The read of the cluster for a user who returns, which may still be in progress. */
export type PendingSnapshot = ReturnType<typeof readSnapshotOnReturn>;

/**
 * Describes what the cluster itself reports as new, which local records do not contain: new CSRs, and operators that
 * changed. Empty if there is no cluster yet, or none that answers: its step reports that.
 * @param snapshot from `readSnapshotOnReturn`
 * @param since ms of the context's clock
 */
export function describeClusterChanges(
  context: StepContext,
  snapshot: ClusterSnapshot | null,
  since: number,
): string[] {
  if (snapshot === null || snapshot.api.state === 'away') return [];
  const { operators } = snapshot;
  const newRequests = listNewRequests(context, snapshot, since);
  const changedOperators = (operators ?? [])
    .filter((operator) => (operator.since ?? 0) > since)
    .map((operator) => ({ name: sanitizeLine(operator.name, 60), health: deriveOperatorHealth(operator) }))
    .sort((a, b) => OPERATOR_HEALTH_STATES.indexOf(a.health) - OPERATOR_HEALTH_STATES.indexOf(b.health));
  const descriptions = changedOperators
    .slice(0, MAX_LISTED_NAMES)
    .map(({ name, health }) => words().operator(name, words().operatorStates[health]));
  return [
    ...(newRequests.length === 0
      ? []
      : [
          words().requests(
            newRequests.length,
            countVerdict(newRequests, 'expected'),
            countVerdict(newRequests, 'refused'),
          ),
        ]),
    ...(changedOperators.length === 0
      ? []
      : [words().operators(descriptions.join(', '), changedOperators.length - descriptions.length)]),
  ];
}

/** Lists the CSRs that wait for a decision and were created after `since` (ms of the context's clock). */
export function listNewRequests(
  context: StepContext,
  { requests, nodes, at }: ClusterSnapshot,
  since: number,
): RequestReview[] {
  if (requests === null || nodes === null) return [];
  const { reviews } = reviewListedRequests(context, { requests, nodes }, at);
  return reviews.filter((request) => isUndecidedAndCurrent(request) && (request.requestedAt ?? 0) > since);
}

/** Counts the CSRs with this verdict. */
export const countVerdict = (reviews: readonly RequestReview[], verdict: RequestVerdict) =>
  reviews.filter((review) => review.verdict === verdict).length;
