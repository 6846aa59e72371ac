import type { ApproveResult } from '../cluster/csr/approve.ts';
import { type Flood, floodAfter } from '../cluster/csr/flood.ts';
import type { Judgement } from '../cluster/csr/judgement.ts';
import { ClusterError } from '../cluster/errors.ts';
import {
  type ApiPast,
  afterLook,
  isHopeless,
  NO_PAST,
  outageLine,
  pauseBeforeLook,
  urgencyOf,
} from '../cluster/outage.ts';
import { type Snapshot, takeSnapshot } from '../cluster/snapshot.ts';
import type { NodeView } from '../objects/node.ts';
import { type Member, type MemberContext, seeMembers } from '../steps/certificates/members.ts';
import { newRecollection, type Recollection, type StepMemory } from '../steps/contract.ts';
import { type Facts, memoryOver } from '../steps/shared/facts.ts';
import { catalogue } from '../text/catalogue.ts';
import { timeOfDay } from '../text/time-of-day.ts';
import { approve, expectedTargets } from './csr-approve.ts';
import type { Live } from './live.ts';
import type { LiveIo } from './live-io.ts';

const findingWords = () => catalogue().diagnosis.certificates;

const words = () => catalogue().live.following;

/** What one look found, after what was expected is approved. */
export interface FollowLook {
  readonly requests: readonly Judgement[];
  /** The nodes that they were judged against. */
  readonly nodes: readonly NodeView[];
  readonly members: readonly Member[];
  /** What came of the approvals; what failed in the same way at the last look is left out. */
  readonly results: readonly ApproveResult[];
}

/** Follows the requests of a cluster, look after look, through whatever the API does. */
export interface Follower {
  /**
   * One look: what is expected is approved.
   * @returns null while the API is away or told to stop; that is said, with since when and whether it is normal
   * @throws TroubleError for what no waiting helps: another cluster answers, the credentials or the kubeconfig are no good
   */
  look(live: Live): Promise<FollowLook | null>;
  /** Does something else that the API is needed for. @returns null as `look` does @throws as `look` does */
  attempt<T>(live: Live, act: () => Promise<T>): Promise<T | null>;
  /** Waits for the next look: `every` ms of the clock, longer and longer while the API is away. */
  rest(live: Pick<Live, 'clock'>, every: number): Promise<void>;
}

/**
 * @param say is told what goes on, one line each time that it is something else
 * @param random 0 to 1, for the pauses
 */
export function createFollower(io: LiveIo, say: (line: string) => void, random = Math.random): Follower {
  let past: ApiPast = NO_PAST;
  let failures = 0;
  let flood: Flood | null = null;
  let saidTrouble = '';
  let saidForeign = '';
  let failedBefore: ReadonlySet<string> = new Set();
  const facts: Facts = {};
  const recollection = newRecollection();

  function failed(now: number): null {
    failures += 1;
    const { outage } = past;
    if (outage === null || io.signal.aborted) return null;
    if (isHopeless(past, now)) throw outage.error;
    const key = `${outage.error.trouble.code} ${urgencyOf(past, now)}`;
    if (key !== saidTrouble) say(outageLine(past, now) ?? '');
    saidTrouble = key;
    return null;
  }

  function wellAgain(): void {
    failures = 0;
    if (saidTrouble !== '') say(words().answersAgain);
    saidTrouble = '';
  }

  async function attempt<T>(live: Live, act: () => Promise<T>): Promise<T | null> {
    try {
      return await act();
    } catch (error) {
      // A kubeconfig that is being written is read again where it is read: one that is no good here is broken.
      if (!(error instanceof ClusterError)) throw error;
      const now = live.clock.now();
      past = afterLook(past, { hasAnswered: false, error }, now);
      return failed(now);
    }
  }

  async function lookOnce(live: Live): Promise<FollowLook | null> {
    const { design, clock } = live;
    const cluster = await live.connect();
    const snapshot = await untilAborted(takeSnapshot(cluster, ['nodes', 'requests'], clock.now(), past), io.signal);
    if (snapshot === null) return null;
    past = snapshot.api.past;
    if (!isWhole(snapshot)) return failed(clock.now());
    wellAgain();
    const { requests, members, foreign } = await seeMembers(memberContext(live, facts, recollection), snapshot);
    const before = flood;
    flood = floodAfter(before, requests, { design, now: clock.now() });
    if (flood !== null && flood.until !== before?.until) say(floodLine(flood));
    const alarms = foreign.map(({ title, cause, whatToDo }) => `${title}: ${cause}. ${whatToDo}`).join('\n');
    if (alarms !== saidForeign && alarms !== '') say(alarms);
    saidForeign = alarms;
    const targets = expectedTargets(requests);
    return {
      requests,
      nodes: snapshot.nodes ?? [],
      members,
      results: news(targets.length === 0 ? [] : await approve(live, io, targets)),
    };
  }

  /** What fails again in the same way, look after look, is told once. */
  function news(results: readonly ApproveResult[]): readonly ApproveResult[] {
    const keyOf = ({ name, judgement, outcome, detail }: ApproveResult) =>
      [name, judgement?.uid, outcome, detail].join(' ');
    const fresh = results.filter((result) => !failedBefore.has(keyOf(result)));
    failedBefore = new Set(results.map(keyOf));
    return fresh;
  }

  return {
    look: (live) => attempt(live, () => lookOnce(live)),
    attempt,
    async rest({ clock }, every) {
      await clock.sleep(pauseBeforeLook(failures, every, random()), io.signal).catch(() => undefined);
    },
  };
}

function isWhole({ nodes, requests, api }: Snapshot): boolean {
  return nodes !== null && requests !== null && api.past.outage === null;
}

/** Who is told to stop does not wait for an API that hangs. */
async function untilAborted<T>(act: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null;
  const ended = new AbortController();
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true, signal: ended.signal });
  });
  act.catch(() => undefined);
  return await Promise.race([act, aborted]).finally(() => ended.abort());
}

/** What the session remembers is read, and never written: it belongs to whoever has its lock. */
function memberContext(
  { design, clock, reach, session }: Live,
  facts: Facts,
  recollection: Recollection,
): MemberContext {
  const known = session?.context.memory;
  const own = memoryOver(facts);
  const memory: StepMemory = { ...own, get: (name) => own.get(name) ?? known?.get(name) };
  return { design, clock, reach, memory, recollection };
}

function floodLine({ since, until, pending, limit }: Flood): string {
  const { over: floodOver, ...flood } = findingWords()['request-flood'];
  if (until !== null) return `${floodOver.title(timeOfDay(until))}: ${floodOver.cause(timeOfDay(since))}.`;
  return `${flood.title(timeOfDay(since))}: ${flood.cause(pending, limit)}. ${flood.whatToDo}`;
}
