import { formatShortReasons } from '../checks/certificates.ts';
import type { Finding } from '../checks/check.ts';
import { getNodeFqdn } from '../design/derived-facts.ts';
import type { DesignNode } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { separateCommands } from '../i18n/prose.ts';
import type { UserError } from '../i18n/user-error.ts';
import {
  type ApiHealth,
  assessUrgency,
  computeProbePause,
  formatOutage,
  isUnrecoverable,
  recordProbe,
  UNKNOWN_HEALTH,
  type Urgency,
} from '../kube/api-health.ts';
import { ClusterError } from '../kube/errors.ts';
import { takeSnapshot } from '../kube/snapshot.ts';
import type { NodeView } from '../openshift/node.ts';
import { type Clock, formatTimeOfDay, MINUTE, startWaitTimer, systemClock } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { type ApprovalResult, approveAndRecord, selectExpectedTargets } from './approve.ts';
import type { CsrContext } from './csr-context.ts';
import type { DenialResult } from './deny.ts';
import {
  assessRejoins,
  explainReasons,
  type NodeMembership,
  type RejoinAssessments,
  reviewNodes,
} from './node-membership.ts';
import { type FloodEvidence, updateFlood } from './review-requests.ts';
import type { RequestReview } from './verdict.ts';

/** Whether the wizard wrote an approval. */
function wasApproved({ outcome }: ApprovalResult): boolean {
  return outcome === 'issued' || outcome === 'approved';
}

/** Creates a notifier that sends an event for every change between probes; a state that stays the same is sent once. */
function createFollowNotifier(emit: (event: FollowEvent) => void) {
  let flood: FloodEvidence | null = null;
  let lastOutageKey = '';
  let lastForeignKey = '';
  let lastMembersKey = '';
  let lastResultKeys: ReadonlySet<string> = new Set();
  let lastRefusalKeys: ReadonlySet<string> = new Set();

  return {
    reportOutage(outage: Omit<Extract<FollowEvent, { type: 'api/lost' }>, 'type'>): void {
      const key = `${outage.userError.code} ${outage.urgency}`;
      if (key !== lastOutageKey) emit({ type: 'api/lost', ...outage });
      lastOutageKey = key;
    },

    reportRecovery(): void {
      if (lastOutageKey !== '') emit({ type: 'api/answered' });
      lastOutageKey = '';
    },

    reportFlood({ design, clock }: CsrContext, requests: readonly RequestReview[]): void {
      const previousFlood = flood;
      flood = updateFlood(previousFlood, requests, { design, now: clock.now() });
      if (flood === null || (previousFlood !== null && flood.until === previousFlood.until)) return;
      emit({ type: flood.until === null ? 'flood/began' : 'flood/ended', flood });
    },

    reportForeignKubelets(findings: readonly Finding[]): void {
      const key = findings.map(({ subject }) => subject).join(' ');
      if (key !== lastForeignKey && key !== '') emit({ type: 'kubelets/foreign', findings });
      lastForeignKey = key;
    },

    /** @returns the results that changed since the last probe */
    reportResults(results: readonly ApprovalResult[]): readonly ApprovalResult[] {
      const toKey = ({ name, review, outcome, detail }: ApprovalResult) =>
        [name, review?.uid, outcome, detail].join(' ');
      const newResults = results.filter((result) => !lastResultKeys.has(toKey(result)));
      lastResultKeys = new Set(results.map(toKey));
      for (const result of newResults) emit({ type: `request/${result.outcome}`, result });
      return newResults;
    },

    /**
     * Reports nodes whose request to join was approved although no boot was observed: a reason to check, not to refuse.
     * A request is approved once, so the event is sent once.
     */
    async reportUnobservedBoots(
      { design, bootEvidence }: CsrContext,
      results: readonly ApprovalResult[],
    ): Promise<void> {
      const joinRequests = new Map(
        results.flatMap((result) =>
          wasApproved(result) && result.review?.kind === 'client' ? [[result.review.node, result.name] as const] : [],
        ),
      );
      const findRequestName = (node: DesignNode) => joinRequests.get(getNodeFqdn(design, node));
      const machines = design.nodes.filter((node) => findRequestName(node) !== undefined);
      if (machines.length === 0) return;
      const bootedNames = (await bootEvidence?.findBootedMachines(machines)) ?? new Set<string>();
      for (const node of machines) {
        const details = {
          name: findRequestName(node) ?? '',
          node: getNodeFqdn(design, node),
          isLogKnown: bootEvidence !== null,
        };
        if (!bootedNames.has(node.name)) emit({ type: 'boot/unobserved', ...details });
      }
    },

    /** Sends each new refusal, except those of a flood: `reportFlood` sends one event for all of them. */
    async reportRefusals(
      context: CsrContext,
      requests: readonly RequestReview[],
      nodes: readonly NodeView[],
    ): Promise<void> {
      const refusedRequests = requests.filter(
        ({ verdict, reasons }) => verdict === 'refused' && !reasons.includes('FLOOD'),
      );
      const toKey = ({ uid, reasons }: RequestReview) => `${uid} ${reasons.join(' ')}`;
      const newRefusals = refusedRequests.filter((request) => !lastRefusalKeys.has(toKey(request)));
      lastRefusalKeys = new Set(refusedRequests.map(toKey));
      const rejoinAssessments = await assessRejoins(context, newRefusals, nodes);
      for (const request of newRefusals) emit({ type: 'request/refused', request, rejoinAssessments });
    },

    /** @returns whether the set of joined nodes changed */
    reportMembers(members: readonly NodeMembership[]): boolean {
      const listNames = (hasJoined: boolean) =>
        members.filter((member) => member.hasJoined === hasJoined).map(({ name }) => name);
      const missingNames = listNames(false);
      const key = `${members.length} ${missingNames.join(' ')}`;
      if (key === lastMembersKey) return false;
      lastMembersKey = key;
      emit({ type: 'nodes/joined', joined: listNames(true), missing: missingNames });
      return true;
    },
  };
}

/**
 * Following ends as `idle` after this time, and at least this many probes, without progress. The count matters in a
 * rehearsal, where half an hour passes in seconds.
 */
const IDLE_TIMEOUT = 30 * MINUTE;
const MIN_IDLE_PROBES = 30;

/** Options of `followRequests`. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Pause between probes (ms of the clock). While the API is down, the pause is 1 to 15 s instead. */
  readonly interval: number;
  /**
   * When to end without the signal. `joined`: when every node has joined. `settled`: also when only nodes with a
   * problem are missing (they delay no other node), or half an hour passed without progress. `stopped`: never.
   */
  readonly until: Exclude<FollowEnd, 'idle'>;
  readonly emit: (event: FollowEvent) => void;
  /** Runs before the first probe; retried while the API is down. */
  readonly beforeFirstProbe?: (context: CsrContext) => Promise<void>;
  /** Returns 0 to 1, for the jitter of the pauses. */
  readonly random?: () => number;
}

/**
 * Follows the certificate requests of a cluster in repeated probes, also through API outages. Approves expected ones as
 * they appear: a node sends its second request only after its first certificate. Denies nothing, and approves nothing
 * else. All decisions are made here; events report everything that happens.
 * @param runOnCluster runs one probe on the cluster; a caller that rereads the design before each probe also opens the
 * cluster again in this function
 * @throws UserErrorException if waiting cannot help: another cluster answers, or the credentials or the kubeconfig are
 * invalid
 */
export async function followRequests(
  runOnCluster: (probe: (context: CsrContext) => Promise<void>) => Promise<void>,
  { signal, interval, until, emit, beforeFirstProbe, random = Math.random }: FollowOptions,
): Promise<FollowEnd> {
  const notifier = createFollowNotifier(emit);
  let clock: Clock = systemClock;
  let apiHealth: ApiHealth = UNKNOWN_HEALTH;
  let failures = 0;
  let isStarted = beforeFirstProbe === undefined;
  let idleWait: ReturnType<typeof startWaitTimer> | null = null;

  async function probeOnce(context: CsrContext): Promise<FollowEnd | null> {
    if (!isStarted) await beforeFirstProbe?.(context);
    isStarted = true;
    const cluster = await context.connect();
    const snapshot = await runUntilAborted(
      takeSnapshot(cluster, ['nodes', 'requests'], clock.now(), apiHealth),
      signal,
    );
    if (snapshot === null) return null;
    apiHealth = snapshot.api.health;
    const { nodes, requests: listedRequests } = snapshot;
    if (nodes === null || listedRequests === null || apiHealth.outage !== null) return reportOutageOrThrow();
    failures = 0;
    notifier.reportRecovery();
    const { requests, members, foreignNodeFindings } = await reviewNodes(context, { nodes, requests: listedRequests });
    notifier.reportFlood(context, requests);
    notifier.reportForeignKubelets(foreignNodeFindings);
    const results = notifier.reportResults(await approveAndRecord(context, selectExpectedTargets(requests), signal));
    await notifier.reportUnobservedBoots(context, results);
    await notifier.reportRefusals(context, requests, nodes);
    if (notifier.reportMembers(members) || results.some(wasApproved)) idleWait = startWaitTimer(clock);
    if (results.length > 0 || until === 'stopped') return null;
    if (members.every(({ hasJoined }) => hasJoined)) return 'joined';
    const foreignNodes = foreignNodeFindings.map(({ subject }) => subject);
    return until === 'settled' && (await areOnlyProblemNodesMissing(context, members, foreignNodes)) ? 'settled' : null;
  }

  function reportOutageOrThrow(): null {
    failures += 1;
    const now = clock.now();
    const { outage } = apiHealth;
    if (outage === null || signal.aborted) return null;
    if (isUnrecoverable(apiHealth, now)) throw outage.error;
    notifier.reportOutage({
      userError: outage.error.userError,
      urgency: assessUrgency(apiHealth, now),
      since: outage.since,
      now,
    });
    return null;
  }

  let end: FollowEnd | null = null;
  while (end === null && !signal.aborted) {
    await runOnCluster(async (context) => {
      clock = context.clock;
      idleWait ??= startWaitTimer(clock);
      end = await probeOnce(context).catch((error: unknown) => {
        // Reading a kubeconfig already retries while the file is being written, so an error here means that it is
        // invalid.
        if (!(error instanceof ClusterError)) throw error;
        apiHealth = recordProbe(apiHealth, { hasAnswered: false, error }, clock.now());
        return reportOutageOrThrow();
      });
      if (until === 'settled' && idleWait.isOverAfterProbe(IDLE_TIMEOUT, MIN_IDLE_PROBES)) end ??= 'idle';
    });
    if (end === null) await clock.sleep(computeProbePause(failures, interval, random()), signal).catch(() => undefined);
  }
  return end ?? 'stopped';
}

/**
 * Whether only nodes with a problem are missing: they delay no other node.
 * @param foreignNodes nodes at whose addresses another machine answers
 */
async function areOnlyProblemNodesMissing(
  { bootEvidence }: CsrContext,
  members: readonly NodeMembership[],
  foreignNodes: readonly (string | null)[],
): Promise<boolean> {
  const problemNodes = new Set([...((await bootEvidence?.listUnbootableMachines()) ?? []), ...foreignNodes]);
  return members.every(({ name, hasJoined, isLost }) => hasJoined || isLost || problemNodes.has(name));
}

/** Resolves with null on abort, without waiting for an API that hangs. */
async function runUntilAborted<T>(operation: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null;
  const listenerController = new AbortController();
  const abortPromise = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true, signal: listenerController.signal });
  });
  operation.catch(() => undefined);
  return await Promise.race([operation, abortPromise]).finally(() => listenerController.abort());
}

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
type FollowEnd = 'joined' | 'settled' | 'idle' | 'stopped';

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
