import type { ApproveResult } from '../../cluster/csr/approve.ts';
import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { Urgency } from '../../cluster/outage.ts';
import type { FloodEvidence } from '../../diagnosis/certificates/evidence.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import type { Trouble } from '../../text/trouble.ts';
import type { Rejoinings } from './rejoining.ts';

/**
 * What happens while we follow requests; each event is sent once, when it happens. The follower shows it in its own
 * words and has nothing left to decide.
 */
export type FollowEvent =
  /** The outcome of an approval. A failure that repeats look after look is sent once. */
  | {
      readonly type: 'request/issued' | 'request/approved' | 'request/failed' | 'request/skipped';
      readonly result: ApproveResult;
    }
  /** Left alone; `rejoinings` says more of a node that is there already. A flood is one event for all its requests. */
  | { readonly type: 'request/refused'; readonly request: Judgement; readonly rejoinings: Rejoinings }
  /** Approved, though nothing shows that its machine booted. `isLogKnown`: false: no install directory has logs. */
  | { readonly type: 'boot/unseen'; readonly name: string; readonly node: string; readonly isLogKnown: boolean }
  | { readonly type: 'flood/began' | 'flood/ended'; readonly flood: FloodEvidence }
  /** The API does not answer, or only in part. `since` and `now`: ms of the clock. */
  | {
      readonly type: 'api/lost';
      readonly trouble: Trouble;
      readonly urgency: Urgency;
      readonly since: number;
      readonly now: number;
    }
  | { readonly type: 'api/answered' }
  /** Another key or name answers at these nodes' addresses. */
  | { readonly type: 'kubelets/foreign'; readonly findings: readonly Finding[] }
  /** Who has joined by now, and who is still missing: at the first look, and at every change. */
  | { readonly type: 'nodes/joined'; readonly joined: readonly string[]; readonly missing: readonly string[] };

/** Why following ended: all nodes joined; waiting helps nothing that is left; or a signal stopped it. */
export type FollowEnd = 'joined' | 'settled' | 'stopped';

export type { ApproveResult };
