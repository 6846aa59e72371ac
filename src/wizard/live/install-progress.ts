import type { Design } from '../../design/model.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { StepId } from '../../steps/contract.ts';
import { screenIndex, type WizardState } from '../state.ts';
import type { StepRun } from './step-run.ts';

/** Progress of the whole installation. Times are ms of the clock. */
export interface InstallProgress {
  /**
   * The share of the usual time from the first power-on to the last infra move, 0 to 1; null if the usual time is
   * unknown.
   */
  readonly share: number | null;
  readonly elapsed: number;
  /** The usual remaining time; null if it is unknown, or if all of it has passed. */
  readonly remaining: readonly [least: number, most: number] | null;
}

/** Usual minutes of a step after the previous one: the same figures as on the screen of the step. */
type DurationRange = readonly [least: number, most: number];
const TIMED_STEPS = ['boot', 'bootstrap', 'bootstrap-removal', 'certificates', 'operators', 'infra'] as const;
type TimedStep = (typeof TIMED_STEPS)[number] & StepId;

/** @returns null for a site with unknown usual times */
function getUsualDurations(design: Design): Readonly<Record<TimedStep, DurationRange>> | null {
  // A single node bootstraps in place: one long wait, whose parts have not been measured.
  if (design.topology === 'single-node') return null;
  const has = (...roles: readonly string[]) => design.nodes.some(({ role }) => roles.includes(role));
  return {
    boot: [3, 6],
    // 20 to 40 minutes from power-on, which is the start of the step boot.
    bootstrap: [17, 34],
    'bootstrap-removal': [1, 5],
    certificates: has('compute', 'infra', 'storage') ? [10, 25] : [0, 0],
    // 30 to 60 minutes in all, much of it while the nodes join.
    operators: [20, 35],
    // Five moves of 2 to 10 minutes each.
    infra: has('infra') ? [10, 50] : [0, 0],
  };
}

/** Derives the progress; null before the first power-on, and when no timed step remains. */
export function deriveInstallProgress({ design, begunAt, now, reached, runs }: WizardState): InstallProgress | null {
  if (design === null || begunAt === null || reached > screenIndex('infra')) return null;
  const remainingSteps = TIMED_STEPS.filter((id) => screenIndex(id) >= reached && runs[id].phase !== 'done');
  if (remainingSteps.length === 0) return null;
  const elapsed = Math.max(0, now - begunAt);
  const usual = getUsualDurations(design);
  if (usual === null) return { share: null, elapsed, remaining: null };
  const getElapsed = (id: TimedStep) => (id === remainingSteps[0] ? measureElapsed(runs[id], now) : 0);
  const getRemaining = (id: TimedStep, which: 0 | 1) => Math.max(0, usual[id][which] * MINUTE - getElapsed(id));
  const sum = (ids: readonly TimedStep[], which: 0 | 1) =>
    ids.reduce((total, id) => total + getRemaining(id, which), 0);
  const all = TIMED_STEPS.reduce((total, id) => total + usual[id][1] * MINUTE, 0);
  const maximum = sum(remainingSteps, 1);
  return { share: 1 - maximum / all, elapsed, remaining: maximum === 0 ? null : [sum(remainingSteps, 0), maximum] };
}

/** Returns the time since the step's apply began, in ms; 0 if it is unknown. */
function measureElapsed({ appliedAt }: StepRun, now: number): number {
  return appliedAt === null ? 0 : Math.max(0, now - appliedAt);
}
