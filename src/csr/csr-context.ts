import type { Design, DesignNode } from '../design/model.ts';
import type { UserError } from '../i18n/user-error.ts';
import type { Cluster } from '../kube/api.ts';
import { checkClockSkew } from '../kube/errors.ts';
import { parseCertificateRequest } from '../openshift/certificate-request.ts';
import { type NodeView, parseNode } from '../openshift/node.ts';
import type { Clock } from '../platform/clock.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import type { AuditLog } from '../session/audit-log.ts';
import { type CsrReview, createCsrReview } from './review-requests.ts';
import type { KubeletVerdict } from './served-certificate.ts';
import type { RecordedFacts } from './verdict.ts';

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
