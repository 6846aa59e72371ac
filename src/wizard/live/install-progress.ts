import { type NodeRole, WORKER_ROLES } from '../../design/choices.ts';
import type { Design } from '../../design/model.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { StepId } from '../../steps/contract.ts';
import { computeDrawnShare, estimateWait, type WaitPart } from '../../steps/wait-progress.ts';
import { getScreenIndex, isStep, type WizardState } from '../state.ts';
import { needsRepair } from './likely-cause.ts';
import type { StepRun } from './step-run.ts';

/** Progress of the whole installation. Times are ms of the clock. */
interface InstallProgress {
  /** The share of the usual time from the first power-on to the last infra move that is done, 0 to 1. Null: unknown. */
  readonly share: number | null;
  /** The time since the first power-on, over all steps. */
  readonly elapsedMs: number;
  /** The usual remaining time; null if it is unknown, or if the current step takes longer than usual. */
  readonly remainingMs: readonly [min: number, max: number] | null;
  /** The step that alone needs this time, if it is another one than that on the screen; missing: it is not the only one. */
  readonly remainingStep?: StepId;
  /** The current step, or the page on the screen, waits for a repair. The frame shows no estimate until then. */
  readonly needsRepair: boolean;
}

/** Usual minutes of a step after the previous one, derived from the figures on the screens of the steps. */
type MinuteRange = readonly [min: number, max: number];
const TIMED_STEPS = ['boot', 'bootstrap', 'bootstrap-removal', 'certificates', 'operators', 'infra'] as const;
type TimedStep = (typeof TIMED_STEPS)[number] & StepId;

/**
 * Returns the usual minutes of each step.
 * @param infra the run of the infra step: once it knows the moves of this cluster, their usual times count
 * @returns null for a site with unknown usual times
 */
function getUsualStepMinutes(design: Design, infra: StepRun): Readonly<Record<TimedStep, MinuteRange>> | null {
  // A single node bootstraps in place: one long wait, whose parts have not been measured.
  if (design.topology === 'single-node') return null;
  const hasStepWork = (step: TimedStep) => hasWork(step, design, infra);
  return {
    boot: [3, 6],
    // 20 to 40 minutes from power-on, which is the start of the step boot.
    bootstrap: [17, 34],
    'bootstrap-removal': [1, 5],
    certificates: hasStepWork('certificates') ? [10, 25] : [0, 0],
    // 30 to 60 minutes in all, much of it while the nodes join.
    operators: [20, 35],
    // Before the moves are known: the sum of the usual minutes of the example's moves.
    infra: infra.probe?.progress ? sumUsualMinutes(infra.probe.progress) : hasStepWork('infra') ? [9, 39] : [0, 0],
  };
}

/** The roles without which a step has nothing to do. */
const NEEDED_ROLES: Readonly<Partial<Record<TimedStep, readonly NodeRole[]>>> = {
  certificates: WORKER_ROLES,
  infra: ['infra'],
};

function hasWork(step: TimedStep, design: Design, infra: StepRun): boolean {
  const roles = NEEDED_ROLES[step];
  const isObserved = step === 'infra' && infra.probe?.progress !== undefined;
  return roles === undefined || isObserved || design.nodes.some(({ role }) => roles.includes(role));
}

function sumUsualMinutes(parts: readonly WaitPart[]): MinuteRange {
  return parts.reduce<MinuteRange>(
    ([minMinutes, maxMinutes], { usualMinutes: usual }) => [minMinutes + usual[0], maxMinutes + usual[1]],
    [0, 0],
  );
}

/** Derives the progress; null before the first power-on, and when no timed step remains. */
export function deriveInstallProgress(state: WizardState): InstallProgress | null {
  const { design, firstPowerOnAt, now, furthestScreenIndex, runs } = state;
  if (design === null || firstPowerOnAt === null || furthestScreenIndex > getScreenIndex('infra')) return null;
  // A step that was done once counts as finished, although it is probed again when the user goes back to it.
  const isFinished = (id: TimedStep) => getScreenIndex(id) < furthestScreenIndex || isDone(runs[id]);
  const lastDoneIndex = TIMED_STEPS.findLastIndex((id) => isDone(runs[id]));
  const remainingSteps = TIMED_STEPS.filter(
    (id, index) => index > lastDoneIndex && !isFinished(id) && hasWork(id, design, runs.infra),
  );
  if (remainingSteps.length === 0) return null;
  const elapsedMs = Math.max(0, now - firstPowerOnAt);
  const usualMinutes = getUsualStepMinutes(design, runs.infra);
  const [currentStep] = remainingSteps;
  const isRepairAwaited = isStep(state.screen) && runs[state.screen].probe?.awaitsRepair === true;
  // The installation was left, and its progress has not been probed since.
  const isProgressUnknown =
    currentStep !== undefined && state.screen !== currentStep && runs[currentStep].probe === null;
  if (usualMinutes === null || (isProgressUnknown && getScreenIndex(state.screen) < furthestScreenIndex))
    return { share: null, elapsedMs, remainingMs: null, needsRepair: isRepairAwaited };
  const isStuck = currentStep !== undefined && needsRepair(state, currentStep);
  const estimatedAt = isStuck ? (runs[currentStep].unchangedSince ?? now) : now;
  // Machines bootstrap from their power-on, also before a user starts the wait.
  const bootstrapStart = firstPowerOnAt + usualMinutes.boot[1] * MINUTE;
  const estimates = remainingSteps.map((id, index) =>
    estimateStep(
      { ...runs[id], appliedAt: runs[id].appliedAt ?? (id === 'bootstrap' ? bootstrapStart : null) },
      usualMinutes[id],
      index === 0 ? estimatedAt : null,
    ),
  );
  const minRemainingMs = estimates.reduce((total, { remaining }) => total + remaining[0], 0);
  const maxRemainingMs = estimates.reduce((total, { remaining }) => total + remaining[1], 0);
  // The page on which nothing is left says so: the time is that of the next page.
  const hasOnlyInfraLeft =
    state.screen !== 'infra' &&
    remainingSteps.includes('infra') &&
    estimates.every(({ remaining }, index) => remainingSteps[index] === 'infra' || remaining[1] === 0);
  const isLate = currentStep !== undefined && runs[currentStep].probe?.isLate === true;
  const isOverdue = maxRemainingMs === 0 && estimates[0]?.isOverdue === true;
  const totalWork = TIMED_STEPS.reduce((total, id) => total + usualMinutes[id][1] * MINUTE, 0);
  // Far beyond the usual time of all steps, the sum of the open steps' times would be misleading.
  if (!isOverdue && elapsedMs > MAX_USUAL_MULTIPLE * totalWork)
    return { share: null, elapsedMs, remainingMs: null, needsRepair: isStuck || isRepairAwaited };
  const remainingWork = estimates.reduce((total, { remainingWork: rest }) => total + rest, 0);
  return {
    share: 1 - remainingWork / totalWork,
    elapsedMs,
    remainingMs: isOverdue || isLate ? null : [minRemainingMs, maxRemainingMs],
    ...(hasOnlyInfraLeft ? { remainingStep: 'infra' } : {}),
    needsRepair: isStuck || isRepairAwaited,
  };
}

/** Nothing is estimated any more after this multiple of the usual time of all steps. */
const MAX_USUAL_MULTIPLE = 1.5;

const isDone = ({ phase, probe }: StepRun) => phase === 'done' || probe?.state === 'done';

/**
 * Estimates the rest of a step, ms. `remainingWork`: the work that the bar shows as not done, by what was observed, or
 * else by the time since apply began.
 * @param now null for a step whose turn has not come
 */
function estimateStep(
  run: Pick<StepRun, 'appliedAt' | 'probe' | 'share'>,
  [minMinutes, maxMinutes]: MinuteRange,
  now: number | null,
) {
  const { appliedAt, probe, share } = run;
  if (now === null)
    return {
      remaining: [minMinutes * MINUTE, maxMinutes * MINUTE] as const,
      remainingWork: maxMinutes * MINUTE,
      isOverdue: false,
    };
  const elapsed = appliedAt === null ? 0 : Math.max(0, now - appliedAt);
  const remainingByTime = [
    Math.max(0, minMinutes * MINUTE - elapsed),
    Math.max(0, maxMinutes * MINUTE - elapsed),
  ] as const;
  if (probe?.progress === undefined)
    return { remaining: remainingByTime, remainingWork: remainingByTime[1], isOverdue: elapsed > maxMinutes * MINUTE };
  const { remaining, isOverdue } = estimateWait(probe.progress, now);
  return {
    remaining: [Math.min(remaining[0], minMinutes * MINUTE), Math.min(remaining[1], maxMinutes * MINUTE)] as const,
    remainingWork: (1 - Math.max(share, computeDrawnShare(probe.progress, now))) * maxMinutes * MINUTE,
    isOverdue,
  };
}
