import { assessRejoin, foreignServingCertificate, type RejoinAssessment } from '../checks/certificates.ts';
import { type Finding, runChecks } from '../checks/check.ts';
import { listDeniedRequests } from '../checks/denied-requests.ts';
import { getNodeFqdn } from '../design/derived-facts.ts';
import type { DesignNode } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { ClusterSnapshot } from '../kube/snapshot.ts';
import { isNodeLost, type NodeView } from '../openshift/node.ts';
import { formatTimeOfDay, getElapsedSince, MINUTE, SECOND } from '../platform/clock.ts';
import { tryFetchServerCertificate } from '../probes/tls-probe.ts';
import { type CsrContext, readCsrReview } from './csr-context.ts';
import { type CsrReview, createCsrReview } from './review-requests.ts';
import { type KubeletVerdict, reviewServedCertificate } from './served-certificate.ts';
import { getOwnerKey, isUndecided, listIssuedRequestTimes, type RequestReview } from './verdict.ts';

/**
 * Progress of one of a node's two certificates. `open`: no request that counts yet. `requested`: a request is expected
 * or approved. `refused`: the request was denied, the wizard refuses it, or a foreign certificate is presented. `done`:
 * the node has the certificate.
 */
export type CertificateProgress = 'open' | 'requested' | 'refused' | 'done';

/** A node of the design, and how far it has joined the cluster. */
export interface NodeMembership {
  readonly name: string;
  readonly role: DesignNode['role'];
  /** The Node is Ready, at its planned address. */
  readonly isReady: boolean;
  /** The node was Ready and no longer is, and no update is restarting it. */
  readonly isLost: boolean;
  readonly hasServingCertificate: boolean;
  /**
   * Ready, and presents its own certificate at its planned address: a stronger condition than two approved requests.
   */
  readonly hasJoined: boolean;
  /**
   * The node counts as joined although its kubelet's port does not answer: its certificate could not be checked from
   * here.
   */
  readonly isUnproven: boolean;
  /** The client certificate (to join), then the serving certificate. */
  readonly certificateProgress: readonly [CertificateProgress, CertificateProgress];
  /** How many of its requests were denied, while it still needs the certificate. */
  readonly deniedCount: number;
}

/**
 * A Ready node that has existed for this time (ms) without a pending serving request has its certificate: kubelets
 * request it within a minute.
 */
const ASSUME_ISSUED_AFTER = 10 * MINUTE;
/** A shorter limit if the kubelet's port does not answer: waiting longer would prove no more. */
const ASSUME_ISSUED_AFTER_SILENCE = 2 * MINUTE;

/**
 * Reviews which nodes have joined, by the API and by the certificates that kubelets present at their planned addresses.
 * Also returns all reviewed requests. Saves proven certificates in the step state.
 * @returns `foreignNodeFindings`: nodes at whose planned address another key or name answers
 */
export async function reviewNodes(
  context: CsrContext,
  snapshot: Pick<ClusterSnapshot, 'nodes' | 'requests'> | null,
): Promise<{
  readonly requests: readonly RequestReview[];
  readonly members: readonly NodeMembership[];
  readonly foreignNodeFindings: readonly Finding[];
}> {
  const { design, clock } = context;
  const nodes = snapshot?.nodes ?? [];
  const reviewWithFacts = () =>
    createCsrReview(
      { requests: snapshot?.requests ?? [], nodes },
      { design, now: clock.now(), ...context.getRecordedFacts() },
    );
  const review = reviewWithFacts();
  const servedNames = recordServedNodes(context, review.reviews);
  context.recordIssued(listIssuedRequestTimes(review.reviews));
  const plannedNodes = design.nodes.filter(({ role }) => role !== 'bootstrap');
  const findNode = (node: DesignNode) => nodes.find(({ name }) => name === getNodeFqdn(design, node));
  const isReady = (node: DesignNode) => isReadyAsPlanned(node, findNode(node));
  const kubeletVerdicts = await probeServedCertificates(context, plannedNodes.filter(isReady), review);
  // A certificate that this probe has proven makes the older requests of its node outdated.
  const requests = reviewWithFacts().reviews;
  const nodeNames = nodes.map(({ name }) => name);
  const deniedRequests = listDeniedRequests({ design, requests, nodeNames, now: clock.now() });
  const members = plannedNodes.map((node): NodeMembership => {
    const fqdn = getNodeFqdn(design, node);
    const nodeRequests = requests.filter((request) => request.node === fqdn);
    const denied = deniedRequests.filter((request) => request.node === fqdn);
    const deriveProgress = (kind: 'client' | 'serving') =>
      denied.some((request) => request.kind === kind) ? 'refused' : deriveRequestProgress(nodeRequests, kind);
    const observedNode = findNode(node);
    const createdAt = observedNode?.createdAt ?? null;
    // The kubelet of a node that is not Ready was not probed: only its requests are evidence.
    const verdict = kubeletVerdicts.get(fqdn) ?? 'unsure';
    const settledAfter = verdict === 'silent' ? ASSUME_ISSUED_AFTER_SILENCE : ASSUME_ISSUED_AFTER;
    const isSettled = isReady(node) && createdAt !== null && clock.now() - createdAt > settledAfter;
    const isWaiting = nodeRequests.some((request) => request.kind === 'serving' && isUndecided(request));
    const isIssuanceLikely = servedNames.has(fqdn) || (isSettled && !isWaiting);
    const hasServingCertificate = verdict === 'own' || (verdict !== 'foreign' && isIssuanceLikely);
    const hasJoined = isReady(node) && hasServingCertificate;
    return {
      name: node.name,
      role: node.role,
      isReady: isReady(node),
      isLost: observedNode !== undefined && isNodeLost(observedNode),
      hasServingCertificate,
      hasJoined,
      isUnproven: hasJoined && verdict === 'silent',
      certificateProgress: [
        observedNode === undefined ? deriveProgress('client') : 'done',
        hasServingCertificate ? 'done' : verdict === 'foreign' ? 'refused' : deriveProgress('serving'),
      ],
      deniedCount: hasServingCertificate ? 0 : denied.length,
    };
  });
  const foreignNodes = plannedNodes.filter((node) => kubeletVerdicts.get(getNodeFqdn(design, node)) === 'foreign');
  return { requests, members, foreignNodeFindings: runChecks([foreignServingCertificate], foreignNodes) };
}

function isReadyAsPlanned({ ip }: DesignNode, observedNode: NodeView | undefined): boolean {
  return observedNode?.isReady === true && observedNode.addresses.some(({ address }) => ip.includes(address));
}

/**
 * Reads and reviews all requests like `readCsrReview`, and reviews them again with the certificates of the kubelets
 * whose requests are expected. Without a record of issued requests, these certificates alone show which requests are
 * outdated.
 * @throws ClusterError
 */
export async function readCurrentCsrReview(context: CsrContext): ReturnType<typeof readCsrReview> {
  const list = await readCsrReview(context);
  const { design, clock } = context;
  const expectedNames = new Set(
    list.reviews.flatMap(({ kind, verdict, node }) => (kind === 'serving' && verdict === 'expected' ? node : [])),
  );
  const candidates = design.nodes.filter((node) => {
    const name = getNodeFqdn(design, node);
    return (
      expectedNames.has(name) &&
      isReadyAsPlanned(
        node,
        list.nodes.find((observedNode) => observedNode.name === name),
      )
    );
  });
  if (candidates.length === 0) return list;
  for (let start = 0; start < candidates.length; start += MAX_CONCURRENT)
    await probeServedCertificates(context, candidates.slice(start, start + MAX_CONCURRENT), list);
  const listed = { requests: [...list.requests.values()], nodes: list.nodes };
  return { ...list, ...createCsrReview(listed, { design, now: clock.now(), ...context.getRecordedFacts() }) };
}

/**
 * Derives the progress while no certificate is proven: an approved request is decided, but its certificate is not in
 * use yet.
 */
function deriveRequestProgress(
  nodeRequests: readonly RequestReview[],
  kind: 'client' | 'serving',
): CertificateProgress {
  const requestsOfKind = nodeRequests.filter((request) => request.kind === kind);
  if (requestsOfKind.some(({ verdict, isApproved }) => verdict === 'expected' || isApproved)) return 'requested';
  return requestsOfKind.some(({ verdict }) => verdict === 'refused') ? 'refused' : 'open';
}

/**
 * Returns the nodes whose serving certificate was observed as issued, and saves them in the step state: requests
 * disappear an hour after their approval.
 */
function recordServedNodes(context: CsrContext, requests: readonly RequestReview[]): Set<string> {
  const { served: names } = context.facts;
  const savedNames = names.get();
  const issuedNames = requests.flatMap(({ kind, isIssued, node }) =>
    kind === 'serving' && isIssued && node !== null ? [node] : [],
  );
  const servedNodes = new Set([...savedNames, ...issuedNames]);
  if (servedNodes.size > savedNames.length) names.set([...servedNodes]);
  return servedNodes;
}

const KUBELET_PORT = 10250;
const PROBE_TIMEOUT = 2 * SECOND;
/** Pause before an unproven node is probed again (ms of the clock), and the number of nodes per probe. */
const RETRY_INTERVAL = 30 * SECOND;
const MAX_CONCURRENT = 16;

/**
 * Probes the certificates that the kubelets of these nodes present at their planned addresses, by the nodes' names in
 * the cluster. A node that has presented its own certificate is not probed again.
 */
async function probeServedCertificates(
  { design, clock, resolveEndpoint, kubeletVerdicts, facts, recordIssued }: CsrContext,
  nodes: readonly DesignNode[],
  { reviews, requests }: CsrReview,
): Promise<ReadonlyMap<string, KubeletVerdict>> {
  const savedNames = facts.proven.get();
  const provenNames = new Set(savedNames);
  const isDue = (name: string) => getElapsedSince(clock, kubeletVerdicts.get(name)?.at ?? 0) >= RETRY_INTERVAL;
  const dueNodes = nodes.filter(
    (node) => !provenNames.has(getNodeFqdn(design, node)) && isDue(getNodeFqdn(design, node)),
  );
  await Promise.all(
    dueNodes.slice(0, MAX_CONCURRENT).map(async (node) => {
      const name = getNodeFqdn(design, node);
      const at = clock.now();
      const certificate = await tryFetchServerCertificate(resolveEndpoint, clock, {
        host: node.ip[0] ?? '',
        port: KUBELET_PORT,
        timeoutMs: PROBE_TIMEOUT,
      });
      const issuedRequests = reviews.flatMap((candidate) =>
        candidate.kind === 'serving' && candidate.node === name && candidate.isIssued
          ? (requests.get(candidate.name) ?? [])
          : [],
      );
      const verdict = certificate
        ? reviewServedCertificate(certificate, { name, addresses: node.ip }, issuedRequests, at)
        : 'silent';
      kubeletVerdicts.set(name, { at, verdict });
      if (verdict !== 'own' || certificate === null) return;
      provenNames.add(name);
      // Signers backdate `validFrom` by a few minutes, so the request of this certificate is never older than that.
      recordIssued({ [getOwnerKey({ kind: 'serving', node: name })]: Date.parse(certificate.validFrom) });
    }),
  );
  if (provenNames.size > savedNames.length) facts.proven.set([...provenNames]);
  return new Map(
    nodes.map((node) => {
      const name = getNodeFqdn(design, node);
      const lastVerdict = kubeletVerdicts.get(name)?.verdict ?? 'unsure';
      // A proof from before the machine was reinstalled no longer counts.
      return [name, provenNames.has(name) ? 'own' : lastVerdict === 'own' ? 'unsure' : lastVerdict];
    }),
  );
}

const words = () => catalogue().csr;

/** Assessments by the name of the request. */
export type RejoinAssessments = ReadonlyMap<string, RejoinAssessment>;

/**
 * Assesses whether a request comes from a node that rejoins after a reinstallation or from an impostor. The evidence is
 * the log of the boot server and whether the node exists. It proves nothing; the user decides.
 */
export async function assessRejoins(
  { design, resolveEndpoint, bootEvidence }: CsrContext,
  requests: readonly RequestReview[],
  nodes: readonly NodeView[],
): Promise<RejoinAssessments> {
  // A node that requests under its own name renews its certificate: its identity is proven.
  const candidates = requests.filter(
    ({ verdict, reasons, requester, node }) =>
      verdict === 'refused' && reasons.includes('NODE_EXISTS') && requester !== `system:node:${node}`,
  );
  if (candidates.length === 0 || bootEvidence === null) return new Map();
  const installations = await bootEvidence.listInstallations();
  const listInstallTimes = (node: DesignNode) => {
    const clients = new Set(node.ip.map((address) => resolveEndpoint(address, 0).host));
    return installations.filter(({ client }) => clients.has(client)).map(({ at }) => at);
  };
  return new Map(
    candidates.flatMap((request) => {
      const plannedNode = design.nodes.find((node) => getNodeFqdn(design, node) === request.node);
      const node = nodes.find(({ name }) => name === request.node);
      return plannedNode && node
        ? [[request.name, assessRejoin(request, node, listInstallTimes(plannedNode))] as const]
        : [];
    }),
  );
}

/**
 * Explains in sentences why a request is not approved automatically; for an existing node, with the evidence for and
 * against it.
 */
export function explainReasons(
  { name, reasons }: Pick<RequestReview, 'name' | 'reasons'>,
  rejoinAssessments?: RejoinAssessments,
): string[] {
  const rejoinAssessment = rejoinAssessments?.get(name);
  return reasons.map((code) =>
    code === 'NODE_EXISTS' && rejoinAssessment ? formatRejoinAssessment(rejoinAssessment) : words().reasons[code],
  );
}

function formatRejoinAssessment({ kind, installedAt }: RejoinAssessment): string {
  const { again, running, unrecorded } = words().rejoining;
  if (kind === 'again') return again(formatTimeOfDay(installedAt ?? 0));
  return kind === 'running' ? running : unrecorded;
}
