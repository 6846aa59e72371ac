import type { Cluster } from '../kube/api.ts';
import { type CertificateRequest, parseCertificateRequest } from '../openshift/certificate-request.ts';
import { type NodeView, parseNode } from '../openshift/node.ts';
import { type Clock, getElapsedSince, SECOND } from '../platform/clock.ts';
import { reviewRequests } from './review-requests.ts';
import type { RequestReview, ReviewContext } from './verdict.ts';

/** Reviews a list of requests against a list of nodes; both have just been read. */
export type RequestReviewer = (
  requests: readonly CertificateRequest[],
  nodes: readonly NodeView[],
) => readonly RequestReview[];

/** Creates a reviewer that takes the current time from the clock. */
export function createReviewer(context: Omit<ReviewContext, 'nodes' | 'now'>, clock: Clock): RequestReviewer {
  return (requests, nodes) => reviewRequests(requests, { ...context, nodes, now: clock.now() });
}

/** A request with its verdict. */
export interface ReviewedRequest {
  readonly request: CertificateRequest;
  readonly review: RequestReview;
}

/** All requests at one point in time, by name. */
type FreshList = ReadonlyMap<string, ReviewedRequest>;

/** Age (ms of the clock) after which the next list is read in advance, so that approvals need not wait for it. */
const REFRESH_AFTER = 1.5 * SECOND;
/** Maximum age (ms of the clock) of a list in use: 3 s, less the time that a request waits in the queue. */
const MAX_AGE = 2.5 * SECOND;

/** Lists of requests that are never stale. One list is read at a time, and all callers share it. */
export interface FreshLists {
  /** Returns the last list if it is young enough, otherwise reads a new one. @throws ClusterError */
  getRecent(): Promise<FreshList>;
  /** Reads a list whose request starts after this call, so not one that is being read already. @throws ClusterError */
  getNew(): Promise<FreshList>;
}

/**
 * Creates the lists of this cluster. Requests are read before the nodes, so that a node that joins in between counts as
 * joined.
 */
export function createFreshLists(cluster: Cluster, review: RequestReviewer, clock: Clock): FreshLists {
  let lastRead: { readonly requestedAt: number; readonly list: FreshList } | null = null;
  let pendingRead: Promise<FreshList> | null = null;
  const readList = async () => {
    const requestedAt = clock.now();
    const requests = (await cluster.list('CertificateSigningRequest')).map(parseCertificateRequest);
    const nodes = (await cluster.list('Node')).map(parseNode);
    const list = indexByName(requests, review(requests, nodes));
    lastRead = { requestedAt, list };
    return list;
  };
  const startRead = () => {
    pendingRead ??= readList().finally(() => {
      pendingRead = null;
    });
    return pendingRead;
  };
  return {
    async getRecent() {
      const age = lastRead === null ? Number.POSITIVE_INFINITY : getElapsedSince(clock, lastRead.requestedAt);
      if (lastRead === null || age > MAX_AGE) return await startRead();
      // This caller ignores the error of the early read: a later caller that awaits the read receives it.
      if (age > REFRESH_AFTER) startRead().catch(() => undefined);
      return lastRead.list;
    },
    async getNew() {
      await pendingRead?.catch(() => undefined);
      return await startRead();
    },
  };
}

function indexByName(requests: readonly CertificateRequest[], reviews: readonly RequestReview[]): FreshList {
  const reviewsByName = new Map(reviews.map((review) => [review.name, review]));
  return new Map(
    requests.flatMap((request) => {
      const review = reviewsByName.get(request.name);
      return review ? [[request.name, { request, review }] as const] : [];
    }),
  );
}
