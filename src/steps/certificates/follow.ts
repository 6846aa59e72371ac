import { ClusterError } from '../../cluster/errors.ts';
import { type ApiPast, afterLook, isHopeless, NO_PAST, pauseBeforeLook, urgencyOf } from '../../cluster/outage.ts';
import { takeSnapshot } from '../../cluster/snapshot.ts';
import { type Clock, MINUTE, systemClock } from '../../ports/clock.ts';
import { beginWait } from '../../ports/waiting.ts';
import type { LiveCluster } from '../shared/live-cluster.ts';
import { watchBoot } from '../shared/machines/boot-watch.ts';
import { laterMachines } from '../shared/machines/later-nodes.ts';
import { approve, expectedTargets } from './approving.ts';
import type { FollowEnd, FollowEvent } from './follow-event.ts';
import { createFollowNews, isTaken } from './follow-news.ts';
import { type Member, seeMembers } from './members.ts';

/** Following settles when nothing has moved for this long, and for so many looks: a rehearsal's half hour is seconds. */
const IDLE_FOR = 30 * MINUTE;
const IDLE_LOOKS = 30;

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** The pause between looks, ms of the clock; another, up to 15 s, while the API is away. */
  readonly every: number;
  /**
   * When it ends by itself. `joined`: when every node has joined. `settled`: also when only nodes with a problem are
   * missing (they hold up nobody else), or nothing has moved for half an hour. `stopped`: only the signal ends it.
   */
  readonly until: FollowEnd;
  readonly tell: (event: FollowEvent) => void;
  /** What to do before the first look; tried again while the API is away. */
  readonly first?: (live: LiveCluster) => Promise<void>;
  /** 0 to 1, for the pauses. */
  readonly random?: () => number;
}

/**
 * Follows the requests of a cluster, look after look, through whatever the API does, and approves expected ones as they
 * appear: a node asks a second time only after its first certificate. Denies nothing, and approves nothing else. This
 * is the one place that decides it; events report all that happens.
 * @param within runs one look on the cluster: callers that read the design anew each time open it anew there
 * @throws TroubleError for what no waiting helps: another cluster answers, the credentials or the kubeconfig are no good
 */
export async function follow(
  within: (look: (live: LiveCluster) => Promise<void>) => Promise<void>,
  { signal, every, until, tell, first, random = Math.random }: FollowOptions,
): Promise<FollowEnd> {
  const news = createFollowNews(tell);
  let clock: Clock = systemClock;
  let past: ApiPast = NO_PAST;
  let failures = 0;
  let isBegun = first === undefined;
  let idle: ReturnType<typeof beginWait> | null = null;

  async function look(live: LiveCluster): Promise<FollowEnd | null> {
    if (!isBegun) await first?.(live);
    isBegun = true;
    const cluster = await live.connect();
    const snapshot = await untilAborted(takeSnapshot(cluster, ['nodes', 'requests'], clock.now(), past), signal);
    if (snapshot === null) return null;
    past = snapshot.api.past;
    const { nodes, requests: listed } = snapshot;
    if (nodes === null || listed === null || past.outage !== null) return lost();
    failures = 0;
    news.apiAnswered();
    const { requests, members, foreign } = await seeMembers(live, { nodes, requests: listed });
    news.flood(live, requests);
    news.foreign(foreign);
    const results = news.results(await approve(live, expectedTargets(requests), signal));
    await news.unseen(live, results);
    await news.refused(live, requests, nodes);
    if (news.members(members) || results.some(isTaken)) idle = beginWait(clock);
    if (results.length > 0 || until === 'stopped') return null;
    if (members.every(({ hasJoined }) => hasJoined)) return 'joined';
    const inTrouble = foreign.map(({ subject }) => subject);
    return until === 'settled' && (await isOnlyTroubleLeft(live, members, inTrouble)) ? 'settled' : null;
  }

  function lost(): null {
    failures += 1;
    const now = clock.now();
    const { outage } = past;
    if (outage === null || signal.aborted) return null;
    if (isHopeless(past, now)) throw outage.error;
    news.apiLost({ trouble: outage.error.trouble, urgency: urgencyOf(past, now), since: outage.since, now });
    return null;
  }

  let end: FollowEnd | null = null;
  while (end === null && !signal.aborted) {
    await within(async (live) => {
      clock = live.clock;
      idle ??= beginWait(clock);
      end = await look(live).catch((error: unknown) => {
        // Reading retries a kubeconfig that is being written: one that fails here is broken.
        if (!(error instanceof ClusterError)) throw error;
        past = afterLook(past, { hasAnswered: false, error }, clock.now());
        return lost();
      });
      if (until === 'settled' && idle.isOver(IDLE_FOR, IDLE_LOOKS)) end ??= 'settled';
    });
    if (end === null) await clock.sleep(pauseBeforeLook(failures, every, random()), signal).catch(() => undefined);
  }
  return end ?? 'stopped';
}

/** A node with a problem holds up nobody else. @param foreign nodes at whose addresses somebody else answers */
async function isOnlyTroubleLeft(
  { design, session }: LiveCluster,
  members: readonly Member[],
  foreign: readonly (string | null)[],
): Promise<boolean> {
  const findings = session ? (await watchBoot(session.context, laterMachines(design))).findings : [];
  const fatal = findings.flatMap(({ severity, subject }) => (severity === 'fatal' ? [subject] : []));
  const inTrouble = new Set([...fatal, ...foreign]);
  return members.every(({ name, hasJoined }) => hasJoined || inTrouble.has(name));
}

/** An abort does not wait for an API that hangs. */
async function untilAborted<T>(act: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null;
  const ended = new AbortController();
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true, signal: ended.signal });
  });
  act.catch(() => undefined);
  return await Promise.race([act, aborted]).finally(() => ended.abort());
}
