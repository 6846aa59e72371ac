import type { Design } from '../../design/model.ts';
import { MINUTE } from '../../ports/clock.ts';
import type { StepId } from '../../steps/contract.ts';
import { screenIndex, type WizardState } from '../state.ts';
import type { StepRun } from './step-run.ts';

/** How far the whole installation is. Times are ms of the clock. */
export interface Course {
  /** Of the usual time from the first machine's power-on to the last infra move, 0 to 1; null where that is not known. */
  readonly share: number | null;
  readonly spent: number;
  /** The usual rest, from the shortest to the longest; null where it is not known, or where all of it has passed. */
  readonly rest: readonly [least: number, most: number] | null;
}

/** Minutes that a step usually takes by itself, after the one before it: the figures that the step's screen names. */
type Usual = readonly [least: number, most: number];

const COURSE = ['boot', 'bootstrap', 'bootstrap-removal', 'certificates', 'operators', 'infra'] as const;
type CourseStep = (typeof COURSE)[number] & StepId;

/** @returns null for a site of whose usual times we know nothing */
function usualTimes(design: Design): Readonly<Record<CourseStep, Usual>> | null {
  // A single node bootstraps in place: one long wait, whose parts nobody has measured.
  if (design.topology === 'single-node') return null;
  const has = (...roles: readonly string[]) => design.nodes.some(({ role }) => roles.includes(role));
  return {
    boot: [3, 6],
    // 20 to 40 minutes from power-on, which is when boot begins.
    bootstrap: [17, 34],
    'bootstrap-removal': [1, 5],
    certificates: has('compute', 'infra', 'storage') ? [10, 25] : [0, 0],
    // 30 to 60 minutes in all, and much of it while the nodes join.
    operators: [20, 35],
    // Five moves of 2 to 10 minutes each.
    infra: has('infra') ? [10, 50] : [0, 0],
  };
}

/** How far the installation is; null before the first machine was powered on, and once nothing is left. */
export function courseOf({ design, begunAt, now, reached, runs }: WizardState): Course | null {
  if (design === null || begunAt === null || reached > screenIndex('infra')) return null;
  const open = COURSE.filter((id) => screenIndex(id) >= reached && runs[id].phase !== 'done');
  if (open.length === 0) return null;
  const spent = Math.max(0, now - begunAt);
  const usual = usualTimes(design);
  if (usual === null) return { share: null, spent, rest: null };
  const lasts = (id: CourseStep) => (id === open[0] ? lasted(runs[id], now) : 0);
  const left = (id: CourseStep, which: 0 | 1) => Math.max(0, usual[id][which] * MINUTE - lasts(id));
  const sum = (ids: readonly CourseStep[], which: 0 | 1) => ids.reduce((total, id) => total + left(id, which), 0);
  const all = COURSE.reduce((total, id) => total + usual[id][1] * MINUTE, 0);
  const most = sum(open, 1);
  return { share: 1 - most / all, spent, rest: most === 0 ? null : [sum(open, 0), most] };
}

/** How long the step has waited or worked; 0 where that was not seen. */
function lasted({ appliedAt }: StepRun, now: number): number {
  return appliedAt === null ? 0 : Math.max(0, now - appliedAt);
}
