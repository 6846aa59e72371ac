import type { Design } from '../design/model.ts';
import type { NodeView } from '../openshift/node.ts';

/** Reason why a request is not approved automatically. The codes are part of the public interface. */
export type ReasonCode =
  | 'PARSE'
  | 'SIG'
  | 'KEY_WEAK'
  | 'SIGNER'
  | 'USAGES'
  | 'SUBJECT_O'
  | 'SUBJECT_EXTRA'
  | 'NAME_FORM'
  | 'NAME_UNKNOWN'
  | 'LOCALHOST'
  | 'ROLE_NOT_JOINABLE'
  | 'TIME'
  | 'EXPIRY'
  | 'EXTENSION'
  | 'REQUESTER'
  | 'GROUPS'
  | 'CLIENT_SAN'
  | 'NODE_EXISTS'
  | 'CN_MISMATCH'
  | 'SAN_EMPTY'
  | 'SAN_TYPE'
  | 'SAN_FOREIGN_NAME'
  | 'SAN_FOREIGN_IP'
  | 'NODE_MISSING'
  | 'NODE_ADDRESS'
  | 'DUPLICATE_KEYS'
  | 'KEY_REUSED'
  | 'FLOOD'
  | 'TERMINAL'
  | 'CHANGED';
/** The certificate that a request is for: a node's client or serving certificate, or one of another signer. */
export type RequestKind = 'client' | 'serving' | 'other';

/** A reviewed certificate request: its facts, the verdict, and every reason against it (in the order of the policy). */
export interface RequestReview {
  readonly name: string;
  readonly uid: string;
  /** Name of the node that it claims to be for; null if that is not well-formed. */
  readonly node: string | null;
  readonly kind: RequestKind;
  readonly verdict: RequestVerdict;
  readonly reasons: readonly ReasonCode[];
  /** Milliseconds since the epoch. */
  readonly requestedAt: number | null;
  readonly requester: string;
  /** SHA-256 of the key, hexadecimal; null when it cannot be read. */
  readonly fingerprint: string | null;
  readonly isApproved: boolean;
  readonly isIssued: boolean;
  /** Why it was denied, or why its signer failed. Missing: neither, or no reason was given. */
  readonly refusal?: string;
}

/** Facts of the session that a request is reviewed against. Times in milliseconds since the epoch. */
export interface RecordedFacts {
  /** When the first node was powered on; null if not known. */
  readonly firstPowerOnAt: number | null;
  /**
   * By `getOwnerKey`: when the newest request whose certificate was issued was created. The API deletes that request an
   * hour after its approval, and keeps the older pending ones for a day.
   */
  readonly issuedRequestTimes?: Readonly<Record<string, number>>;
}

/** The design, the cluster and the recorded facts that a request is reviewed against. */
export interface ReviewContext extends RecordedFacts {
  readonly design: Design;
  /** The nodes that are in the cluster now. */
  readonly nodes: readonly NodeView[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Returns the key of the requests of one node for one of its two certificates. */
export const getOwnerKey = ({ kind, node }: Pick<RequestReview, 'kind' | 'node'>) => `${kind} ${node}`;

/** Lists the requests whose certificates exist, as `RecordedFacts.issuedRequestTimes`. */
export function listIssuedRequestTimes(reviews: readonly RequestReview[]): Readonly<Record<string, number>> {
  const issued = reviews.filter(({ kind, node, isIssued }) => kind !== 'other' && node !== null && isIssued);
  return mergeNewest(issued.map((review) => [getOwnerKey(review), review.requestedAt ?? 0]));
}

/** Merges times by their keys: the newest of each key. */
function mergeNewest(times: readonly (readonly [key: string, time: number])[]): Readonly<Record<string, number>> {
  return Object.fromEntries(times.toSorted(([, a], [, b]) => a - b));
}

/** Reasons that the user may overrule by naming the request, because the design cannot decide them. */
export const OVERRULABLE_REASONS: ReadonlySet<ReasonCode> = new Set(['DUPLICATE_KEYS', 'NODE_EXISTS', 'FLOOD']);

/** Whether the request comes from a node and is not decided yet. */
export function isUndecided({ kind, verdict }: Pick<RequestReview, 'kind' | 'verdict'>): boolean {
  return kind !== 'other' && verdict !== 'decided';
}

/** Whether the request waits for a decision, and no newer one replaces it. */
export function isUndecidedAndCurrent(review: Pick<RequestReview, 'kind' | 'verdict'>): boolean {
  return isUndecided(review) && review.verdict !== 'superseded';
}

/** Whether the user may approve a request by naming the request (and its node). */
export function canApproveByName({ verdict, reasons, node }: RequestReview): boolean {
  return node !== null && verdict === 'refused' && reasons.every((reason) => OVERRULABLE_REASONS.has(reason));
}

/**
 * Requests that need a decision come first, superseded ones last: they need no action. Requests of other signers come
 * before decided ones.
 */
const REVIEW_ORDER: Readonly<Record<RequestReview['verdict'], number>> = {
  expected: 0,
  refused: 1,
  'not-ours': 2,
  decided: 3,
  superseded: 4,
};

/** Compares requests for a list: by `REVIEW_ORDER`, then newest first, then by name. */
export function compareForReview(a: RequestReview, b: RequestReview): number {
  return (
    REVIEW_ORDER[a.verdict] - REVIEW_ORDER[b.verdict] ||
    (b.requestedAt ?? 0) - (a.requestedAt ?? 0) ||
    (a.name < b.name ? -1 : 1)
  );
}

/** The verdict as users read it: a decided request was approved or denied, or it failed after its approval. */
export type ShownVerdict = Exclude<RequestVerdict, 'decided'> | 'approved' | 'denied' | 'failed';

/** Returns the verdict as users read it. */
export function getShownVerdict({
  verdict,
  reasons,
  isApproved,
}: Pick<RequestReview, 'verdict' | 'reasons' | 'isApproved'>): ShownVerdict {
  if (verdict !== 'decided') return verdict;
  if (!reasons.includes('TERMINAL')) return 'approved';
  return isApproved ? 'failed' : 'denied';
}

/** The verdict on a request by the design. `superseded`: a newer request is for the same certificate. */
export type RequestVerdict = 'expected' | 'refused' | 'not-ours' | 'decided' | 'superseded';

/** Returns a request as shown in `--json` output. */
export function createRequestDocument({
  name,
  uid,
  node,
  kind,
  verdict,
  reasons,
  requestedAt,
  requester,
}: RequestReview) {
  const requestTime = requestedAt === null ? null : new Date(requestedAt).toISOString();
  return { name, uid, node, kind, verdict, reasons, requestedAt: requestTime, requester };
}
