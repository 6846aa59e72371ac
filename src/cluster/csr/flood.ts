import type { FloodEvidence } from '../../diagnosis/certificates/evidence.ts';
import { HOUR, SECOND } from '../../ports/clock.ts';
import { isPending, type JudgeContext, type Judgement } from './judgement.ts';

type FloodContext = Pick<JudgeContext, 'design' | 'now'>;

/**
 * Only requests of the last hour make a flood, as in OpenShift's own approver (cluster-machine-approver,
 * maxPendingDelta and maxMachineClockSkew): nodes left unapproved overnight ask anew every quarter of an hour.
 */
const WITHIN = HOUR + 10 * SECOND;

/** Waits for a decision, and no newer request has taken its place. */
export function isOpen(judgement: Judgement): boolean {
  return isPending(judgement) && judgement.verdict !== 'superseded';
}

/** Whether far more requests wait than the nodes of the design can have made. @param judged all requests */
export function isFlood(judged: readonly Judgement[], context: FloodContext): boolean {
  return openOf(judged, context) > limitOf(context);
}

/**
 * The flood after one more look; null when none was seen.
 * @param judged all requests that the API lists
 */
export function floodAfter(
  before: FloodEvidence | null,
  judged: readonly Judgement[],
  context: FloodContext,
): FloodEvidence | null {
  const isLasting = before !== null && before.until === null;
  if (!isFlood(judged, context)) return isLasting ? { ...before, until: context.now } : before;
  const since = isLasting ? before.since : context.now;
  return { since, until: null, pending: openOf(judged, context), limit: limitOf(context) };
}

function openOf(judged: readonly Judgement[], { now }: FloodContext): number {
  return judged.filter((one) => isOpen(one) && (one.requestedAt === null || one.requestedAt >= now - WITHIN)).length;
}

/** How many may wait: two for each node (to join and to serve), and some renewed ones. */
function limitOf({ design }: FloodContext): number {
  return 2 * design.nodes.length + 20;
}
