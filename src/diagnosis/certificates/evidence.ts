import type { Rejoining } from './rejoining.ts';

/** More requests at a time than the nodes can have made. Times in ms of the clock. */
export interface FloodEvidence {
  readonly since: number;
  /** When it was over; null while it lasts. */
  readonly until: number | null;
  /** How many wait, or waited at the last look at which it lasted. */
  readonly pending: number;
  /** As many are no flood. */
  readonly limit: number;
}

/** A request for a certificate, as it was judged by the design. */
export interface RequestEvidence {
  readonly name: string;
  /** The node that it is for, where that is known. */
  readonly node: string | null;
  readonly requester: string;
  readonly verdict: 'expected' | 'refused' | 'not-ours' | 'decided' | 'superseded';
  /** Codes of what speaks against it, and each in a sentence. */
  readonly reasons: readonly string[];
  readonly why: readonly string[];
  /** A person may approve it by the name of its node. */
  readonly isOverrulable: boolean;
  /** Of a node that is there already, what speaks for it and against it; null for any other. */
  readonly rejoining: Rejoining['kind'] | null;
}

/** A node that nothing is heard of, and for how long: minutes since it was powered on. */
export interface MissingNode {
  readonly name: string;
  readonly minutes: number;
}

/** What was seen of nodes that join: what they ask for, and who is not heard of. */
export interface CertificateEvidence {
  readonly now: number;
  /** Null when none was seen. */
  readonly flood: FloodEvidence | null;
  readonly requests: readonly RequestEvidence[];
  readonly missing: readonly MissingNode[];
}
