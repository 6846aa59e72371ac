import { INFRA_LABEL } from '../design/infra-placement.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { getField, type KubeObject } from '../openshift/object.ts';
import { MINUTE } from '../platform/clock.ts';
import {
  applyClusterMove,
  createClusterReader,
  type EditResult,
  type PendingWaiter,
  probeClusterMove,
  type UndoRecorder,
} from './apply-edits.ts';
import type { ClusterReader, PendingReason } from './cluster-reader.ts';
import type { InfraContext, LoadBalancerFiles } from './context.ts';
import type { MoveChange } from './edit.ts';
import {
  type ClusterMove,
  type FilesMove,
  type InfraMove,
  type MoveStatus,
  type PlanFacts,
  type RolloutStatus,
  readOperator,
  type Workload,
} from './infra-move.ts';
import { deriveFilesProgress, isFilesMoveInDesign } from './moves/load-balancer.ts';
import { addMachineNodes } from './moves/machine-sets.ts';
import { getRolloutTarget, type MoveName } from './moves.ts';
import type { PlannedCluster } from './planned-cluster.ts';
import { describeWorkloadRollout } from './shared/rollout.ts';
import { drainCreatedObjects, planUndo, type UndoConsent, type UndoPlan, undoMove } from './undo/undo-move.ts';

const words = () => catalogue().steps.infra;
/** How long an operator has to be healthy before a move counts as done (ms of the clock). */
const HEALTHY_PERIOD = MINUTE;
/** How long an operator may take to notice an undone move (ms of the clock). */
const APPLY_TIMEOUT = 3 * MINUTE;

/** The cluster as read for the status of one move. */
export interface MoveProbeInput {
  /** The cluster, after the edits of earlier moves. */
  readonly cluster: PlannedCluster;
  /** Lists the needed moves that are not done by the time this one starts. */
  readonly listUnfinished: PlanFacts['listUnfinished'];
}

/** One application of a move. */
interface ApplyRun {
  readonly onWrite: (result: EditResult | string) => void;
  /** Receives each change before it is written; throws to prevent the write. */
  readonly check: (change: MoveChange) => void;
  readonly listUnfinished: PlanFacts['listUnfinished'];
  /** Waits between writes until the earlier writes are rolled out; missing: no waiting. */
  readonly waitWhilePending?: PendingWaiter;
}

/** One undo of a move. */
interface UndoRun {
  readonly onWrite: (result: EditResult | string) => void;
  readonly consent: UndoConsent;
  /** Everything is restored already: undo only records that. */
  readonly isRestored: boolean;
  /** Repeats a call while the API is down. */
  readonly retry: <T>(action: () => Promise<T>) => Promise<T>;
  /** Probes until the status is no longer `moving`; fails after `timeout` (ms of the clock). */
  readonly waitFor: (probe: () => Promise<RolloutStatus>, timeout?: number) => Promise<RolloutStatus>;
}

/** Executes one move, on the objects of the cluster or on the files of the load balancers. */
export interface MoveExecutor {
  probe(input: MoveProbeInput): Promise<MoveStatus>;
  /** Applies what is missing; writes nothing if everything is in place. @throws UserErrorException */
  apply(run: ApplyRun): Promise<void>;
  /** Plans the undo. @param toDefaults whether to restore the operators' defaults if there are no records */
  planUndo(toDefaults: boolean): Promise<UndoPlan>;
  /** Returns why the move cannot be undone yet; null if it can. */
  findUndoObstacle(): Promise<PendingReason | null>;
  /**
   * Undoes the changes that the user confirmed, and waits until the pods of the move have left and run elsewhere.
   * @returns why it cannot be undone now, or is not finished; null if it was undone
   * @throws UserErrorException
   */
  undo(run: UndoRun): Promise<string | null>;
}

/** Creates the executor of a move; null if the move does not apply to this site: see `describeAbsence`. */
export function createExecutor(infra: InfraContext, move: InfraMove<MoveName>): MoveExecutor | null {
  if (move.where === 'cluster') return createClusterExecutor(infra, move);
  const files = infra.directory?.loadBalancers;
  return files !== undefined && isFilesMoveInDesign(move, infra.design)
    ? createFilesExecutor(infra, files, move)
    : null;
}

/** Describes why a move without an executor does not apply; empty if the design does not want it. */
export function describeAbsence({ design }: InfraContext, move: InfraMove): string {
  return move.where === 'files' && isFilesMoveInDesign(move, design)
    ? catalogue().clusterCommands.infra.noDirectory
    : '';
}

function createClusterExecutor(infra: InfraContext, move: ClusterMove<MoveName>): MoveExecutor {
  const { connect, undoLog } = infra;
  const readBootImages = async () => (await infra.directory?.readBootImages()) ?? null;
  const open = async () => {
    const cluster = await connect();
    const reader = createClusterReader(cluster);
    return { cluster, reader, design: await addMachineNodes(infra.design, reader) };
  };
  return {
    async probe({ cluster, listUnfinished }) {
      return await probeClusterMove(cluster, move, await addMachineNodes(infra.design, cluster), {
        listUnfinished,
        readBootImages,
      });
    },
    async apply({ listUnfinished, ...run }) {
      const { cluster, design } = await open();
      const recordUndo: UndoRecorder = async (edit, current) =>
        await undoLog?.recordObject(cluster, move.name, edit, current);
      await applyClusterMove(cluster, move, design, { listUnfinished, readBootImages }, { ...run, recordUndo });
    },
    async planUndo(toDefaults) {
      const { cluster, design } = await open();
      return await planUndo(cluster, move, { design, log: undoLog, toDefaults });
    },
    async findUndoObstacle() {
      const { reader, design } = await open();
      return (await move.findUndoBlocker?.(reader, design)) ?? null;
    },
    async undo({ onWrite, consent, isRestored, retry, waitFor }) {
      const restore = async () => {
        const { cluster, design } = await open();
        return await undoMove(cluster, move, { design, log: undoLog, consent }, onWrite);
      };
      if (isRestored) {
        await retry(restore);
        return null;
      }
      const { probeApplied, probeRollout } = await retry(() => followWorkloads(infra, move.name));
      const drain = move.drainBeforeDelete;
      if (drain) {
        const run = { log: undoLog, consent, report: onWrite };
        const names = await retry(async () => drainCreatedObjects(await connect(), move, drain, run));
        const untilDrained = async () => drain.untilDrained(createClusterReader(await connect()), names);
        const drainStatus = await waitFor(async () => toRolloutStatus(await untilDrained()));
        if (drainStatus.state !== 'done') return drainStatus.why;
      }
      const changedObjects = await retry(restore);
      if (changedObjects.length > 0) return words().changedSince(changedObjects.join(', '));
      const untilPodsGone = async () => {
        const { reader, design } = await open();
        return (await move.untilPodsGone?.(reader, design)) ?? null;
      };
      const podsGoneStatus = await waitFor(async () => toRolloutStatus(await untilPodsGone()));
      if (podsGoneStatus.state !== 'done') return podsGoneStatus.why;
      // The pods of the move start elsewhere. An operator that has nothing to change leaves a workload as it is.
      await waitFor(probeApplied, APPLY_TIMEOUT);
      // The registry may have been unhealthy before its move, and is again without it.
      const canBeUnhealthy = move.rolloutTarget?.canFixOperator === true;
      const rolloutStatus = await waitFor(
        canBeUnhealthy ? probeRollout : requireHealthyOperator(infra, move.name, probeRollout),
      );
      return rolloutStatus.state === 'done' ? null : rolloutStatus.why;
    },
  };
}

function createFilesExecutor(infra: InfraContext, files: LoadBalancerFiles, move: FilesMove<MoveName>): MoveExecutor {
  const { connect, design, undoLog } = infra;
  const findBlockingReason = async (listUnfinished: PlanFacts['listUnfinished']) => {
    if (deriveFilesProgress(files, move, design) === 'early') return catalogue().clusterCommands.infra.bootstrapFirst;
    return (await listUnfinished()).length > 0 ? words().routerFirst : null;
  };
  const planChanges = async () => {
    // The previous stage may be one that an earlier move of the same plan writes.
    const previousStage = files.hasReachedStage(move.previousStage) ? undefined : move.previousStage;
    return toMoveChanges(await files.plan(move.stage, previousStage));
  };
  return {
    async probe({ listUnfinished }) {
      const { action } = catalogue().moves.byName[move.name];
      if (deriveFilesProgress(files, move, design) !== 'written') {
        const why = await findBlockingReason(listUnfinished);
        if (why !== null) return { state: 'blocked', why, changes: [] };
        return { state: 'needed', why: action, changes: await planChanges() };
      }
      // The user may not have put the files in place yet. Until then the infra nodes get no traffic, so routers must
      // not move.
      const { hosts, commands, hasOutdatedRecord } = await files.findOutdated();
      // If the wizard ended between writing the files and recording that, a host may still run the files of another
      // stage.
      if (hasOutdatedRecord) return { state: 'needed', why: action, changes: [] };
      if (hosts.length > 0)
        return { state: 'moving', why: words().loadBalancerOutdated(hosts.join(', '), commands), changes: [] };
      const closedReason = await files.findClosedEndpoint();
      return closedReason === null
        ? { state: 'done', why: words().loadBalancerUpdated, changes: [] }
        : { state: 'moving', why: closedReason, changes: [] };
    },
    async apply({ onWrite, check, listUnfinished }) {
      const why = await findBlockingReason(listUnfinished);
      if (why !== null)
        throw new UserErrorException({ ...catalogue().moves.userErrors.blocked, code: 'infra-blocked', cause: why });
      for (const change of await planChanges()) check(change);
      await undoLog?.recordFiles(await connect(), move.name, 'files');
      await files.apply(move.stage, onWrite);
    },
    async planUndo(toDefaults) {
      // If no record names this move, its files were written when the nodes joined, before any move: undo leaves them.
      const isForeign = (await undoLog?.hasPlacedFiles(await connect(), move.name)) === false;
      if (isForeign && !toDefaults) return { move: move.name, kind: 'foreign', isFileMove: true };
      return { move: move.name, kind: 'files', changes: toMoveChanges(await files.plan(move.previousStage)) };
    },
    findUndoObstacle: async () => (await move.findUndoBlocker?.(createClusterReader(await connect()), design)) ?? null,
    async undo({ onWrite, retry }) {
      await retry(async () => {
        await files.apply(move.previousStage, onWrite);
        await undoLog?.recordFiles(await connect(), move.name, 'files-returned');
      });
      return null;
    },
  };
}

function toMoveChanges(changes: Awaited<ReturnType<LoadBalancerFiles['plan']>>): MoveChange[] {
  return changes.map(({ object, before, after }) => ({ object, isFile: true, before, after }));
}

/** Converts the reason for waiting to a status; null is `done`. */
export function toRolloutStatus(pending: PendingReason | null): RolloutStatus {
  if (pending === null) return { state: 'done', why: '' };
  return { state: pending.state === 'moving' ? 'moving' : 'failed', why: pending.why };
}

/** Extends a probe: the rollout is only done when its operator has been healthy for a minute. */
export function requireHealthyOperator(
  { clock, connect }: InfraContext,
  move: MoveName,
  probe: () => Promise<RolloutStatus>,
): () => Promise<RolloutStatus> {
  const target = getRolloutTarget(move);
  let healthySince: number | null = null;
  return async () => {
    const rollout = await probe();
    const operator =
      rollout.state === 'done' && target ? await readOperator(createClusterReader(await connect()), target) : null;
    if (operator === null) return rollout;
    const { operatorUnhealthy, mustStayHealthy } = catalogue().moves.reasons.rollout;
    const isHealthy = operator.available && !operator.degraded && !operator.progressing;
    if (!isHealthy) healthySince = null;
    // If the clock was set back, the minute starts again.
    else healthySince = Math.min(healthySince ?? Number.POSITIVE_INFINITY, clock.now());
    if (healthySince === null) return { state: 'moving', why: operatorUnhealthy(operator.name) };
    return clock.now() - healthySince < HEALTHY_PERIOD
      ? { state: 'moving', why: mustStayHealthy(operator.name) }
      : rollout;
  };
}

/**
 * Records the workloads that a move has placed, before its undo.
 * @returns `probeApplied`: done when the operators have placed each workload again. `probeRollout`: done when the pods
 * of all workloads run
 */
async function followWorkloads(infra: InfraContext, move: MoveName) {
  const reader = createClusterReader(await infra.connect());
  const workloads = (await getRolloutTarget(move)?.workloads?.(reader, infra.design)) ?? [];
  const oldWorkloads = await readWorkloads(reader, workloads);
  return {
    async probeApplied(): Promise<RolloutStatus> {
      const newWorkloads = await readWorkloads(createClusterReader(await infra.connect()), workloads);
      const unappliedNames = newWorkloads.flatMap((object, index) => {
        const oldObject = oldWorkloads[index] ?? null;
        const isUnapplied =
          object !== null &&
          oldObject !== null &&
          isOnInfra(object) &&
          object.metadata.generation === oldObject.metadata.generation;
        return isUnapplied ? object.metadata.name : [];
      });
      return unappliedNames.length === 0
        ? { state: 'done', why: '' }
        : { state: 'moving', why: catalogue().moves.reasons.rollout.notApplied(unappliedNames) };
    },
    async probeRollout(): Promise<RolloutStatus> {
      const newReader = createClusterReader(await infra.connect());
      for (const [index, object] of (await readWorkloads(newReader, workloads)).entries()) {
        const workload = workloads[index];
        const why = object && workload ? await describeWorkloadRollout(newReader, workload, object) : null;
        if (why !== null) return { state: 'moving', why };
      }
      return { state: 'done', why: '' };
    },
  };
}

async function readWorkloads(reader: ClusterReader, workloads: readonly Workload[]): Promise<(KubeObject | null)[]> {
  const namespaces = [...new Set(workloads.map(({ namespace }) => namespace))];
  await Promise.all(namespaces.map((namespace) => reader.list('Pod', { namespace })));
  return await Promise.all(workloads.map(({ kind, name, namespace }) => reader.get(kind, name, namespace)));
}

function isOnInfra({ spec }: KubeObject): boolean {
  return getField(spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) !== undefined;
}
