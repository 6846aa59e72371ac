import { MINUTE } from '../../platform/clock.ts';
import { type CsrVerdict, isPending, type ReasonCode, type ReviewContext } from './csr-verdict.ts';
import { isAwaitingDecision, isFlood } from './flood.ts';
import type { CertificateRequest } from './request.ts';
import { reviewRequest } from './review-request.ts';

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
export function reviewRequests(requests: readonly CertificateRequest[], context: ReviewContext): CsrVerdict[] {
  const individual = requests.map((request) => reviewRequest(request, context));
  // Each request is compared only with those of its node and of its key, so that the cost per request stays low in a
  // flood.
  const peersOf = groupByNode(individual);
  const nodesOfKey = collectNodesByKey(individual);
  const refused = individual.map((review) => {
    if (!isPending(review)) return review;
    const more: ReasonCode[] = [];
    if (isDuplicate(review, peersOf(review))) more.push('DUPLICATE_KEYS');
    if (isKeyReused(review, nodesOfKey)) more.push('KEY_REUSED');
    return withReasons(review, more);
  });
  const refusedPeersOf = groupByNode(refused);
  const combined = refused.map((review) => {
    const isSuperseded =
      (canBeSuperseded(review) && refusedPeersOf(review).some((other) => canSupersede(other, review))) ||
      isFromBeforeJoining(review, context);
    return isSuperseded ? { ...review, verdict: 'superseded' as const } : review;
  });
  if (!isFlood(combined, context)) return combined;
  return combined.map((review) => (isAwaitingDecision(review) ? withReasons(review, ['FLOOD']) : review));
}

/**
 * Groups requests by kind and node.
 * @returns a function that returns the group of a request
 */
function groupByNode(all: readonly CsrVerdict[]): (review: CsrVerdict) => readonly CsrVerdict[] {
  const toGroupKey = ({ kind, node }: CsrVerdict) => `${kind} ${node}`;
  const groups = Map.groupBy(all, toGroupKey);
  return (review) => groups.get(toGroupKey(review)) ?? [];
}

/**
 * Collects the node names that each key was used with. Requests without a valid signature are ignored: anyone can copy
 * a public key, but only its owner can sign.
 */
function collectNodesByKey(all: readonly CsrVerdict[]): ReadonlyMap<string, ReadonlySet<string>> {
  const nodes = new Map<string, Set<string>>();
  for (const { node, fingerprint, reasons } of all) {
    if (node === null || fingerprint === null || reasons.includes('SIG')) continue;
    const known = nodes.get(fingerprint);
    if (known) known.add(node);
    else nodes.set(fingerprint, new Set([node]));
  }
  return nodes;
}

function withReasons(review: CsrVerdict, more: readonly ReasonCode[]): CsrVerdict {
  if (more.length === 0) return review;
  return { ...review, verdict: 'refused', reasons: [...review.reasons, ...more] };
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
 * joins, so this is no sign of an impostor, and not to be approved. (Within 10 minutes of an approved request it
 * remains a duplicate. A request from the second in which the node appeared is not proven to be left over.)
 */
function isFromBeforeJoining(
  { node, kind, verdict, reasons, requestedAt }: CsrVerdict,
  { nodes }: ReviewContext,
): boolean {
  if (kind !== 'client' || verdict !== 'refused' || requestedAt === null) return false;
  const joinedAt = nodes.find(({ name }) => name === node)?.createdAt ?? null;
  return joinedAt !== null && requestedAt < joinedAt && isOnlyLate(reasons);
}

/**
 * Client requests only: another key for the same node within 10 minutes, regardless of the other fields. Approved
 * requests count as well: after the user approves one of two, the other must not become expected.
 */
function isDuplicate(review: CsrVerdict, ofNode: readonly CsrVerdict[]): boolean {
  if (review.kind !== 'client' || review.node === null || review.requestedAt === null) return false;
  if (!canDuplicate(review)) return false;
  const { requestedAt, fingerprint } = review;
  return ofNode.some(
    (other) =>
      (isPending(other) ? canDuplicate(other) : other.isApproved) &&
      other.fingerprint !== fingerprint &&
      other.requestedAt !== null &&
      Math.abs(other.requestedAt - requestedAt) < MIN_KEY_INTERVAL,
  );
}

/** A request that can never be approved must not block a valid one. */
function canDuplicate({ verdict, reasons }: CsrVerdict): boolean {
  return verdict === 'expected' || reasons.every((reason) => reason === 'NODE_EXISTS');
}

/** Whether a request of another node, decided or not, has the same key. */
function isKeyReused({ node, fingerprint }: CsrVerdict, nodesOfKey: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const nodes = fingerprint === null ? undefined : nodesOfKey.get(fingerprint);
  return node !== null && nodes !== undefined && nodes.size > (nodes.has(node) ? 1 : 0);
}

function canBeSuperseded({ verdict, reasons }: CsrVerdict): boolean {
  return verdict === 'expected' || (verdict === 'refused' && isOnlyLate(reasons));
}

/**
 * Whether `other`, of the same node and kind, is newer and replaces the request. Expected and approved requests do;
 * refused, denied and failed ones do not. Within the same second, the later name wins.
 */
function canSupersede(other: CsrVerdict, review: CsrVerdict): boolean {
  const isGood = other.isApproved ? !other.reasons.includes('TERMINAL') : other.verdict === 'expected';
  const [theirs, own] = [other.requestedAt ?? 0, review.requestedAt ?? 0];
  return isGood && (theirs > own || (theirs === own && other.name > review.name));
}
