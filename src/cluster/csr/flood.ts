import type { FloodEvidence } from '../../diagnosis/certificates/evidence.ts';
import { HOUR, SECOND } from '../../platform/clock.ts';
import { type CsrVerdict, isPending, type ReviewContext } from './csr-verdict.ts';

type FloodContext = Pick<ReviewContext, 'design' | 'now'>;

/**
 * Only requests of the last hour make a flood, as in OpenShift's own approver (cluster-machine-approver,
 * maxPendingDelta and maxMachineClockSkew). Nodes left unapproved overnight send a new request every quarter of an
 * hour.
 */
const FLOOD_WINDOW = HOUR + 10 * SECOND;

/** Whether the request waits for a decision, and no newer one replaces it. */
export function isAwaitingDecision(review: CsrVerdict): boolean {
  return isPending(review) && review.verdict !== 'superseded';
}

/** Whether far more requests wait than the nodes of the design can have created. @param verdicts all requests */
export function isFlood(verdicts: readonly CsrVerdict[], context: FloodContext): boolean {
  return countAwaiting(verdicts, context) > getFloodLimit(context);
}

/**
 * The flood after one more probe; null when none was observed.
 * @param verdicts all requests that the API lists
 */
export function updateFlood(
  before: FloodEvidence | null,
  verdicts: readonly CsrVerdict[],
  context: FloodContext,
): FloodEvidence | null {
  const isOngoing = before !== null && before.until === null;
  if (!isFlood(verdicts, context)) return isOngoing ? { ...before, until: context.now } : before;
  const since = isOngoing ? before.since : context.now;
  return { since, until: null, pending: countAwaiting(verdicts, context), limit: getFloodLimit(context) };
}

function countAwaiting(verdicts: readonly CsrVerdict[], { now }: FloodContext): number {
  return verdicts.filter(
    (one) => isAwaitingDecision(one) && (one.requestedAt === null || one.requestedAt >= now - FLOOD_WINDOW),
  ).length;
}

/** Returns the number of requests that may wait: two for each node (to join and to serve), and some renewals. */
function getFloodLimit({ design }: FloodContext): number {
  return 2 * design.nodes.length + 20;
}
