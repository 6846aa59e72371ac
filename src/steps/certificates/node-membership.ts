import { parseRequestStage } from '../../checks/boot/checks.ts';
import { assessRejoin, type RejoinAssessment, servingForeign } from '../../checks/certificates.ts';
import { type Finding, runChecks } from '../../checks/check.ts';
import { reviewRequests } from '../../csr/review-requests.ts';
import { type CsrVerdict, isPending } from '../../csr/verdict.ts';
import { nodeFqdn } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { Snapshot } from '../../kube/snapshot.ts';
import type { NodeView } from '../../openshift/node.ts';
import { formatTimeOfDay, MINUTE } from '../../platform/clock.ts';
import type { StepContext } from '../contract.ts';
import { readBootRequests } from '../shared/machines/boot-requests.ts';
import { getFirstPowerOn } from '../shared/machines/node-facts.ts';
import { probeServedCertificates } from './served-certificates.ts';

/** The context that `reviewNodes` needs. */
type MembershipContext = Pick<StepContext, 'design' | 'clock' | 'resolveEndpoint' | 'stepState' | 'probeCache'>;

/**
 * Progress of one of a node's two certificates. `open`: not requested; `asked`: requested; `refused`: requested, and
 * refused by the wizard; `done`: issued.
 */
export type CertificateProgress = 'open' | 'asked' | 'refused' | 'done';

/** A node of the design, and how far it has joined the cluster. */
export interface NodeMembership {
  readonly name: string;
  readonly role: DesignNode['role'];
  /** It is Ready, at its planned address. */
  readonly isReady: boolean;
  readonly hasServingCertificate: boolean;
  /**
   * Ready, and presents its own certificate at its planned address: a stronger condition than two approved requests.
   */
  readonly hasJoined: boolean;
  /**
   * It counts as joined although its kubelet's port does not answer, so its certificate could not be checked from here.
   */
  readonly isUnproven: boolean;
  /** The client certificate (to join), then the serving certificate. */
  readonly waves: readonly [CertificateProgress, CertificateProgress];
}

/**
 * A node that has been Ready this long without a pending serving request has its certificate: kubelets request it
 * within a minute.
 */
const ISSUED_AFTER = 10 * MINUTE;
/** The same if its kubelet does not answer: Ready, without a pending request. A longer wait would prove no more. */
const ISSUED_AFTER_SILENCE = 2 * MINUTE;

/**
 * Reviews which nodes have joined, by the API and by the certificates that kubelets present at their planned addresses.
 * Also returns all reviewed requests, in the order of the list. Saves proven certificates in the step memory.
 * @returns `foreign`: findings for nodes at whose planned address another key or name answers
 */
export async function reviewNodes(
  context: MembershipContext,
  snapshot: Pick<Snapshot, 'nodes' | 'requests'> | null,
): Promise<{
  readonly requests: readonly CsrVerdict[];
  readonly members: readonly NodeMembership[];
  readonly foreign: readonly Finding[];
}> {
  const { design, clock } = context;
  const nodes = snapshot?.nodes ?? [];
  const requests = reviewRequests(snapshot?.requests ?? [], {
    design,
    nodes,
    now: clock.now(),
    bootedSince: getFirstPowerOn(context),
  });
  const servedNames = updateServedNodes(context, requests);
  const planned = design.nodes.filter(({ role }) => role !== 'bootstrap');
  const findNode = (node: DesignNode) => nodes.find(({ name }) => name === nodeFqdn(design, node));
  const isReady = (node: DesignNode) => {
    const observed = findNode(node);
    return (
      (observed?.isReady ?? false) && (observed?.addresses.some(({ address }) => node.ip.includes(address)) ?? false)
    );
  };
  const kubeletVerdicts = await probeServedCertificates(context, planned.filter(isReady), {
    requests: snapshot?.requests ?? [],
    verdicts: requests,
  });
  const members = planned.map((node): NodeMembership => {
    const fqdn = nodeFqdn(design, node);
    const own = requests.filter((request) => request.node === fqdn);
    const observed = findNode(node);
    const createdAt = observed?.createdAt ?? null;
    // Without an answer of the kubelet, its requests have to be evidence enough.
    const verdict = kubeletVerdicts.get(fqdn) ?? 'unsure';
    const settledAfter = verdict === 'silent' ? ISSUED_AFTER_SILENCE : ISSUED_AFTER;
    const isSettled = isReady(node) && createdAt !== null && clock.now() - createdAt > settledAfter;
    const isWaiting = own.some((request) => request.kind === 'serving' && isPending(request));
    const isLikely = servedNames.has(fqdn) || (isSettled && !isWaiting);
    const hasServingCertificate = verdict === 'own' || (verdict !== 'foreign' && isLikely);
    const hasJoined = isReady(node) && hasServingCertificate;
    return {
      name: node.name,
      role: node.role,
      isReady: isReady(node),
      hasServingCertificate,
      hasJoined,
      isUnproven: hasJoined && verdict === 'silent',
      waves: [
        observed === undefined ? deriveProgress(own, 'client') : 'done',
        hasServingCertificate ? 'done' : verdict === 'foreign' ? 'refused' : deriveProgress(own, 'serving'),
      ],
    };
  });
  const foreignNodes = planned.filter((node) => kubeletVerdicts.get(nodeFqdn(design, node)) === 'foreign');
  return { requests, members, foreign: runChecks([servingForeign], foreignNodes) };
}

/**
 * Derives the progress while no certificate is proven: an approved request is decided, but its certificate is not in
 * use yet.
 */
function deriveProgress(own: readonly CsrVerdict[], kind: 'client' | 'serving'): CertificateProgress {
  const ofKind = own.filter((request) => request.kind === kind);
  if (ofKind.some(({ verdict, isApproved }) => verdict === 'expected' || isApproved)) return 'asked';
  return ofKind.some(({ verdict }) => verdict === 'refused') ? 'refused' : 'open';
}

/**
 * Returns the nodes whose serving certificate was observed as issued, and saves them in the step memory: requests
 * disappear an hour after their approval.
 */
function updateServedNodes(context: MembershipContext, requests: readonly CsrVerdict[]): Set<string> {
  const known = context.stepState.get('served') ?? [];
  const issued = requests.flatMap(({ kind, isIssued, node }) =>
    kind === 'serving' && isIssued && node !== null ? [node] : [],
  );
  const served = new Set([...known, ...issued]);
  if (served.size > known.length) context.stepState.set('served', [...served]);
  return served;
}

const words = () => catalogue().csr;

/** Assessments by the name of the request. */
export type RejoinAssessments = ReadonlyMap<string, RejoinAssessment>;

/**
 * Assesses whether a request comes from a node that rejoins after a reinstallation or from an impostor. The evidence is
 * the log of the boot server and whether the node exists. It proves nothing; the user decides.
 */
export async function assessRejoins(
  context: StepContext,
  requests: readonly CsrVerdict[],
  nodes: readonly NodeView[],
): Promise<RejoinAssessments> {
  // A node that requests under its own name renews its certificate: its identity is proven.
  const candidates = requests.filter(
    ({ verdict, reasons, requester, node }) =>
      verdict === 'refused' && reasons.includes('NODE_EXISTS') && requester !== `system:node:${node}`,
  );
  if (candidates.length === 0) return new Map();
  const installs = (await readBootRequests(context)).filter(({ path, status }) => {
    const stage = status < 400 ? parseRequestStage(path) : null;
    return stage === 'rootfs' || stage === 'ignition';
  });
  const listInstallTimes = (node: DesignNode) => {
    const clients = new Set(node.ip.map((address) => context.resolveEndpoint(address, 0).host));
    return installs.filter(({ client }) => clients.has(client)).map(({ at }) => at);
  };
  return new Map(
    candidates.flatMap((request) => {
      const planned = context.design.nodes.find((node) => nodeFqdn(context.design, node) === request.node);
      const node = nodes.find(({ name }) => name === request.node);
      return planned && node ? [[request.name, assessRejoin(request, node, listInstallTimes(planned))] as const] : [];
    }),
  );
}

/**
 * Explains in sentences why a request is not approved automatically; for an existing node, with the evidence for and
 * against it.
 */
export function explainReasons(
  { name, reasons }: Pick<CsrVerdict, 'name' | 'reasons'>,
  rejoinAssessments?: RejoinAssessments,
): string[] {
  const rejoining = rejoinAssessments?.get(name);
  return reasons.map((code) =>
    code === 'NODE_EXISTS' && rejoining ? formatRejoinAssessment(rejoining) : words().reasons[code],
  );
}

function formatRejoinAssessment({ kind, installedAt }: RejoinAssessment): string {
  const { again, running, unseen } = words().rejoining;
  if (kind === 'again') return again(formatTimeOfDay(installedAt ?? 0));
  return kind === 'running' ? running : unseen;
}
