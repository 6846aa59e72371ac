import type { RejoinAssessment } from './rejoin.ts';

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

/** The verdict on a request by the design. `superseded`: a newer request asks for the same certificate. */
export type RequestVerdict = 'expected' | 'refused' | 'not-ours' | 'decided' | 'superseded';

/** A certificate signing request with its verdict by the design. */
interface RequestEvidence {
  readonly name: string;
  /** The node that requests the certificate; null if unknown. */
  readonly node: string | null;
  readonly requester: string;
  readonly verdict: RequestVerdict;
  /** Codes of the reasons against the request; `why` has a sentence for each. */
  readonly reasons: readonly string[];
  readonly why: readonly string[];
  /** You may approve it, by typing the name of its node. */
  readonly isOverrulable: boolean;
  /** For a node that is already in the cluster: the assessment of its new request; null otherwise. */
  readonly rejoining: RejoinAssessment['kind'] | null;
}

/** A node without any sign, and the minutes since its power-on. */
export interface MissingNode {
  readonly name: string;
  readonly minutes: number;
}

/** Evidence about joining nodes: their requests, and the nodes that send none. */
export interface CertificateEvidence {
  readonly now: number;
  /** Null: no flood. */
  readonly flood: FloodEvidence | null;
  readonly requests: readonly RequestEvidence[];
  readonly missing: readonly MissingNode[];
  /** Nodes that count as joined although nothing answers on their kubelet's port. */
  readonly unproven: readonly string[];
}
