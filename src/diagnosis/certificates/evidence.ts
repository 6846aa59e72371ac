import type { Rejoining } from './rejoining.ts';

/** More requests at a time than the nodes can have made. Times in ms of the clock. */
export interface FloodEvidence {
  readonly since: number;
  /** When it was over; null while it lasts. */
  readonly until: number | null;
  /** Pending requests at the last look during the flood. */
  readonly pending: number;
  /** Up to this many are no flood. */
  readonly limit: number;
}

/** The judgement of a request by the design. `superseded`: a newer request asks for the same. */
export type Verdict = 'expected' | 'refused' | 'not-ours' | 'decided' | 'superseded';

/** A certificate request with the judgement by the design. */
export interface RequestEvidence {
  readonly name: string;
  /** The node that it is for, where that is known. */
  readonly node: string | null;
  readonly requester: string;
  readonly verdict: Verdict;
  /** Codes of the reasons against it; `why` has a sentence for each. */
  readonly reasons: readonly string[];
  readonly why: readonly string[];
  /** A person may approve it by the name of its node. */
  readonly isOverrulable: boolean;
  /** For a node that is already in the cluster: what speaks for and against the request; null for any other. */
  readonly rejoining: Rejoining['kind'] | null;
}

/** A node that sends nothing, and the minutes since its power-on. */
export interface MissingNode {
  readonly name: string;
  readonly minutes: number;
}

/** What we saw of nodes that join: their requests, and the nodes that send none. */
export interface CertificateEvidence {
  readonly now: number;
  /** Null: no flood. */
  readonly flood: FloodEvidence | null;
  readonly requests: readonly RequestEvidence[];
  readonly missing: readonly MissingNode[];
  /** Nodes that count as joined although nothing answers at their kubelet's port. */
  readonly unproven: readonly string[];
}
