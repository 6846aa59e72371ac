import type { Design } from '../../design/model.ts';
import type { Verdict } from '../../diagnosis/certificates/evidence.ts';
import type { NodeView } from '../../objects/node.ts';

/** Why a request is not approved automatically: the codes of the outer interface. */
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

/** What a request is, and whether we expect it, with every reason why not (in the order of the policy). */
export interface Judgement {
  readonly name: string;
  readonly uid: string;
  /** The node that it claims to be for, when that is a well-formed name. */
  readonly node: string | null;
  readonly kind: RequestKind;
  readonly verdict: Verdict;
  readonly reasons: readonly ReasonCode[];
  /** Milliseconds since the epoch. */
  readonly requestedAt: number | null;
  readonly requester: string;
  /** SHA-256 of the key, hexadecimal; null when it cannot be read. */
  readonly fingerprint: string | null;
  readonly isApproved: boolean;
  readonly isIssued: boolean;
}

/** The facts to judge a request against. */
export interface JudgeContext {
  readonly design: Design;
  /** The nodes that are in the cluster now. */
  readonly nodes: readonly NodeView[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** When the first node was powered on, as far as we know; null: not known. */
  readonly bootedSince: number | null;
}

/** Reasons that a person may overrule by naming the request: what the design cannot decide. */
export const MANUAL_REASONS: ReadonlySet<ReasonCode> = new Set(['DUPLICATE_KEYS', 'NODE_EXISTS', 'FLOOD']);

/** From a node, and not decided yet. */
export function isPending({ kind, verdict }: Pick<Judgement, 'kind' | 'verdict'>): boolean {
  return kind !== 'other' && verdict !== 'decided';
}

/** Whether a person may approve it by naming it (and its node). */
export function mayApproveByName({ verdict, reasons, node }: Judgement): boolean {
  return node !== null && verdict === 'refused' && reasons.every((reason) => MANUAL_REASONS.has(reason));
}
