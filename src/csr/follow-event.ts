import { formatShortReasons } from '../checks/certificates.ts';
import type { Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { separateCommands } from '../i18n/prose.ts';
import type { UserError } from '../i18n/user-error.ts';
import { formatOutage, type Urgency } from '../kube/api-health.ts';
import { formatTimeOfDay } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { ApprovalResult } from './approve.ts';
import type { DenialResult } from './deny.ts';
import { explainReasons, type RejoinAssessments } from './rejoin.ts';
import type { FloodEvidence } from './review-requests.ts';
import type { RequestReview } from './verdict.ts';

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
   * A request was not approved. `rejoinAssessments`: evidence about a node that already exists. The requests of a flood
   * have one event: see `flood/began`.
   */
  | {
      readonly type: 'request/refused';
      readonly request: RequestReview;
      readonly rejoinAssessments: RejoinAssessments;
    }
  /**
   * A request to join was approved, although nothing shows that its machine booted. `isLogKnown`: false if there is no
   * install directory with logs.
   */
  | { readonly type: 'boot/unobserved'; readonly name: string; readonly node: string; readonly isLogKnown: boolean }
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
  /** The kubelets at these nodes' addresses present a certificate with another key or name. */
  | { readonly type: 'kubelets/foreign'; readonly findings: readonly Finding[] }
  /** Nodes that have joined, and nodes that are missing: at the first probe, and at every change. */
  | { readonly type: 'nodes/joined'; readonly joined: readonly string[]; readonly missing: readonly string[] };

/**
 * Reason why following ended: all nodes joined; waiting does not help the missing ones; nothing changed for half an
 * hour; or a signal stopped it.
 */
export type FollowEnd = 'joined' | 'settled' | 'idle' | 'stopped';

const words = () => catalogue().clusterCommands;
const stepWords = () => catalogue().steps.certificates;
const findingWords = () => catalogue().diagnosis.certificates;

/** Formats the result of an approval or a denial as one line. */
export function formatResult({ name, review, outcome, detail }: ApprovalResult | DenialResult): string {
  return words().csr.result(sanitizeLine(name), review?.node ?? '-', words().csr.outcomes[outcome], detail);
}

/**
 * Formats an event as text.
 * @param detail `short`: one brief line, for the log of a step. `full`: with reasons and remedies; one line for each
 * foreign kubelet
 */
export function formatFollowEvent(event: FollowEvent, detail: 'short' | 'full'): string {
  const isShort = detail === 'short';
  switch (event.type) {
    case 'request/issued':
    case 'request/approved':
      return isShort
        ? stepWords().approved(event.result.name, event.result.review?.node ?? '')
        : formatResult(event.result);
    case 'request/failed':
    case 'request/skipped':
      return isShort ? stepWords().notIssued(event.result.name, event.result.detail) : formatResult(event.result);
    case 'request/refused': {
      const { name, node, requester, reasons } = event.request;
      if (isShort) return findingWords()['request-refused'].title(name, node ?? requester, formatShortReasons(reasons));
      const why = explainReasons(event.request, event.rejoinAssessments).join(' ');
      return words().follower.refused(sanitizeLine(name), node ?? sanitizeLine(requester), reasons.join(' '), why);
    }
    case 'boot/unobserved': {
      if (isShort) return stepWords().noBootObserved(event.name, event.node);
      const { noBoot, noBootSign, noBootLog } = words().follower;
      return noBoot(sanitizeLine(event.name), event.node, event.isLogKnown ? noBootSign : noBootLog);
    }
    case 'flood/began': {
      if (isShort) return stepWords().flood;
      const { title, cause, remedy } = findingWords()['request-flood'];
      const { since, pending, limit } = event.flood;
      return `${title(formatTimeOfDay(since))}: ${cause(pending, limit)}. ${remedy}`;
    }
    case 'flood/ended': {
      if (isShort) return stepWords().floodOver;
      const { title, cause } = findingWords()['request-flood'].resumption;
      const { since, until } = event.flood;
      return `${title(formatTimeOfDay(until ?? since))}: ${cause(formatTimeOfDay(since))}.`;
    }
    case 'api/lost':
      return formatOutage(event);
    case 'api/answered':
      return words().follow.answersAgain;
    case 'kubelets/foreign':
      return isShort
        ? event.findings.map(({ title }) => title).join('; ')
        : event.findings
            .map(({ title, cause, remedy }) => separateCommands(`${title}: ${cause}. ${remedy}`))
            .join('\n');
    case 'nodes/joined':
      return isShort ? formatShortProgress(event) : formatProgress(event);
  }
}

type JoinedEvent = Extract<FollowEvent, { type: 'nodes/joined' }>;

function formatShortProgress({ joined, missing }: JoinedEvent): string {
  return missing.length === 0
    ? stepWords().done(joined.length, 0)
    : stepWords().waiting(joined.length, joined.length + missing.length);
}

const MAX_NAMES = 5;

function formatProgress({ joined, missing }: JoinedEvent): string {
  const remainingCount = missing.length - MAX_NAMES;
  const names = `${missing.slice(0, MAX_NAMES).join(', ')}${remainingCount > 0 ? words().csr.others(remainingCount) : ''}`;
  return words().csr.progress(joined.length, joined.length + missing.length, names);
}
