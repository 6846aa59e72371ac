import type { Design } from '../../design/model.ts';
import type { RequestVerdict } from '../../diagnosis/certificates/evidence.ts';
import type { NodeView } from '../../openshift/node.ts';

/** Why a request is not approved automatically. The codes are part of the public interface. */
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
export type RequestKind = 'client' | 'serving' | 'other';

/** A reviewed certificate request: its facts, the verdict, and every reason against it (in the order of the policy). */
export interface CsrVerdict {
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
}

/** Facts that a request is reviewed against. */
export interface ReviewContext {
  readonly design: Design;
  /** The nodes that are in the cluster now. */
  readonly nodes: readonly NodeView[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** When the first node was powered on, in milliseconds since the epoch; null if not known. */
  readonly bootedSince: number | null;
}

/** Reasons that the user may overrule by naming the request, because the design cannot decide them. */
export const MANUAL_REASONS: ReadonlySet<ReasonCode> = new Set(['DUPLICATE_KEYS', 'NODE_EXISTS', 'FLOOD']);

/** Whether the request comes from a node and is not decided yet. */
export function isPending({ kind, verdict }: Pick<CsrVerdict, 'kind' | 'verdict'>): boolean {
  return kind !== 'other' && verdict !== 'decided';
}

/** Whether the user may approve it by naming it (and its node). */
export function canApproveByName({ verdict, reasons, node }: CsrVerdict): boolean {
  return node !== null && verdict === 'refused' && reasons.every((reason) => MANUAL_REASONS.has(reason));
}
