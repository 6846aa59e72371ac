import { unattendedRequests } from '../../checks/certificates.ts';
import { type Finding, runChecks } from '../../checks/check.ts';
import { type CsrReview, createCsrReview } from '../../csr/review-requests.ts';
import type { RecordedFacts } from '../../csr/verdict.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { StepContext } from '../contract.ts';
import { getFirstPowerOn } from './machines/node-facts.ts';

/** Returns the facts that CSRs are reviewed against. */
export function getRecordedFacts(context: Pick<StepContext, 'stepState' | 'clock'>): RecordedFacts {
  return {
    firstPowerOnAt: getFirstPowerOn(context),
    issuedRequestTimes: context.stepState.get('issued-requests') ?? {},
  };
}

/** Records when issued certificates were requested (ms, by kind and node): the newest time counts. */
export function recordIssued(
  { stepState }: Pick<StepContext, 'stepState'>,
  times: Readonly<Record<string, number>>,
): void {
  const recordedTimes = stepState.get('issued-requests') ?? {};
  const newerTimes = Object.entries(times).filter(([key, time]) => time > (recordedTimes[key] ?? 0));
  if (newerTimes.length > 0) stepState.set('issued-requests', { ...recordedTimes, ...Object.fromEntries(newerTimes) });
}

/**
 * Reviews CSRs against the design and the facts that the session has recorded.
 * @param lists all CSRs and nodes that the API lists
 * @param now ms since the epoch; missing: the time of the clock
 */
export function reviewListedRequests(
  context: Pick<StepContext, 'design' | 'stepState' | 'clock'>,
  lists: Parameters<typeof createCsrReview>[0],
  now = context.clock.now(),
): CsrReview {
  return createCsrReview(lists, { design: context.design, now, ...getRecordedFacts(context) });
}

/** An approval takes seconds: a CSR that waits longer is one that no program approves. */
const MIN_UNATTENDED_AGE_MS = 2 * MINUTE;

/** Checks on a later page whether expected CSRs wait and no program approves them. */
export function checkUnattendedRequests(context: StepContext, snapshot: ClusterSnapshot | null): readonly Finding[] {
  if (snapshot?.requests == null || snapshot.nodes === null) return [];
  const { requests, nodes } = snapshot;
  const now = context.clock.now();
  const { reviews } = reviewListedRequests(context, { requests, nodes }, now);
  const waitingReviews = reviews.filter(
    ({ verdict, requestedAt }) => verdict === 'expected' && now - (requestedAt ?? now) > MIN_UNATTENDED_AGE_MS,
  );
  return runChecks([unattendedRequests], waitingReviews);
}
