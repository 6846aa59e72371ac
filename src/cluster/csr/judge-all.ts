import { MINUTE } from '../../ports/clock.ts';
import { isFlood, isOpen } from './flood.ts';
import { judge } from './judge.ts';
import { isPending, type JudgeContext, type Judgement, type ReasonCode } from './judgement.ts';
import type { CertificateRequest } from './request.ts';

/** A kubelet waits 15 minutes for its certificate before it makes a new key; two keys in less are two senders. */
const SAME_NODE_APART = 10 * MINUTE;

/**
 * Judges all requests of the cluster together: newer ones of a node take the place of older ones, colliding keys are
 * refused, and a flood stops everything. Pure; in the order of the list.
 * @param requests all that the API lists, decided ones included: their keys are compared as well
 */
export function judgeAll(requests: readonly CertificateRequest[], context: JudgeContext): Judgement[] {
  const alone = requests.map((request) => judge(request, context));
  // Each is compared with those of its node and of its key only: in a flood the cost of each stays low.
  const aloneOf = byNode(alone);
  const ofKey = nodesByKey(alone);
  const refused = alone.map((judgement) => {
    if (!isPending(judgement)) return judgement;
    const more: ReasonCode[] = [];
    if (isDuplicate(judgement, aloneOf(judgement))) more.push('DUPLICATE_KEYS');
    if (isKeyReused(judgement, ofKey)) more.push('KEY_REUSED');
    return withReasons(judgement, more);
  });
  const refusedOf = byNode(refused);
  const together = refused.map((judgement) => {
    const isPassed =
      (mayBePassed(judgement) && refusedOf(judgement).some((other) => hasPassed(other, judgement))) ||
      isFromBeforeJoining(judgement, context);
    return isPassed ? { ...judgement, verdict: 'superseded' as const } : judgement;
  });
  if (!isFlood(together, context)) return together;
  return together.map((judgement) => (isOpen(judgement) ? withReasons(judgement, ['FLOOD']) : judgement));
}

/** The requests of the same node and kind as a given one. */
function byNode(all: readonly Judgement[]): (judgement: Judgement) => readonly Judgement[] {
  const keyOf = ({ kind, node }: Judgement) => `${kind} ${node}`;
  const groups = Map.groupBy(all, keyOf);
  return (judgement) => groups.get(keyOf(judgement)) ?? [];
}

/** The node names that each key's holder used it under. (Anyone can copy a public key; only its holder can sign.) */
function nodesByKey(all: readonly Judgement[]): ReadonlyMap<string, ReadonlySet<string>> {
  const nodes = new Map<string, Set<string>>();
  for (const { node, fingerprint, reasons } of all) {
    if (node === null || fingerprint === null || reasons.includes('SIG')) continue;
    const known = nodes.get(fingerprint);
    if (known) known.add(node);
    else nodes.set(fingerprint, new Set([node]));
  }
  return nodes;
}

function withReasons(judgement: Judgement, more: readonly ReasonCode[]): Judgement {
  if (more.length === 0) return judgement;
  return { ...judgement, verdict: 'refused', reasons: [...judgement.reasons, ...more] };
}

/** Good but for its time, from a node that exists. (It may have been powered on before we knew.) */
function isOnlyLate(reasons: readonly ReasonCode[]): boolean {
  return reasons.includes('NODE_EXISTS') && reasons.every((reason) => reason === 'NODE_EXISTS' || reason === 'TIME');
}

/**
 * A node asks anew every quarter of an hour until it may join. Requests from before it joined are left over: no sign of
 * an impostor, and none to approve. (Within 10 minutes of an approved one it stays a duplicate; one from the very
 * second in which the node appeared is not proven to be left over.)
 */
function isFromBeforeJoining(
  { node, kind, verdict, reasons, requestedAt }: Judgement,
  { nodes }: JudgeContext,
): boolean {
  if (kind !== 'client' || verdict !== 'refused' || requestedAt === null) return false;
  const joinedAt = nodes.find(({ name }) => name === node)?.createdAt ?? null;
  return joinedAt !== null && requestedAt < joinedAt && isOnlyLate(reasons);
}

/**
 * To join: another key for the same node within 10 minutes, whatever else it asks for. An approved one counts as well:
 * after a person chose one of two, the other must not become the expected one.
 */
function isDuplicate(judgement: Judgement, ofNode: readonly Judgement[]): boolean {
  if (judgement.kind !== 'client' || judgement.node === null || judgement.requestedAt === null) return false;
  if (!canDuplicate(judgement)) return false;
  const { requestedAt, fingerprint } = judgement;
  return ofNode.some(
    (other) =>
      (isPending(other) ? canDuplicate(other) : other.isApproved) &&
      other.fingerprint !== fingerprint &&
      other.requestedAt !== null &&
      Math.abs(other.requestedAt - requestedAt) < SAME_NODE_APART,
  );
}

/** Junk that can never be approved must not hold up a good request. */
function canDuplicate({ verdict, reasons }: Judgement): boolean {
  return verdict === 'expected' || reasons.every((reason) => reason === 'NODE_EXISTS');
}

/** Another node's request, decided or not, has the same key. */
function isKeyReused({ node, fingerprint }: Judgement, ofKey: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const nodes = fingerprint === null ? undefined : ofKey.get(fingerprint);
  return node !== null && nodes !== undefined && nodes.size > (nodes.has(node) ? 1 : 0);
}

function mayBePassed({ verdict, reasons }: Judgement): boolean {
  return verdict === 'expected' || (verdict === 'refused' && isOnlyLate(reasons));
}

/**
 * Is `other` a newer request of the same node and kind that takes its place? An approved one does as well: its node
 * asks for nothing older any more. A refused, denied or failed one does not. Within one second, the later name does.
 */
function hasPassed(other: Judgement, judgement: Judgement): boolean {
  const isGood = other.isApproved ? !other.reasons.includes('TERMINAL') : other.verdict === 'expected';
  const [theirs, own] = [other.requestedAt ?? 0, judgement.requestedAt ?? 0];
  return isGood && (theirs > own || (theirs === own && other.name > judgement.name));
}
