import { ClusterError } from '../../kube/errors.ts';
import {
  type ApiHealth,
  assessUrgency,
  computeProbePause,
  isUnrecoverable,
  recordProbe,
  UNKNOWN_HEALTH,
} from '../../kube/outage.ts';
import { takeSnapshot } from '../../kube/snapshot.ts';

import { type Clock, MINUTE, startWaitTimer, systemClock } from '../../platform/clock.ts';

import type { LiveCluster } from '../shared/live-cluster.ts';
import { probeBoot } from '../shared/machines/boot-progress.ts';
import { listWorkerMachines } from '../shared/machines/node-facts.ts';
import { approveTargets, selectExpectedTargets } from './approve.ts';
import type { FollowEnd, FollowEvent } from './follow-event.ts';
import { createFollowNotifier, wasApproved } from './follow-notifier.ts';
import { type NodeMembership, reviewNodes } from './node-membership.ts';

/**
 * Following settles after this long, and after this many probes, without progress: in a rehearsal, half an hour is
 * seconds.
 */
const IDLE_TIMEOUT = 30 * MINUTE;
const MIN_IDLE_PROBES = 30;

/** Options of `followRequests`. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Pause between probes, ms of the clock; another one, up to 15 s, while the API is down. */
  readonly interval: number;
  /**
   * When to end without the signal. `joined`: when every node has joined. `settled`: also when only nodes with a
   * problem are missing (they delay no other node), or half an hour passed without progress. `stopped`: never.
   */
  readonly until: FollowEnd;
  readonly emit: (event: FollowEvent) => void;
  /** Runs before the first probe; retried while the API is down. */
  readonly beforeFirst?: (live: LiveCluster) => Promise<void>;
  /** Returns 0 to 1, for the jitter of the pauses. */
  readonly random?: () => number;
}

/**
 * Follows the certificate requests of a cluster in repeated probes, also through API outages, and approves expected
 * ones as they appear: a node sends its second request only after its first certificate. Denies nothing, and approves
 * nothing else. Only this function decides it; events report everything that happens.
 * @param withCluster runs one probe on the cluster; callers that reread the design each time reopen the cluster there
 * @throws UserErrorException if waiting cannot help: another cluster answers, or the credentials or the kubeconfig are
 * invalid
 */
export async function followRequests(
  withCluster: (probe: (live: LiveCluster) => Promise<void>) => Promise<void>,
  { signal, interval, until, emit, beforeFirst, random = Math.random }: FollowOptions,
): Promise<FollowEnd> {
  const notifier = createFollowNotifier(emit);
  let clock: Clock = systemClock;
  let apiHealth: ApiHealth = UNKNOWN_HEALTH;
  let failures = 0;
  let isStarted = beforeFirst === undefined;
  let idleWait: ReturnType<typeof startWaitTimer> | null = null;

  async function probeOnce(live: LiveCluster): Promise<FollowEnd | null> {
    if (!isStarted) await beforeFirst?.(live);
    isStarted = true;
    const cluster = await live.connect();
    const snapshot = await untilAborted(takeSnapshot(cluster, ['nodes', 'requests'], clock.now(), apiHealth), signal);
    if (snapshot === null) return null;
    apiHealth = snapshot.api.health;
    const { nodes, requests: listed } = snapshot;
    if (nodes === null || listed === null || apiHealth.outage !== null) return handleOutage();
    failures = 0;
    notifier.reportRecovery();
    const { requests, members, foreign } = await reviewNodes(live, { nodes, requests: listed });
    notifier.reportFlood(live, requests);
    notifier.reportForeign(foreign);
    const results = notifier.reportResults(await approveTargets(live, selectExpectedTargets(requests), signal));
    await notifier.reportUnbooted(live, results);
    await notifier.reportRefused(live, requests, nodes);
    if (notifier.reportMembers(members) || results.some(wasApproved)) idleWait = startWaitTimer(clock);
    if (results.length > 0 || until === 'stopped') return null;
    if (members.every(({ hasJoined }) => hasJoined)) return 'joined';
    const problemNodes = foreign.map(({ subject }) => subject);
    return until === 'settled' && (await areOnlyProblemNodesMissing(live, members, problemNodes)) ? 'settled' : null;
  }

  function handleOutage(): null {
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
    await withCluster(async (live) => {
      clock = live.clock;
      idleWait ??= startWaitTimer(clock);
      end = await probeOnce(live).catch((error: unknown) => {
        // Reading retries a kubeconfig that is being written: one that fails here is invalid.
        if (!(error instanceof ClusterError)) throw error;
        apiHealth = recordProbe(apiHealth, { hasAnswered: false, error }, clock.now());
        return handleOutage();
      });
      if (until === 'settled' && idleWait.isOver(IDLE_TIMEOUT, MIN_IDLE_PROBES)) end ??= 'settled';
    });
    if (end === null) await clock.sleep(computeProbePause(failures, interval, random()), signal).catch(() => undefined);
  }
  return end ?? 'stopped';
}

/**
 * Whether only nodes with a problem are missing: they delay no other node.
 * @param foreign nodes at whose addresses another machine answers
 */
async function areOnlyProblemNodesMissing(
  { design, session }: LiveCluster,
  members: readonly NodeMembership[],
  foreign: readonly (string | null)[],
): Promise<boolean> {
  const findings = session ? (await probeBoot(session.context, listWorkerMachines(design))).findings : [];
  const fatal = findings.flatMap(({ severity, subject }) => (severity === 'fatal' ? [subject] : []));
  const problemNodes = new Set([...fatal, ...foreign]);
  return members.every(({ name, hasJoined }) => hasJoined || problemNodes.has(name));
}

/** Resolves with null on abort, without waiting for an API that hangs. */
async function untilAborted<T>(operation: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null;
  const ended = new AbortController();
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true, signal: ended.signal });
  });
  operation.catch(() => undefined);
  return await Promise.race([operation, aborted]).finally(() => ended.abort());
}
