import { type NodeView, nodeView } from '../../objects/node.ts';
import type { Clock } from '../../ports/clock.ts';
import { SECOND } from '../../ports/clock.ts';
import { ageOf } from '../../ports/waiting.ts';
import type { Cluster } from '../api.ts';
import { judgeAll } from './judge-all.ts';
import type { JudgeContext, Judgement } from './judgement.ts';
import { type CertificateRequest, readRequest } from './request.ts';

/** Judges a list of requests against a list of nodes, both just read. */
export type JudgeNow = (requests: readonly CertificateRequest[], nodes: readonly NodeView[]) => readonly Judgement[];

/** The usual JudgeNow, by the time of the clock. */
export function judgeFresh(context: Omit<JudgeContext, 'nodes' | 'now'>, clock: Clock): JudgeNow {
  return (requests, nodes) => judgeAll(requests, { ...context, nodes, now: clock.now() });
}

export interface Seen {
  readonly request: CertificateRequest;
  readonly judgement: Judgement;
}
/** All requests by name, as they were at one time. */
export type FreshList = ReadonlyMap<string, Seen>;

/** While many are approved, the next list is read ahead of time, so that nobody waits for it; */
const AGAIN_AFTER = 1.5 * SECOND;
/** and nobody uses one requested longer ago than this (3 s, less the time that a request waits for its turn). */
const OLDEST = 2.5 * SECOND;

/** Lists of requests that are never stale; one is read at a time, for all who wait for it. */
export interface FreshLists {
  /** The last list when it is young enough; otherwise a new one. @throws ClusterError */
  recent(): Promise<FreshList>;
  /** A list requested after the call. @throws ClusterError */
  anew(): Promise<FreshList>;
}

/** Lists of this cluster. Requests are read before the nodes, so that whoever joined in between counts as joined. */
export function freshLists(cluster: Cluster, judgeNow: JudgeNow, clock: Clock): FreshLists {
  let latest: { readonly askedAt: number; readonly list: FreshList } | null = null;
  let coming: Promise<FreshList> | null = null;
  const read = async () => {
    const askedAt = clock.now();
    // The nodes after the requests: whoever joined in between is in the list.
    const requests = (await cluster.list('CertificateSigningRequest')).map(readRequest);
    const nodes = (await cluster.list('Node')).map(nodeView);
    const list = byName(requests, judgeNow(requests, nodes));
    latest = { askedAt, list };
    return list;
  };
  const ask = () => {
    coming ??= read().finally(() => {
      coming = null;
    });
    return coming;
  };
  return {
    async recent() {
      const age = latest === null ? Number.POSITIVE_INFINITY : ageOf(clock, latest.askedAt);
      if (latest === null || age > OLDEST) return await ask();
      // Whoever needs it notices that it failed.
      if (age > AGAIN_AFTER) ask().catch(() => undefined);
      return latest.list;
    },
    async anew() {
      await coming?.catch(() => undefined);
      return await ask();
    },
  };
}

function byName(requests: readonly CertificateRequest[], judged: readonly Judgement[]): FreshList {
  const judgements = new Map(judged.map((judgement) => [judgement.name, judgement]));
  return new Map(
    requests.flatMap((request) => {
      const judgement = judgements.get(request.name);
      return judgement ? [[request.name, { request, judgement }] as const] : [];
    }),
  );
}
