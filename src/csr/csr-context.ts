import type { Design, DesignNode } from '../design/model.ts';
import type { UserError } from '../i18n/user-error.ts';
import type { Cluster } from '../kube/api.ts';
import { checkClockSkew } from '../kube/errors.ts';
import { type CertificateRequest, parseCertificateRequest } from '../openshift/certificate-request.ts';
import { type NodeView, parseNode } from '../openshift/node.ts';
import { type Clock, getElapsedSince, SECOND } from '../platform/clock.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import type { AuditLog } from '../session/audit-log.ts';
import { type CsrReview, createCsrReview, reviewRequests } from './review-requests.ts';
import type { KubeletVerdict } from './served-certificate.ts';
import type { RecordedFacts, RequestReview, ReviewContext } from './verdict.ts';

/** A running cluster, the design that its requests are compared with, and what is known about its machines. */
export interface CsrContext {
  readonly design: Design;
  readonly clock: Clock;
  readonly resolveEndpoint: ResolveEndpoint;
  /** Connects to the API again: the installer rewrites the kubeconfig when it completes. */
  readonly connect: () => Promise<Cluster>;
  readonly auditLog: AuditLog;
  /** Returns the facts that the session has recorded so far. */
  readonly getRecordedFacts: () => RecordedFacts;
  /** Records issued certificates: see `RecordedFacts.issuedRequestTimes`. */
  readonly recordIssued: (times: Readonly<Record<string, number>>) => void;
  /**
   * Full names of nodes. `served`: their serving certificate was observed as issued; `proven`: their kubelet presented
   * it.
   */
  readonly facts: Readonly<Record<'served' | 'proven', NameList>>;
  /** The last probe of each kubelet (ms of the clock) and its verdict, by the full name of the node. */
  readonly kubeletVerdicts: Map<string, { readonly at: number; readonly verdict: KubeletVerdict }>;
  /** Evidence that machines booted; null if only a design and a kubeconfig were given. */
  readonly bootEvidence: BootEvidence | null;
}

/** Names that the session keeps. */
interface NameList {
  readonly get: () => readonly string[];
  readonly set: (names: readonly string[]) => void;
}

/** Evidence, from an install directory, that machines have booted. */
export interface BootEvidence {
  /** Returns the short names of those machines that were observed booting. */
  readonly findBootedMachines: (machines: readonly DesignNode[]) => Promise<ReadonlySet<string>>;
  /** Lists the short names of machines that cannot boot without help; null: a problem of no single machine. */
  readonly listUnbootableMachines: () => Promise<readonly (string | null)[]>;
  /** Lists when machines fetched their installation files, by their addresses. */
  readonly listInstallations: () => Promise<readonly { readonly client: string; readonly at: number }[]>;
}

/**
 * Reads all requests and nodes of the cluster, and reviews the requests.
 * @returns the reviews, the nodes of the cluster, and `clockSkewError`: the error to show if the clocks of this host
 * and of the API differ (the review uses the age of requests), else null
 * @throws ClusterError
 */
export async function readCsrReview({
  design,
  clock,
  connect,
  getRecordedFacts,
}: Pick<CsrContext, 'design' | 'clock' | 'connect' | 'getRecordedFacts'>): Promise<
  CsrReview & { readonly nodes: readonly NodeView[]; readonly clockSkewError: UserError | null }
> {
  const cluster = await connect();
  const [nodes, requests] = await Promise.all([
    cluster.list('Node').then((objects) => objects.map(parseNode)),
    cluster.list('CertificateSigningRequest').then((objects) => objects.map(parseCertificateRequest)),
  ]);
  const review = createCsrReview({ requests, nodes }, { design, now: clock.now(), ...getRecordedFacts() });
  return { ...review, nodes, clockSkewError: checkClockSkew(cluster.getClockSkew()) };
}

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
