import type { CertificateRequest } from '../openshift/certificate-request.ts';
import type { NodeView } from '../openshift/node.ts';
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts';
import { reviewRequest } from './request-policy.ts';
import {
  compareForReview,
  getOwnerKey,
  isUndecided,
  isUndecidedAndCurrent,
  type ReasonCode,
  type RequestReview,
  type ReviewContext,
} from './verdict.ts';

type FloodContext = Pick<ReviewContext, 'design' | 'now'>;

/**
 * Only requests of the last hour make a flood, as in OpenShift's own approver (cluster-machine-approver,
 * maxPendingDelta and maxMachineClockSkew). Nodes left unapproved overnight send a new request every quarter of an
 * hour.
 */
const FLOOD_WINDOW = HOUR + 10 * SECOND;

/** Whether far more requests wait than the nodes of the design can have created. */
function isFlood(reviews: readonly RequestReview[], context: FloodContext): boolean {
  return countPending(reviews, context) > getFloodLimit(context);
}

/**
 * Returns the flood after one more probe; null when none was observed.
 * @param reviews the reviews of all requests that the API lists
 */
export function updateFlood(
  previous: FloodEvidence | null,
  reviews: readonly RequestReview[],
  context: FloodContext,
): FloodEvidence | null {
  const isOngoing = previous !== null && previous.until === null;
  if (!isFlood(reviews, context)) return isOngoing ? { ...previous, until: context.now } : previous;
  const since = isOngoing ? previous.since : context.now;
  return { since, until: null, pending: countPending(reviews, context), limit: getFloodLimit(context) };
}

function countPending(reviews: readonly RequestReview[], { now }: FloodContext): number {
  return reviews.filter(
    (review) =>
      isUndecidedAndCurrent(review) && (review.requestedAt === null || review.requestedAt >= now - FLOOD_WINDOW),
  ).length;
}

/** Returns the number of requests that may wait: two for each node (to join and to serve), and some renewals. */
function getFloodLimit({ design }: FloodContext): number {
  return 2 * design.nodes.length + 20;
}

/**
 * A kubelet waits 15 minutes for its certificate before it creates a new key. Two keys within a shorter time come from
 * two senders.
 */
const MIN_KEY_INTERVAL = 10 * MINUTE;

/**
 * Reviews all requests of the cluster together: a newer request of a node supersedes an older one, colliding keys are
 * refused, and a flood stops all approvals. Pure; keeps the order of the list.
 * @param requests all that the API lists, including decided ones: their keys are compared as well
 */
export function reviewRequests(requests: readonly CertificateRequest[], context: ReviewContext): RequestReview[] {
  const individualReviews = requests.map((request) => reviewRequest(request, context));
  // Each request is compared only with those of its node and of its key: in a flood, comparing all pairs would take too
  // long.
  const getNodeRequests = groupByNode(individualReviews);
  const nodesByKey = collectNodesByKey(individualReviews);
  const reviewsWithRefusals = individualReviews.map((review) => {
    if (!isUndecided(review)) return review;
    const addedReasons: ReasonCode[] = [];
    if (isDuplicate(review, getNodeRequests(review))) addedReasons.push('DUPLICATE_KEYS');
    if (isKeyReused(review, nodesByKey)) addedReasons.push('KEY_REUSED');
    return addReasons(review, addedReasons);
  });
  const getReviewedNodeRequests = groupByNode(reviewsWithRefusals);
  const finalReviews = reviewsWithRefusals.map((review) => {
    const isSuperseded =
      (canBeSuperseded(review) &&
        getReviewedNodeRequests(review).some((candidate) => canSupersede(candidate, review))) ||
      isFromBeforeJoining(review, context) ||
      isOlderThanCertificate(review, context);
    return isSuperseded ? { ...review, verdict: 'superseded' as const } : review;
  });
  if (!isFlood(finalReviews, context)) return finalReviews;
  return finalReviews.map((review) => (isUndecidedAndCurrent(review) ? addReasons(review, ['FLOOD']) : review));
}

/**
 * Groups requests by kind and node.
 * @returns a function that returns the group of a request
 */
function groupByNode(reviews: readonly RequestReview[]): (review: RequestReview) => readonly RequestReview[] {
  const groups = Map.groupBy(reviews, getOwnerKey);
  return (review) => groups.get(getOwnerKey(review)) ?? [];
}

/**
 * Collects the node names that each key was used with. Requests without a valid signature are ignored: anyone can copy
 * a public key, but only its owner can sign.
 */
function collectNodesByKey(reviews: readonly RequestReview[]): ReadonlyMap<string, ReadonlySet<string>> {
  const nodesByKey = new Map<string, Set<string>>();
  for (const { node, fingerprint, reasons } of reviews) {
    if (node === null || fingerprint === null || reasons.includes('SIG')) continue;
    const names = nodesByKey.get(fingerprint);
    if (names) names.add(node);
    else nodesByKey.set(fingerprint, new Set([node]));
  }
  return nodesByKey;
}

/** Refuses a request for further reasons; without any, the review stays. */
function addReasons(review: RequestReview, addedReasons: readonly ReasonCode[]): RequestReview {
  if (addedReasons.length === 0) return review;
  return { ...review, verdict: 'refused', reasons: [...review.reasons, ...addedReasons] };
}

/**
 * Whether the request is valid except for its time, and its node exists. (The node may have been powered on before the
 * wizard knew.)
 */
function isOnlyLate(reasons: readonly ReasonCode[]): boolean {
  return reasons.includes('NODE_EXISTS') && reasons.every((reason) => reason === 'NODE_EXISTS' || reason === 'TIME');
}

/**
 * Whether the request is left over from before its node joined. A node repeats its request every 15 minutes until it
 * joins, so a leftover request is no sign of an impostor. It must not be approved either. (Within 10 minutes of an
 * approved request it remains a duplicate. A request from the second in which the node appeared is not proven to be
 * left over.)
 */
function isFromBeforeJoining(
  { node, kind, verdict, reasons, requestedAt }: RequestReview,
  { nodes }: ReviewContext,
): boolean {
  if (kind !== 'client' || verdict !== 'refused' || requestedAt === null) return false;
  const joinedAt = nodes.find(({ name }) => name === node)?.createdAt ?? null;
  return joinedAt !== null && requestedAt < joinedAt && isOnlyLate(reasons);
}

/**
 * Whether the node got its certificate for a newer request, which may no longer be listed. A kubelet waits only for the
 * last request that it created.
 */
function isOlderThanCertificate(review: RequestReview, { issuedRequestTimes = {} }: ReviewContext): boolean {
  const issuedRequestTime = issuedRequestTimes[getOwnerKey(review)];
  return (
    issuedRequestTime !== undefined &&
    canBeSuperseded(review) &&
    review.requestedAt !== null &&
    review.requestedAt < issuedRequestTime
  );
}

/**
 * Whether another client request of the node within 10 minutes has another key. Approved requests count as well: after
 * the user approves one of two, the other must not become expected.
 */
function isDuplicate(review: RequestReview, nodeRequests: readonly RequestReview[]): boolean {
  if (review.kind !== 'client' || review.node === null || review.requestedAt === null) return false;
  if (!canDuplicate(review)) return false;
  const { requestedAt, fingerprint } = review;
  return nodeRequests.some(
    (candidate) =>
      (isUndecided(candidate) ? canDuplicate(candidate) : candidate.isApproved) &&
      candidate.fingerprint !== fingerprint &&
      candidate.requestedAt !== null &&
      Math.abs(candidate.requestedAt - requestedAt) < MIN_KEY_INTERVAL,
  );
}

/**
 * Whether a request can count as a duplicate of another one, and so block it. A request that can never be approved must
 * not block any.
 */
function canDuplicate({ verdict, reasons }: RequestReview): boolean {
  return verdict === 'expected' || reasons.every((reason) => reason === 'NODE_EXISTS');
}

/** Whether a request of another node, decided or not, has the same key. */
function isKeyReused(
  { node, fingerprint }: RequestReview,
  nodesByKey: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const nodes = fingerprint === null ? undefined : nodesByKey.get(fingerprint);
  return node !== null && nodes !== undefined && nodes.size > (nodes.has(node) ? 1 : 0);
}

function canBeSuperseded({ verdict, reasons }: RequestReview): boolean {
  return verdict === 'expected' || (verdict === 'refused' && isOnlyLate(reasons));
}

/** Reasons that say nothing against the sender of a request. */
const NEUTRAL_REASONS: readonly ReasonCode[] = ['DUPLICATE_KEYS', 'NODE_EXISTS', 'TIME'];

/**
 * Whether the request was sent as a node sends it, whatever the verdict. The API authenticates the requester of a
 * serving certificate. Every machine of the network can request a client certificate: only a valid one counts.
 */
function isFromNode({ kind, node, requester, reasons }: RequestReview): boolean {
  return kind === 'serving'
    ? requester === `system:node:${node}`
    : reasons.every((reason) => NEUTRAL_REASONS.includes(reason));
}

/**
 * Whether `candidate`, of the same node and kind, is newer and replaces the request. Expected and approved requests do,
 * denied and failed ones do not. A refused one replaces only an expected request: the node waits for its last request
 * alone (kubernetes, client-go/util/certificate/certificate_manager.go). Within the same second, the later name wins.
 */
function canSupersede(candidate: RequestReview, review: RequestReview): boolean {
  const canReplaceUndecided =
    candidate.verdict === 'expected' ||
    (candidate.verdict === 'refused' && review.verdict === 'expected' && isFromNode(candidate));
  const canReplace = candidate.isApproved ? !candidate.reasons.includes('TERMINAL') : canReplaceUndecided;
  const [candidateTime, reviewTime] = [candidate.requestedAt ?? 0, review.requestedAt ?? 0];
  return canReplace && (candidateTime > reviewTime || (candidateTime === reviewTime && candidate.name > review.name));
}

/** The requests of a cluster with their verdicts, reviewed together. */
export interface CsrReview {
  /** Reviews that need a decision come first. */
  readonly reviews: readonly RequestReview[];
  readonly requests: ReadonlyMap<string, CertificateRequest>;
}

/** Reviews the requests that the API lists, including decided ones. */
export function createCsrReview(
  { requests, nodes }: { readonly requests: readonly CertificateRequest[]; readonly nodes: readonly NodeView[] },
  context: Omit<ReviewContext, 'nodes'>,
): CsrReview {
  return {
    reviews: reviewRequests(requests, { ...context, nodes }).toSorted(compareForReview),
    requests: new Map(requests.map((request) => [request.name, request])),
  };
}

/** More pending requests than the nodes can have created. Times in ms of the clock. */
export interface FloodEvidence {
  readonly since: number;
  /** End of the flood; null while it lasts. */
  readonly until: number | null;
  /** Pending requests at the last probe during the flood. */
  readonly pending: number;
  /** Maximum number of pending requests that counts as normal. */
  readonly limit: number;
}
