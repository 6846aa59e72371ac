import { explainStuckBootstrap, listRecentFailures } from '../checks/bootstrap/checks.ts';
import type { BootstrapEvidence, BootstrapStage, PortEvidence, StuckEvidence } from '../checks/bootstrap/evidence.ts';
import {
  buildProgressSignature,
  deriveDoneStages,
  formatStageEvidence,
  getStageMinutes,
  getStuckTimeout,
  listStages,
} from '../checks/bootstrap/stages.ts';
import type { Finding } from '../checks/check.ts';
import { explainWaitExit } from '../checks/installer.ts';
import { simulateFindingCommands } from '../checks/rules/host-commands.ts';
import { assessRemoval, type RemovalProof } from '../checks/service-hosts.ts';
import { ETCD_ROLES } from '../design/choices.ts';
import { getApiIntName, getApiName, getNodeFqdn, listNodesWithRole } from '../design/derived-facts.ts';
import type { Design } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { ClusterSnapshot } from '../kube/snapshot.ts';
import { formatTimeOfDay, MINUTE, SECOND } from '../platform/clock.ts';
import { probeTcp } from '../probes/tcp-probe.ts';
import type { Probe, Step, StepContext } from './contract.ts';
import { checkApiConnection, openCluster, readSnapshot } from './shared/cluster-access.ts';
import { hasReachedStage } from './shared/hosts/current-stage.ts';
import { describeHostAccess } from './shared/hosts/host-command.ts';
import { probeLoadBalancers } from './shared/hosts/load-balancer.ts';
import { probeDnsServers } from './shared/hosts/service-probes.ts';
import { refreshBootstrapNodeReport } from './shared/installer/bootstrap-node.ts';
import { type BootstrapProgress, recordProgress } from './shared/installer/bootstrap-progress.ts';
import { describeIgnitionLifetime } from './shared/installer/images.ts';
import {
  createWaitActions,
  type LogSnapshot,
  readInstallerLog,
  readWaitState,
  type WaitState,
} from './shared/installer/wait-for.ts';
import { updateIgnitionAccess } from './shared/machines/ignition-access.ts';
import { recordReadyTimes } from './shared/machines/node-facts.ts';
import {
  listServedIgnitionFiles,
  type ServedIgnitionFile,
  toggleIgnitionAccess,
} from './shared/machines/served-ignition.ts';
import { computeMean, type WaitPart } from './wait-progress.ts';

/** Evidence of one probe, with the full snapshot of the API. */
interface BootstrapObservation extends BootstrapEvidence {
  readonly snapshot: ClusterSnapshot | null;
}

const PORT_TIMEOUT_MS = 3 * SECOND;

/** Probes the bootstrap node, the control plane nodes, the load balancer and the API. */
export async function gatherBootstrapEvidence(context: StepContext): Promise<BootstrapObservation> {
  const [ports, snapshot, readyz] = await Promise.all([
    probeBootstrapPorts(context),
    readSnapshot(context, ['nodes', 'bootstrapStatus', 'etcdBootstrapMemberRemoved']),
    getReadyz(context),
  ]);
  return {
    ports,
    snapshot,
    readyz,
    members: listMembers(context, snapshot),
    nodeServices: refreshBootstrapNodeReport(context),
  };
}

function probeBootstrapPorts({ design, resolveEndpoint, clock }: StepContext): Promise<PortEvidence[]> {
  const { endpoints, topology } = design;
  const nodes = [...listNodesWithRole(design, 'bootstrap'), ...listNodesWithRole(design, 'control-plane')];
  const listPorts = (host: string, kind: PortEvidence['kind'], addresses: readonly string[], ports: (6443 | 22623)[]) =>
    addresses.flatMap((address) => {
      const label = addresses.length === 1 ? host : `${host} (${address})`;
      return ports.map((port) => ({ host: label, kind, address, port }));
    });
  const portQueries = [
    ...nodes.flatMap(({ name, role, ip }) =>
      listPorts(name, role === 'bootstrap' ? 'bootstrap' : 'control-plane', ip.slice(0, 1), [6443, 22623]),
    ),
    // A single node is probed directly: there is no load balancer in front of it.
    ...(topology === 'single-node' ? [] : listPorts('api', 'api', endpoints.api, [6443])),
    ...(topology === 'single-node' ? [] : listPorts('api-int', 'api-int', endpoints.apiInt, [6443, 22623])),
  ];
  return Promise.all(
    portQueries.map(async (query) => ({
      ...query,
      state: (await probeTcp(resolveEndpoint, clock, query.address, query.port, PORT_TIMEOUT_MS)).state,
    })),
  );
}

async function getReadyz(context: StepContext): Promise<BootstrapEvidence['readyz']> {
  try {
    const failingChecks = await (await openCluster(context))?.probeReadyz();
    return failingChecks === undefined ? null : { isReady: failingChecks === null, failing: failingChecks ?? '' };
  } catch {
    // The snapshot has the reason why the API does not answer.
    return null;
  }
}

function listMembers({ design }: StepContext, snapshot: ClusterSnapshot | null): BootstrapEvidence['members'] {
  const nodesByName = new Map(snapshot?.nodes?.map((node) => [node.name, node]));
  return listNodesWithRole(design, ...ETCD_ROLES).map((node) => {
    const fqdn = getNodeFqdn(design, node);
    const clusterNode = nodesByName.get(fqdn);
    return { name: node.name, fqdn, hasJoined: clusterNode !== undefined, isReady: clusterNode?.isReady ?? false };
  });
}

/** Gathers further evidence for a stage that makes no progress. */
export async function gatherStuckEvidence(
  context: StepContext,
  evidence: BootstrapEvidence,
  stuckStage: Pick<StuckEvidence, 'stage' | 'stageTitle' | 'timeWithoutProgress'>,
): Promise<StuckEvidence> {
  const { design } = context;
  const machine = listNodesWithRole(design, 'bootstrap')[0] ?? listNodesWithRole(design, 'control-plane')[0];
  return {
    ...evidence,
    ...stuckStage,
    topology: design.topology,
    machine: { name: machine?.name ?? '', address: machine?.ip[0] ?? '' },
    wrongNames: stuckStage.stage === 'joined' ? await findWrongNames(context) : [],
  };
}

/** Finds wrong answers for the names that every node looks up. */
async function findWrongNames(context: StepContext): Promise<StuckEvidence['wrongNames']> {
  const names = [getApiName(context.design), getApiIntName(context.design)];
  return (await Promise.all(probeDnsServers(context))).filter(
    ({ isOk, queryText }) => !isOk && names.includes(queryText),
  );
}

const words = () => catalogue().steps.bootstrap;

/** One stage of the bootstrap as text: its usual duration, its meaning and its evidence. */
export interface StageView {
  readonly id: BootstrapStage;
  readonly title: string;
  readonly state: 'done' | 'running' | 'stuck' | 'pending';
  /** Start and end, ms of the clock; null: not yet, or not observed. */
  readonly startedAt: number | null;
  readonly doneAt: number | null;
  readonly usualDuration: string;
  readonly meaning: string;
  readonly evidence: string;
}

/**
 * Data for the bootstrap screen. `log`: the installer's log and the node's journal; `wait`: the state of the job that
 * runs `openshift-install wait-for`.
 */
export interface BootstrapView {
  readonly stages: readonly StageView[];
  /** Time of the last change, ms of the clock. */
  readonly changedAt: number;
  readonly log: LogSnapshot;
  readonly wait: WaitState['state'];
  /** The ignition file of the bootstrap machine, while it is served; null otherwise. */
  readonly servedBootstrapIgnition: ServedIgnitionFile | null;
}

/**
 * Waits until the control plane runs on its own and the bootstrap node is no longer needed. `openshift-install wait-for
 * bootstrap-complete` runs in a job.
 */
export const bootstrapStep: Step<BootstrapView> = {
  id: 'bootstrap',
  probeIntervalMs: 3 * SECOND,
  timeoutMs: 90 * MINUTE,
  probe,
  ...createWaitActions(
    'bootstrap-complete',
    () => words().start,
    () => words().startEffect,
  ),
  async applyOne(context, _target, report) {
    const names = listNodesWithRole(context.design, 'bootstrap').map(({ name }) => name);
    await toggleIgnitionAccess(context, names, report);
  },
  verify: probe,
};

/**
 * Describes the next task after the bootstrap: to remove its node, unless that is done or there is no such node.
 * @param proof what the load balancers show; null: their files still have the bootstrap node
 * @param gaveUpAt when openshift-install gave up before, ms of the clock; null: it did not
 */
export function summarizeCompletion(
  design: Pick<Design, 'topology'>,
  proof: RemovalProof | null,
  gaveUpAt: number | null = null,
): string {
  const summary = summarizeRemoval(design, proof);
  return gaveUpAt === null ? summary : words().doneLater(summary, formatTimeOfDay(gaveUpAt));
}

function summarizeRemoval({ topology }: Pick<Design, 'topology'>, proof: RemovalProof | null): string {
  if (topology === 'single-node') return words().inPlace.done;
  if (proof === null) return words().done;
  const names = proof.balancers.filter(({ state }) => state === 'has-bootstrap').map(({ name }) => name);
  if (names.length > 0) return words().doneAndInPool(names.join(', '));
  const removal = assessRemoval(proof);
  return removal === 'out' || removal === 'still-on' ? words().doneAndRemoved : words().doneAndUnproven;
}

/**
 * Probes whether the load balancers still use the bootstrap node after its removal from their files; null before that.
 */
async function probeRemoval(context: StepContext): Promise<RemovalProof | null> {
  return hasReachedStage(context, 'bootstrap-removed') ? await probeLoadBalancers(context) : null;
}

async function probe(context: StepContext): Promise<Probe<BootstrapView>> {
  const result = await probeStages(context);
  // After the user leaves the page, the step is probed only while it waits. Otherwise a stage may end unobserved, and
  // its duration is unknown.
  context.probeCache.isBootstrapWatched = result.state === 'waiting';
  return result;
}

async function probeStages(context: StepContext): Promise<Probe<BootstrapView>> {
  // The log is read once before the other evidence, so that earlier messages of the installer precede new ones of the
  // bootstrap node.
  await readInstallerLog(context);
  const [evidence, wait, log] = await Promise.all([
    gatherBootstrapEvidence(context),
    readWaitState(context, 'bootstrap-complete'),
    readInstallerLog(context),
  ]);
  const { design } = context;
  recordReadyTimes(context, evidence.snapshot?.nodes ?? []);
  const stageOrder = listStages(design, evidence.nodeServices !== null);
  const doneStages = deriveDoneStages(design, evidence);
  const progress = recordProgress(context, {
    stageOrder,
    doneStages,
    signature: buildProgressSignature(evidence),
    startedAt: findPowerOnTime(context),
    reportedTimes: deriveStageTimes(evidence, log),
  });
  const runningStage = stageOrder.find((id) => !doneStages.has(id)) ?? null;
  const changedAt = Math.max(progress.changedAt, Math.min(findLastMessageTime(log) ?? 0, context.clock.now()));
  const timeWithoutProgress = context.clock.now() - changedAt;
  // Without a wait, nothing is stuck before the machines are switched on.
  const isStuck =
    runningStage !== null &&
    (wait.state !== 'none' || findPowerOnTime(context) !== null) &&
    timeWithoutProgress > getStuckTimeout(runningStage, design);
  const bootstrapNames = new Set(listNodesWithRole(design, 'bootstrap').map(({ name }) => name));
  const view: BootstrapView = {
    servedBootstrapIgnition:
      (await listServedIgnitionFiles(context)).find(({ nodes }) => nodes.some((name) => bootstrapNames.has(name))) ??
      null,
    log,
    wait: wait.state,
    changedAt,
    stages: stageOrder.map((id) => {
      const state = doneStages.has(id) ? 'done' : id !== runningStage ? 'pending' : isStuck ? 'stuck' : 'running';
      return buildStageView(context, id, state, progress, evidence);
    }),
  };
  const isSingleNode = design.topology === 'single-node';
  // The bootstrap's ignition file contains the keys of the cluster: stop serving it.
  if (doneStages.has('complete')) await updateIgnitionAccess(context);
  const texts = isSingleNode ? { ...words(), ...words().inPlace } : words();
  if (runningStage === null) {
    const gaveUpAt = wait.state === 'gave-up' ? findLastErrorTime(log) : null;
    const summary = summarizeCompletion(design, await probeRemoval(context), gaveUpAt);
    return { state: 'done', summary, view, findings: [] };
  }
  const title = texts.stages[runningStage];
  const stuckStage = { stage: runningStage, stageTitle: title, timeWithoutProgress };
  const access = { design, ...describeHostAccess(context) };
  const stuckFindings = isStuck
    ? explainStuckBootstrap(await gatherStuckEvidence(context, evidence, stuckStage)).map((finding) =>
        simulateFindingCommands(access, finding),
      )
    : [];
  const findings = [...(await explainLog(context, log)), ...checkApiConnection(evidence.snapshot), ...stuckFindings];
  const stuckSummary = words().stuck(title, formatTimeOfDay(changedAt));
  const parts = stageOrder.map((id) => measureStage(context, id, progress, evidence));
  if (wait.state === 'none') {
    const isRunning = doneStages.size > 0 || findPowerOnTime(context) !== null;
    const neededSummary = isRunning ? words().runsUnwatched : words().needed;
    const summary = isStuck ? stuckSummary : neededSummary;
    return { state: 'needed', summary, progress: parts, isStuck, view, findings };
  }
  if (wait.state === 'gave-up') {
    const waitFindings = explainWaitExit(wait, log.lines.filter(({ source }) => source === 'installer').slice(-500));
    return {
      state: 'needed',
      summary: waitFindings[0]?.title ?? words().needed,
      progress: parts,
      view,
      findings: [...waitFindings, ...findings],
    };
  }
  const summary = isStuck ? stuckSummary : words().waiting(title);
  return {
    state: 'waiting',
    summary,
    remark: await describeIgnitionLifetime(context),
    progress: parts,
    isStuck,
    view,
    findings,
  };
}

/**
 * Finds the time of the last new message in the log, which is progress; null if there is none. Messages that the
 * installer prints as it starts to wait do not count.
 */
function findLastMessageTime({ lines, lastNewMessageAt }: LogSnapshot): number | null {
  const start = lines.findLast(({ source, text }) => source === 'installer' && /^Waiting up to /.test(text));
  const isStartMessage =
    lastNewMessageAt !== null && start?.at != null && Math.abs(lastNewMessageAt - start.at) <= WAIT_START_TOLERANCE_MS;
  return isStartMessage ? null : lastNewMessageAt;
}

const WAIT_START_TOLERANCE_MS = 10 * SECOND;

/** Finds the time of the last error that the installer logged, before it gave up; null if unknown. */
function findLastErrorTime({ lines }: LogSnapshot): number | null {
  return lines.findLast(({ source, level }) => source === 'installer' && level === 'error')?.at ?? null;
}

/** Maximum number of causes shown for the log: further ones have the same origin. */
const MAX_CAUSES = 2;

/** Explains the recent failures in the log, as `diagnose` does. */
async function explainLog(context: StepContext, { lines }: LogSnapshot): Promise<Finding[]> {
  const { design, clock } = context;
  const bootstrap = listNodesWithRole(design, 'bootstrap')[0]?.name ?? null;
  const failures = listRecentFailures(lines, bootstrap, clock.now());
  if (failures.length === 0) return [];
  // Loaded on demand: a bootstrap without failures needs no rules.
  const { diagnosePartialEvidence } = await import('../checks/rules/diagnose.ts');
  return diagnosePartialEvidence({
    ...describeHostAccess(context),
    now: clock.now(),
    design,
    lines: failures,
  }).slice(0, MAX_CAUSES);
}

function buildStageView(
  { design, clock }: StepContext,
  id: BootstrapStage,
  state: StageView['state'],
  progress: BootstrapProgress,
  evidence: BootstrapEvidence,
): StageView {
  const texts = design.topology === 'single-node' ? words().inPlace : words();
  const { startedAt = null, doneAt = null } = progress.stages[id] ?? {};
  const [, usualMinutes] = getStageMinutes(id, design);
  // The meaning names what is normal within the usual time only.
  const isLate = state !== 'done' && startedAt !== null && clock.now() - startedAt > usualMinutes * MINUTE;
  return {
    id,
    title: texts.stages[id],
    state,
    startedAt,
    // A stage that was done and no longer is (the load balancer restarts) counts as running since its start.
    doneAt: state === 'done' ? doneAt : null,
    usualDuration: words().usually(...getStageMinutes(id, design)),
    meaning: isLate ? words().late : texts.meaning[id],
    evidence: formatStageEvidence(id, evidence),
  };
}

/** Measures a stage. Once observed as done, it stays done, also during a short outage of the API. */
function measureStage(
  { design }: StepContext,
  id: BootstrapStage,
  { stages }: BootstrapProgress,
  { members }: BootstrapEvidence,
): WaitPart {
  const { startedAt = null, doneAt = null } = stages[id] ?? {};
  const share =
    id === 'joined'
      ? computeMean(members.map(({ hasJoined }) => Number(hasJoined)))
      : id === 'control-plane'
        ? computeMean(members.map(({ isReady }) => Number(isReady)))
        : 0;
  return {
    usualMinutes: getStageMinutes(id, design),
    share: doneAt === null ? Math.min(share, 0.95) : 1,
    startedAt,
    hasHiddenProgress: true,
  };
}

/**
 * Derives from the installer's log and the API when stages were done: the wizard may not have been running at that
 * time.
 */
function deriveStageTimes(
  { snapshot, members }: BootstrapObservation,
  { lines }: LogSnapshot,
): Partial<Record<BootstrapStage, number>> {
  const findTime = (pattern: RegExp) =>
    lines.find(({ source, text, at }) => source === 'installer' && at !== null && pattern.test(text))?.at ?? null;
  const apiUpTime = findTime(/^API v\S+ up$/);
  const completeTime = findTime(/^(?:Bootstrap status: complete|It is now safe to remove the bootstrap resources)/);
  const joinTimes = (snapshot?.nodes ?? []).flatMap(({ createdAt }) => createdAt ?? []).sort((a, b) => a - b);
  const lastJoinTime = joinTimes[members.length - 1] ?? null;
  return {
    ...(apiUpTime === null
      ? {}
      : { 'release-image': apiUpTime, bootkube: apiUpTime, 'bootstrap-up': apiUpTime, api: apiUpTime }),
    ...(lastJoinTime === null ? {} : { joined: lastJoinTime }),
    ...(completeTime === null ? {} : { complete: completeTime }),
  };
}

/** Finds when the bootstrap machine, or the single node, was powered on; null if unknown. */
function findPowerOnTime({ design, stepState }: StepContext): number | null {
  const machine = listNodesWithRole(design, 'bootstrap')[0] ?? listNodesWithRole(design, 'control-plane')[0];
  return stepState.get('powered-on')?.[machine?.name ?? ''] ?? null;
}
