import type { Finding } from '../../checks/check.ts';
import type { ApprovalResult } from '../../csr/approve.ts';
import type { FloodEvidence } from '../../csr/review-requests.ts';
import type { CsrVerdict } from '../../csr/verdict.ts';
import type { UserError } from '../../i18n/user-error.ts';
import type { Urgency } from '../../kube/outage.ts';
import type { RejoinAssessments } from './node-membership.ts';

/**
 * An event while following requests; each is sent once, when it happens. The receiver formats it and decides nothing.
 */
export type FollowEvent =
  /** The result of an approval. A failure that repeats in later probes is sent once. */
  | {
      readonly type: 'request/issued' | 'request/approved' | 'request/failed' | 'request/skipped';
      readonly result: ApprovalResult;
    }
  /**
   * Not approved; `rejoinAssessments` has more about a node that already exists. A flood is one event for all its
   * requests.
   */
  | { readonly type: 'request/refused'; readonly request: CsrVerdict; readonly rejoinAssessments: RejoinAssessments }
  /**
   * Approved, although nothing shows that its machine booted. `isLogKnown`: false if there is no install directory with
   * logs.
   */
  | { readonly type: 'boot/unseen'; readonly name: string; readonly node: string; readonly isLogKnown: boolean }
  | { readonly type: 'flood/began' | 'flood/ended'; readonly flood: FloodEvidence }
  /** The API does not answer, or only in part. `since` and `now`: ms of the clock. */
  | {
      readonly type: 'api/lost';
      readonly userError: UserError;
      readonly urgency: Urgency;
      readonly since: number;
      readonly now: number;
    }
  | { readonly type: 'api/answered' }
  /** Another key or name answers at these nodes' addresses. */
  | { readonly type: 'kubelets/foreign'; readonly findings: readonly Finding[] }
  /** Nodes that have joined, and nodes that are missing: at the first probe, and at every change. */
  | { readonly type: 'nodes/joined'; readonly joined: readonly string[]; readonly missing: readonly string[] };

/** Why following ended: all nodes joined; waiting does not help the missing ones; or a signal stopped it. */
export type FollowEnd = 'joined' | 'settled' | 'stopped';

export type { ApprovalResult };
