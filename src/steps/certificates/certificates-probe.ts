import type { BootStage } from '../../checks/boot/checks.ts';
import { computeBootProgress } from '../../checks/boot/timeline.ts';
import {
  BOOT_SERVER_CHECKS,
  CERTIFICATE_CHECKS,
  listMissingNodes,
  type MissingNode,
  type RejoinAssessment,
} from '../../checks/certificates.ts';
import { runChecks } from '../../checks/check.ts';
import { explainDeniedRequests } from '../../checks/denied-requests.ts';
import {
  assessRejoins,
  explainReasons,
  type NodeMembership,
  type RejoinAssessments,
  reviewNodes,
} from '../../csr/node-membership.ts';
import { type FloodEvidence, updateFlood } from '../../csr/review-requests.ts';
import { canApproveByName, getShownVerdict, isUndecided, type RequestReview } from '../../csr/verdict.ts';
import { getNodeFqdn } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import type { CertificateRequest } from '../../openshift/certificate-request.ts';
import { formatTimeOfDay } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { Fact, Page, Probe, StepContext } from '../contract.ts';
import { checkApiConnection, createClusterContext, readSnapshot } from '../shared/cluster-access.ts';
import { isLbAddDue } from '../shared/hosts/load-balancer.ts';
import { type BootView, findLastPowerOn, isMachineLate, probeBoot } from '../shared/machines/boot-progress.ts';
import { isServerRunning } from '../shared/machines/boot-server-job.ts';
import { listJoinCandidates, listMachinesNotPoweredOn, readPowerOnTimes } from '../shared/machines/node-facts.ts';
import { computeMean, USUAL_WAITS, type WaitPart } from '../wait-progress.ts';
import { createCsrContext } from './create-csr-context.ts';
import { listRequestFacts } from './request-facts.ts';

const missingNodeWords = () => catalogue().steps.certificates.missing;
/**
 * Lists nodes that show no sign of joining: no Node object, and no CSR that is expected, denied or failed. A node that
 * sent a CSR, or that joined and is not Ready, is a different case.
 */
function deriveMissingNodes(
  context: StepContext,
  view: { readonly nodes: readonly NodeMembership[]; readonly requests: readonly RequestReview[] },
  snapshot: ClusterSnapshot | null,
): MissingNode[] {
  // While the API does not list the nodes, none counts as missing.
  if (snapshot !== null && snapshot.nodes === null) return [];
  const powerOnTimes = readPowerOnTimes(context);
  const knownNodeNames = new Set([
    ...(snapshot?.nodes ?? []).map(({ name }) => name),
    ...view.requests.flatMap((request) =>
      request.node !== null && ['expected', 'denied', 'failed'].includes(getShownVerdict(request))
        ? [request.node]
        : [],
    ),
  ]);
  const nodesWithoutSign = view.nodes.filter(
    ({ name, hasJoined }) => !hasJoined && !knownNodeNames.has(getNodeFqdn(context.design, { name })),
  );
  return listMissingNodes(
    nodesWithoutSign.map(({ name }) => ({ name, poweredOnAt: powerOnTimes[name] })),
    context.clock.now(),
  );
}

/** Builds a page about a node that has not joined: its progress, the findings, and where to look next. */
export async function buildMissingNodePage(context: StepContext, node: DesignNode): Promise<Page> {
  const { view, findings } = await probeBoot(context, [node]);
  const [machine] = view.nodes;
  const stage = machine?.stage ?? 'off';
  const poweredOnAt = readPowerOnTimes(context)[node.name];
  const nodeFindings = findings.filter(({ subject }) => subject === node.name);
  return {
    title: missingNodeWords().title(node.name),
    lines: [
      missingNodeWords().planned(getNodeFqdn(context.design, node), node.ip.join(', '), node.mac),
      poweredOnAt === undefined
        ? missingNodeWords().neverPowered
        : missingNodeWords().poweredAt(formatTimeOfDay(poweredOnAt)),
      missingNodeWords().stage(catalogue().steps.boot.stages[stage]),
      ...(machine?.lastSeenAt
        ? [missingNodeWords().last(formatTimeOfDay(machine.lastSeenAt), sanitizeLine(machine.detail, 120))]
        : []),
      ...nodeFindings.flatMap(({ title, cause, remedy }) => ['', title, `- ${cause}`, `- ${remedy}`]),
      '',
      missingNodeWords().checksHeading,
      ...missingNodeWords().checksByStage[stage].map((line) => `- ${line}`),
    ],
  };
}

const words = () => catalogue().steps.certificates;
/** Data for the certificates screen. `apiDetail`: the problem with the API, in one line; null: none. */
export interface CertificatesView {
  /**
   * `isApprovableByName`: the user can approve the CSR only by typing the name of its node. `hasNoObservedBoot`: a
   * pending client CSR whose node was not observed booting. `shortName`: of its node in the design; null if it has
   * none. `refusal`, `facts` and `nameLines`: as `listRequestFacts` returns them. `rejoinKind`: assessment of the
   * CSR of a node that is already in the cluster; null for other CSRs. `reasonTexts`: a sentence for each reason
   * against the CSR.
   */
  readonly requests: readonly (RequestReview & {
    readonly isApprovableByName: boolean;
    readonly hasNoObservedBoot: boolean;
    readonly shortName: string | null;
    readonly refusal: string;
    readonly facts: readonly Fact[];
    readonly nameLines: readonly string[];
    readonly rejoinKind: RejoinAssessment['kind'] | null;
    readonly reasonTexts: readonly string[];
  })[];
  readonly nodes: readonly (NodeMembership & {
    /** How far the node has booted; null for the control plane, which has joined already. */
    readonly stage: BootStage | null;
  })[];
  /**
   * While the API does not list the nodes: when the API listed them last, ms of the clock; null: never. Missing:
   * `nodes` are current.
   */
  readonly nodesAt?: number | null;
  /** Nodes without any sign long after they were powered on. */
  readonly missingNodes: readonly MissingNode[];
  readonly apiDetail: string | null;
  /** Machines still need the boot server, and it does not run. */
  readonly isServerDown: boolean;
}

/**
 * Probes which nodes have joined, which CSRs are pending, and the problems; queries the cluster, the boot server and
 * the DHCP server.
 * @param isApprovedInBackground a job approves expected CSRs: they are waited for, although the step ended its wait
 */
export async function probeCertificates(
  context: StepContext,
  isApprovedInBackground = false,
): Promise<Probe<CertificatesView>> {
  const machines = listJoinCandidates(context);
  const [snapshot, boot] = await Promise.all([
    readSnapshot(context, ['nodes', 'requests']),
    probeBoot(context, machines),
  ]);
  const csrContext = createCsrContext(createClusterContext(context));
  const membership = await reviewNodes(csrContext, snapshot);
  const rejoinAssessments = await assessRejoins(csrContext, membership.requests, snapshot?.nodes ?? []);
  const isServerDown = boot.fetchedCount < machines.length && !(await isServerRunning(context));
  const requestsAndNodes = buildView(context, membership, snapshot?.requests ?? [], boot.view, rejoinAssessments);
  const areNodesCurrent = snapshot?.nodes !== null;
  if (areNodesCurrent) context.probeCache.joinedNodes = { at: context.clock.now(), nodes: requestsAndNodes.nodes };
  const { joinedNodes: lastKnownNodes } = context.probeCache;
  const view: CertificatesView = {
    ...requestsAndNodes,
    ...(areNodesCurrent ? {} : { nodes: lastKnownNodes?.nodes ?? [], nodesAt: lastKnownNodes?.at ?? null }),
    missingNodes: deriveMissingNodes(context, requestsAndNodes, snapshot),
    apiDetail: snapshot?.api.line ?? null,
    isServerDown,
  };
  const expectedRequests = view.requests.filter(({ verdict }) => verdict === 'expected');
  const joinedNodes = view.nodes.filter(({ hasJoined }) => hasJoined);
  const [serverProblem = null] = isServerDown ? boot.serverFindings : [];
  const deniedFindings = explainDeniedRequests({
    design: context.design,
    requests: view.requests,
    nodeNames: (snapshot?.nodes ?? []).map(({ name }) => name),
    now: context.clock.now(),
  });
  const unsortedFindings = [
    ...(isServerDown ? runChecks(BOOT_SERVER_CHECKS, { problem: serverProblem?.cause ?? null }) : []),
    ...deniedFindings,
    ...boot.findings.filter((finding) => finding !== serverProblem),
    ...membership.foreignNodeFindings,
    ...runChecks(CERTIFICATE_CHECKS, {
      now: context.clock.now(),
      flood: updateFloodRecord(context, snapshot === null || snapshot.requests === null ? null : membership.requests),
      requests: view.requests,
      missingNodes: view.missingNodes,
      unprovenNodes: view.nodes.filter(({ isUnproven }) => isUnproven).map(({ name }) => name),
    }),
    ...checkApiConnection(snapshot),
  ];
  // Failures come before warnings: at 80 columns the page has rows for the first finding only.
  const findings = unsortedFindings.toSorted((a, b) => Number(b.severity === 'fatal') - Number(a.severity === 'fatal'));
  if (view.nodesAt !== undefined) {
    const at = view.nodesAt === null ? null : formatTimeOfDay(view.nodesAt);
    return { state: 'waiting', summary: words().unknown(joinedNodes.length, view.nodes.length, at), view, findings };
  }
  const progress = measureJoining(context.design, view.nodes, boot.view.nodes);
  const joinedNames = new Set(joinedNodes.map(({ name }) => name));
  const isLate = isMachineLate(boot.view.nodes.filter(({ name }) => !joinedNames.has(name)));
  const isLbAddNeeded = isLbAddDue(context);
  if (joinedNodes.length === view.nodes.length && !isLbAddNeeded) {
    const unprovenCount = view.nodes.filter(({ isUnproven }) => isUnproven).length;
    return { state: 'done', summary: words().done(joinedNodes.length, unprovenCount), view, findings };
  }
  const commonFields = {
    progress,
    isLate,
    ...(deniedFindings.length === 0 ? {} : { awaitsRepair: true }),
    view,
    findings,
  };
  const unpoweredMachines = listUnpoweredMachines(context, view);
  if (unpoweredMachines.length > 0)
    return { ...commonFields, state: 'needed', summary: words().toPowerOn(unpoweredMachines.length) };
  if (isServerDown) return { ...commonFields, state: 'needed', summary: catalogue().steps.boot.serverStopped };
  if (expectedRequests.length > 0)
    return { ...commonFields, state: 'needed', summary: words().needed(expectedRequests.length) };
  if (isLbAddNeeded) return { ...commonFields, state: 'needed', summary: catalogue().moves.byName['lb-add'].action };
  const lostNames = view.nodes.filter(({ isLost }) => isLost).map(({ name }) => name);
  const isNodeAwaited = view.nodes.some(({ hasJoined, isLost }) => !hasJoined && !isLost);
  if (lostNames.length > 0)
    return {
      ...commonFields,
      state: 'waiting',
      summary: words().lost(joinedNodes.length, view.nodes.length, lostNames, isNodeAwaited),
      awaitsRepair: true,
    };
  const { followEnd } = context.probeCache;
  // Nothing waits for requests any more: the state gives the time and the reason in place of that.
  const summarizeWait =
    followEnd === null || isApprovedInBackground
      ? words().waiting
      : (joined: number, count: number) =>
          words().followEnded[followEnd.why](joined, count, formatTimeOfDay(followEnd.at));
  return { ...commonFields, state: 'waiting', summary: summarizeWait(joinedNodes.length, view.nodes.length) };
}

/**
 * Measures the progress of the nodes that are joining: 10 to 25 minutes from power-on. A booted node is done only when
 * its certificates are in use.
 */
function measureJoining(
  { services }: StepContext['design'],
  nodes: CertificatesView['nodes'],
  machines: BootView['nodes'],
): readonly WaitPart[] {
  const machinesByName = new Map(machines.map((machine) => [machine.name, machine]));
  const nodeMachines = nodes.flatMap((node) => {
    const machine = machinesByName.get(node.name);
    return machine === undefined ? [] : [{ ...machine, hasJoined: node.hasJoined }];
  });
  const shares = nodeMachines.map(({ hasJoined, role, timeline }) =>
    hasJoined ? 1 : 0.95 * computeBootProgress(timeline, { role, boot: services.boot.kind }, 'ready'),
  );
  const startedAt = findLastPowerOn(nodeMachines.filter(({ hasJoined }) => !hasJoined));
  return [{ usualMinutes: USUAL_WAITS.join, share: computeMean(shares), startedAt }];
}

/** Lists the machines that were never powered on, as far as the wizard knows, and that show no sign either. */
export function listUnpoweredMachines(context: StepContext, { nodes }: CertificatesView): readonly DesignNode[] {
  return listMachinesNotPoweredOn(context, listJoinCandidates(context)).filter(({ name }) =>
    nodes.some((node) => node.name === name && !node.hasJoined && (node.stage ?? 'off') === 'off'),
  );
}

function buildView(
  { design }: StepContext,
  { requests, members }: Awaited<ReturnType<typeof reviewNodes>>,
  listedRequests: readonly CertificateRequest[],
  boot: BootView,
  rejoinAssessments: RejoinAssessments,
): Pick<CertificatesView, 'requests' | 'nodes'> {
  const findStage = (name: string) => boot.nodes.find((machine) => machine.name === name)?.stage ?? null;
  const offNodeNames = new Set(
    boot.nodes.filter(({ stage }) => stage === 'off').map(({ name }) => getNodeFqdn(design, { name })),
  );
  const requestsByName = new Map(listedRequests.map((request) => [request.name, request]));
  const listFacts = (review: RequestReview) => {
    const request = requestsByName.get(review.name);
    return request === undefined
      ? { refusal: '', facts: [], nameLines: [] }
      : listRequestFacts(design, request, review);
  };
  const shortNames = new Map(design.nodes.map((node) => [getNodeFqdn(design, node), node.name]));
  return {
    requests: requests.map((request) => ({
      ...request,
      isApprovableByName: canApproveByName(request),
      hasNoObservedBoot:
        request.kind === 'client' &&
        isUndecided(request) &&
        request.node !== null &&
        offNodeNames.has(request.node) &&
        !rejoinAssessments.has(request.name),
      shortName: request.node === null ? null : (shortNames.get(request.node) ?? null),
      ...listFacts(request),
      rejoinKind: rejoinAssessments.get(request.name)?.kind ?? null,
      reasonTexts: explainReasons(request, rejoinAssessments),
    })),
    nodes: members.map((member) => ({ ...member, stage: findStage(member.name) })),
  };
}

/**
 * Updates the record of a flood of CSRs after this probe; returns the last flood, null if there was none.
 * @param requests all reviewed CSRs; null: not available, which ends no flood
 */
function updateFloodRecord(
  { design, clock, probeCache }: Pick<StepContext, 'design' | 'clock' | 'probeCache'>,
  requests: readonly RequestReview[] | null,
): FloodEvidence | null {
  if (requests !== null) probeCache.flood = updateFlood(probeCache.flood, requests, { design, now: clock.now() });
  return probeCache.flood;
}
