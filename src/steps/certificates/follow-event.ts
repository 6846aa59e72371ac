import type { ApproveResult } from '../../cluster/csr/approve.ts';
import type { Flood } from '../../cluster/csr/flood.ts';
import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { Urgency } from '../../cluster/outage.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import type { Trouble } from '../../text/trouble.ts';
import type { Rejoinings } from './rejoining.ts';

/**
 * What happens while requests are followed, each told once, when it happens. Whoever follows shows it in its own words; there is
 * nothing left to decide.
 */
export type FollowEvent =
  /** What came of an approval. What fails in the same way look after look is told once. */
  | {
      readonly type: 'request/issued' | 'request/approved' | 'request/failed' | 'request/skipped';
      readonly result: ApproveResult;
    }
  /** Left alone; `rejoinings` says more of a node that is there already. Those of a flood are told by the flood. */
  | { readonly type: 'request/refused'; readonly request: Judgement; readonly rejoinings: Rejoinings }
  /** Approved, and nothing shows that its machine booted. `isLogKnown`: false where no install directory has the logs. */
  | { readonly type: 'boot/unseen'; readonly name: string; readonly node: string; readonly isLogKnown: boolean }
  | { readonly type: 'flood/began' | 'flood/ended'; readonly flood: Flood }
  /** The API does not answer, or not all of it. `since` and `now`: ms of the clock. */
  | {
      readonly type: 'api/lost';
      readonly trouble: Trouble;
      readonly urgency: Urgency;
      readonly since: number;
      readonly now: number;
    }
  | { readonly type: 'api/answered' }
  /** At these nodes' addresses another key or name answers. */
  | { readonly type: 'kubelets/foreign'; readonly findings: readonly Finding[] }
  /** Who has joined by now, and who is missing still: at the first look, and whenever it is somebody else. */
  | { readonly type: 'nodes/joined'; readonly joined: readonly string[]; readonly missing: readonly string[] };

/** Why following ended: all nodes joined; nothing is left that waiting helps; it was told to stop. */
export type FollowEnd = 'joined' | 'settled' | 'stopped';

export type { ApproveResult };
