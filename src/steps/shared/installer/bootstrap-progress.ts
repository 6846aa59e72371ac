import type { BootstrapStage } from '../../../checks/bootstrap/evidence.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { computeSha256 } from '../../../platform/text.ts';
import type { StepContext } from '../../contract.ts';

/** Start and end of a stage, in ms of the clock. Null: not observed. */
interface StageTimes {
  readonly startedAt: number | null;
  readonly doneAt: number | null;
}

/** The recorded progress of a bootstrap, kept between probes and between sessions. */
export interface BootstrapProgress {
  readonly stages: Readonly<Partial<Record<BootstrapStage, StageTimes>>>;
  /** When the observed state last changed, ms of the clock. */
  readonly changedAt: number;
  /** A digest of the last observed state. */
  readonly signature: string;
}

/**
 * Pause between two probes (ms) beyond which a stage may have ended unobserved, if the step is probed only on its own
 * page.
 */
const MAX_UNWATCHED_PAUSE = MINUTE;

const PROGRESS_KEY = 'bootstrap-progress';

/**
 * Records what is new in this probe: when stages began and ended (the first time counts), and that something changed. A
 * stage that ended while no process watched has no duration, unless another source reports its end.
 * @param observation.order the stages in their order
 * @param observation.startedAt when the first stage began, if known
 */
export function recordProgress(
  context: Pick<StepContext, 'stepState' | 'clock' | 'probeCache'>,
  observation: {
    readonly stageOrder: readonly BootstrapStage[];
    readonly doneStages: ReadonlySet<BootstrapStage>;
    readonly signature: string;
    readonly startedAt: number | null;
    /** When stages were done, if another source than the wizard's own probes reports it. */
    readonly reportedTimes: Readonly<Partial<Record<BootstrapStage, number>>>;
  },
): BootstrapProgress {
  const { stepState, clock, probeCache } = context;
  const savedProgress = stepState.get(PROGRESS_KEY) ?? null;
  const now = clock.now();
  const { isBootstrapWatched, bootstrapProbedAt } = probeCache;
  const isWatched =
    bootstrapProbedAt !== null && (isBootstrapWatched || now - bootstrapProbedAt <= MAX_UNWATCHED_PAUSE);
  Object.assign(probeCache, { isBootstrapWatched: true, bootstrapProbedAt: now });
  const signature = computeSha256(observation.signature).slice(0, 16);
  const currentStage = observation.stageOrder.find((id) => !observation.doneStages.has(id));
  const stages: Partial<Record<BootstrapStage, StageTimes>> = { ...savedProgress?.stages };
  let previousEnd: number | null = observation.startedAt;
  for (const id of observation.stageOrder) {
    const times = stages[id];
    const reportedAt = observation.reportedTimes[id] ?? null;
    if (observation.doneStages.has(id)) {
      // A stage that was done before the first probe has a duration only if another source reports its times.
      const isEndUnknown = reportedAt === null && !isWatched && times?.doneAt === null;
      const startedAt = isEndUnknown ? null : (times?.startedAt ?? (reportedAt === null ? null : previousEnd));
      stages[id] = { startedAt, doneAt: times?.doneAt ?? Math.max(reportedAt ?? now, startedAt ?? 0) };
    } else if (id === currentStage && times === undefined) stages[id] = { startedAt: previousEnd ?? now, doneAt: null };
    previousEnd = stages[id]?.doneAt ?? null;
  }
  const isSame =
    savedProgress?.signature === signature &&
    Object.keys(stages).every((id) => hasSameTimes(savedProgress, stages, id));
  if (savedProgress && isSame) return savedProgress;
  const nextProgress = {
    stages,
    signature,
    changedAt: savedProgress?.signature === signature ? savedProgress.changedAt : now,
  };
  stepState.set(PROGRESS_KEY, nextProgress);
  return nextProgress;
}

/** Whether this stage was ever observed as done. */
export function isStageDone({ stepState }: Pick<StepContext, 'stepState'>, stage: BootstrapStage): boolean {
  return (stepState.get(PROGRESS_KEY)?.stages[stage]?.doneAt ?? null) !== null;
}

/** Deletes the recorded progress, because the bootstrap starts over. */
export function forgetProgress({ stepState }: Pick<StepContext, 'stepState'>): void {
  stepState.set(PROGRESS_KEY, null);
}

function hasSameTimes(savedProgress: BootstrapProgress, stages: BootstrapProgress['stages'], id: string): boolean {
  const [a, b] = [savedProgress.stages[id as BootstrapStage], stages[id as BootstrapStage]];
  return a?.startedAt === b?.startedAt && a?.doneAt === b?.doneAt;
}
