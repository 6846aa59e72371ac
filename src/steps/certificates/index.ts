import { bootUrl } from '../../artifacts/shared/generator.ts';
import type { RejoinAssessment } from '../../checks/certificates.ts';
import { approveAndRecord, approveSelected } from '../../csr/approve.ts';
import { type FollowEvent, followRequests, formatFollowEvent } from '../../csr/follow.ts';
import { assessRejoins, explainReasons } from '../../csr/node-membership.ts';
import { canApproveByName, getShownVerdict, type RequestReview } from '../../csr/verdict.ts';
import { getNodeFqdn } from '../../design/derived-facts.ts';
import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import { formatTimeOfDay, MINUTE, SECOND } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { listPowerChanges, listPowerInstructions, powerOn } from '../boot.ts';
import type { ActionTarget, Page, PlannedChange, Probe, Step, StepContext } from '../contract.ts';
import { reviewListedRequests } from '../shared/certificate-requests.ts';
import { createClusterContext, readSnapshot } from '../shared/cluster-access.ts';
import { applyLbAdd, planLbAdd } from '../shared/hosts/load-balancer.ts';
import { CSR_APPROVAL_JOB, checkJob, findCsrApprovalJob } from '../shared/jobs.ts';
import { probeBoot } from '../shared/machines/boot-progress.ts';
import { BOOT_SERVER_JOB, startBootServerJob } from '../shared/machines/boot-server-job.ts';
import { requireTarget } from '../step-action.ts';
import {
  buildMissingNodePage,
  type CertificatesView,
  listUnpoweredMachines,
  probeCertificates,
} from './certificates-probe.ts';
import { createCsrContext } from './create-csr-context.ts';
import { checkRequestKey } from './key-proof.ts';
import { listRequestFacts } from './request-facts.ts';
import { getRowId, isWaitingRow, listRows } from './request-rows.ts';

const pageWords = () => catalogue().steps.certificates.page;
const proofWords = () => catalogue().steps.certificates.proof;

/**
 * Builds the page about one CSR: its content compared with the plan, its requester, and whether its node was observed
 * booting.
 * @param subject the name of the CSR. With `/key` appended, the page shows whether the machine at the planned address
 * holds the CSR's key; with `/node/NAME`, it is about a node without a CSR
 */
async function buildCertificatePage(context: StepContext, subject: string): Promise<Page> {
  const [name = '', detail, nodeName] = subject.split('/');
  const missingNode = detail === 'node' ? context.design.nodes.find((node) => node.name === nodeName) : undefined;
  if (missingNode) return await buildMissingNodePage(context, missingNode);
  const { design } = context;
  const snapshot = await readSnapshot(context, ['nodes', 'requests']);
  const nodes = snapshot?.nodes ?? [];
  const csrContext = createCsrContext(createClusterContext(context));
  const { reviews, requests } = reviewListedRequests(context, { requests: snapshot?.requests ?? [], nodes });
  const request = requests.get(name);
  const review = reviews.find((candidate) => candidate.name === name);
  const title = pageWords().title(sanitizeLine(name, 60));
  if (!request || !review) return { title, lines: [snapshot?.api.line ?? catalogue().csr.approve.deleted] };
  const node = design.nodes.find((designNode) => getNodeFqdn(design, designNode) === review.node) ?? null;
  const { fingerprint, requestedAt } = review;
  if (detail === 'key' && node !== null && fingerprint !== null) {
    const proofLines = await checkRequestKey(context, node, { fingerprint, requestedAt });
    return {
      title: proofWords().title(node.name),
      lines: proofLines,
      facts: [{ label: pageWords().facts.fingerprint, value: pageWords().sha256(fingerprint) }],
    };
  }
  const rejoinAssessments = await assessRejoins(csrContext, [review], nodes);
  const rejoinKind = rejoinAssessments.get(name)?.kind ?? null;
  const { facts, nameLines } = listRequestFacts(design, request, review);
  return {
    title,
    lines: [
      ...formatVerdict(
        review,
        explainReasons(review, rejoinAssessments),
        rejoinKind,
        formatCommandLine('csr', 'deny', sanitizeLine(name), '--dir', context.dir),
      ),
    ],
    facts,
    linesBelow: [
      ...nameLines,
      ...(review.kind === 'client' && node && rejoinKind === null ? await describeBoot(context, node) : []),
    ],
    ...(node === null || fingerprint === null || review.kind === 'other'
      ? {}
      : { alternativePage: { label: proofWords().key, subject: `${name}/key` } }),
  };
}

function formatVerdict(
  review: RequestReview,
  sentences: readonly string[],
  rejoinKind: RejoinAssessment['kind'] | null,
  denyCommand: string,
): string[] {
  const { reasons } = review;
  const verdict = getShownVerdict(review);
  const reasonTexts = reasons.map((reason, index) => pageWords().reason(reason, sentences[index] ?? ''));
  if (verdict !== 'refused') return [pageWords().verdicts[verdict], ...reasonTexts];
  const overruleText = rejoinKind === null ? pageWords().canOverride : pageWords().canOverrideRejoining[rejoinKind];
  const isApprovable = canApproveByName(review);
  return [
    pageWords().verdicts[verdict],
    ...reasonTexts,
    isApprovable ? overruleText : pageWords().cannotApprove,
    ...(isApprovable && rejoinKind !== 'running' ? [] : [pageWords().toDeny(denyCommand)]),
  ];
}

/** Describes whether the machine was observed booting: missing evidence is reported, and is no reason to refuse. */
async function describeBoot(context: StepContext, node: StepContext['design']['nodes'][number]): Promise<string[]> {
  const { view } = await probeBoot(context, [node]);
  const [machine] = view.nodes;
  if (!machine || machine.stage === 'off') return [pageWords().boot.notObserved(node.ip.join(', '), node.mac)];
  const observedText =
    machine.lastSeenAt === null
      ? ''
      : pageWords().boot.last(formatTimeOfDay(machine.lastSeenAt), sanitizeLine(machine.detail, 120));
  return [pageWords().boot.observed(catalogue().steps.boot.stages[machine.stage], observedText)];
}

export type { CertificatesView };

const words = () => catalogue().steps.certificates;

/**
 * Boots the machines that join the running cluster, and approves the CSRs that fit the design as they appear, until
 * every node has joined. Shows CSRs that do not fit and leaves them alone: the step denies nothing, and approves
 * another CSR only if the user names it.
 */
export const certificatesStep: Step<CertificatesView> = {
  id: 'certificates',
  probeIntervalMs: 3 * SECOND,
  timeoutMs: 60 * MINUTE,
  probe: probeStep,
  async plan(context, { view }) {
    const machines = listUnpoweredMachines(context, view);
    return {
      changes: [
        ...(view.isServerDown ? [createServerChange(context)] : []),
        ...listPowerChanges(context.design, machines),
        ...listApprovalChanges(view),
        ...createLaterApprovalChange(view),
        ...(await planLbAdd(context)),
      ],
      isDangerous: true,
      instructions: listPowerInstructions(context, machines),
      ...(machines.length > 0 ? {} : { enter: words().enterWithoutMachines }),
    };
  },
  async apply(context, report) {
    context.probeCache.followEnd = null;
    await applyLbAdd(context, report);
    await startBootServerJob(context, report);
    await powerOn(context, listUnpoweredMachines(context, (await probeCertificates(context)).view), report);
    const csrContext = createCsrContext(createClusterContext(context));
    const emit = (event: FollowEvent) => report(formatFollowEvent(event, 'short'));
    const why = await followRequests((probe) => probe(csrContext), {
      signal: context.signal,
      interval: 3 * SECOND,
      until: 'settled',
      emit,
    });
    context.signal.throwIfAborted();
    if (why === 'settled' || why === 'idle') context.probeCache.followEnd = { why, at: context.clock.now() };
  },
  applyOne: approveTarget,
  buildPage: buildCertificatePage,
  verify: probeStep,
};

/**
 * Probes the certificates and selects the most urgent row. Also checks whether a job approves expected CSRs in the
 * background.
 */
async function probeStep(context: StepContext): Promise<Probe<CertificatesView>> {
  const isInBackground = (await findCsrApprovalJob(context))?.state === 'running';
  const [certificates, jobProblems] = await Promise.all([
    probeCertificates(context, isInBackground),
    checkJob(context, CSR_APPROVAL_JOB),
  ]);
  const remark = isInBackground ? words().inBackground : null;
  const rows = listRows(certificates.view);
  const [firstRow] = rows;
  const settledRowIds = rows.filter((row) => !isWaitingRow(row)).map(getRowId);
  const selection = firstRow === undefined ? {} : { selectedRowId: getRowId(firstRow), settledRowIds };
  return { ...certificates, ...selection, remark, findings: [...certificates.findings, ...jobProblems] };
}

/** Approves one CSR that the user selected, or all that are expected now. */
async function approveTarget(
  context: StepContext,
  target: ActionTarget,
  report: (line: string) => void,
): Promise<void> {
  const csrContext = createCsrContext(createClusterContext(context));
  const { signal } = context;
  const approve = async () => {
    if (target.kind === 'expected-requests')
      return await approveSelected(csrContext, {
        names: [],
        includesAllExpected: true,
        confirm: async () => null,
        signal,
      });
    const { name, node } = requireTarget(target, 'request');
    return await approveAndRecord(csrContext, [{ name, uid: null, isNamedByUser: node !== null }], signal);
  };
  for (const result of await approve())
    report(formatFollowEvent({ type: `request/${result.outcome}`, result }, 'short'));
}

/** Creates the planned change that starts the boot server, from which the machines boot. */
function createServerChange({ design }: StepContext): PlannedChange {
  const what = catalogue().steps.prepare.change.server(bootUrl(design));
  return { object: BOOT_SERVER_JOB, what, before: null, after: null };
}

/** Creates the change for the requests that are yet to come: the step approves those that fit the design. */
function createLaterApprovalChange({ nodes }: CertificatesView): PlannedChange[] {
  const waitingNodes = nodes.filter(({ certificateProgress }) => certificateProgress.some((state) => state !== 'done'));
  const names = waitingNodes.map(({ name }) => name);
  const { object, what } = words().laterRequests;
  return names.length === 0 ? [] : [{ object, what: what(names), before: null, after: null }];
}

function listApprovalChanges(view: CertificatesView): PlannedChange[] {
  return view.requests
    .filter(({ verdict }) => verdict === 'expected')
    .map(({ name, node, kind }) => ({
      object: node ?? name,
      what: words().approve(name, words().kinds[kind]),
      before: null,
      after: null,
    }));
}
