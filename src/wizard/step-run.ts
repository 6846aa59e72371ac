import type { Plan, Probe } from '../steps/contract.ts';
import type { Trouble } from '../text/trouble.ts';
import { FROM_THE_END, type Reading } from './reading.ts';
import type { TextFieldState } from './text-field.ts';

/** What is asked before it is done. `subject`: the one part that it is about, null for the whole step. */
export interface Question {
  readonly action: 'apply' | 'apply-one' | 'undo';
  readonly subject: string | null;
  /** Yes is said by typing one of these words; null where a key is enough. */
  readonly typed: { readonly field: TextFieldState; readonly words: readonly string[] } | null;
}

/**
 * What failed. A look is repeated anyway, and the next one takes the trouble away; what was asked for stays said until it is
 * tried again, as it was.
 */
export type Failure =
  | { readonly during: 'look'; readonly trouble: Trouble }
  | { readonly during: 'run'; readonly trouble: Trouble; readonly tried: Question };

/** What is known of a step in any phase. */
interface Standing {
  readonly probe: Probe<unknown> | null;
  readonly plan: Plan | null;
  /** What apply reported, the newest last. */
  readonly lines: readonly string[];
  /** When apply began, ms of the clock; null when it did not, or when the step was seen done since. */
  readonly appliedAt: number | null;
  /** The selected row of the step's list. */
  readonly row: number;
  /** First line seen of what the selected row shows. */
  readonly top: number;
  /** Where its log is read. */
  readonly reading: Reading;
}

/** What ran stopped before it was done, because a person wanted it to. */
interface Stoppable {
  readonly wasStopped: boolean;
}

/** What a step is doing. Each phase holds what only it has. */
type Phase =
  /** Nobody has looked yet. */
  | { readonly phase: 'unknown' }
  /** The first look runs. */
  | ({ readonly phase: 'looking' } & Stoppable)
  /** The plan is shown, Enter applies. */
  | ({ readonly phase: 'ready'; readonly probe: Probe<unknown> } & Stoppable)
  /** Applied or waiting: looked at again and again. */
  | ({ readonly phase: 'watching'; readonly probe: Probe<unknown> } & Stoppable)
  /** Waits for yes or no. What failed before is still so when it is no. */
  | ({ readonly phase: 'asking'; readonly question: Question; readonly failure: Failure | null } & Stoppable)
  /** Apply runs. `isStopping`: a person wants it to stop, and it has not yet. */
  | { readonly phase: 'applying'; readonly appliedAt: number; readonly tried: Question; readonly isStopping: boolean }
  | { readonly phase: 'done'; readonly probe: Probe<unknown>; readonly appliedAt: null }
  | { readonly phase: 'failed'; readonly failure: Failure };

/** How one step stands in this sitting. None of it is saved: whoever comes back looks at the world again. */
export type StepRun = Standing & Phase;
export type RunPhase = StepRun['phase'];

export const UNTOUCHED: StepRun = {
  phase: 'unknown',
  probe: null,
  plan: null,
  lines: [],
  appliedAt: null,
  row: 0,
  top: 0,
  reading: FROM_THE_END,
};

/** What is wrong with a step, as a person is told it; null where nothing failed. */
export function troubleOf(run: StepRun): Trouble | null {
  return failureOf(run)?.trouble ?? null;
}

/** `asked`: a person wants what runs to stop, and it has not yet. `stopped`: it has, before it was done. */
export function stopOf(run: StepRun): 'asked' | 'stopped' | null {
  if (run.phase === 'applying') return run.isStopping ? 'asked' : null;
  return wasStopped(run) ? 'stopped' : null;
}

/** The question that waits for its answer. */
export function openQuestion(run: StepRun): Question | null {
  return run.phase === 'asking' ? run.question : null;
}

/** Where a word has to be typed, it is there: a key pressed by mistake is no answer. */
export function isTyped({ typed }: Question): boolean {
  return typed === null || typed.words.includes(typed.field.text.trim().toLowerCase());
}

/** The world is asked anew; what was said of it before does not count any more. */
export function lookingAt(run: StepRun, wasStopped = false): StepRun {
  return { ...standing(run), phase: 'looking', wasStopped };
}

/** Asks before something is done. */
export function asking(run: StepRun, question: Question): StepRun {
  return {
    ...standing(run),
    phase: 'asking',
    question,
    failure: failureOf(run),
    wasStopped: wasStopped(run),
    top: 0,
  };
}

/** @param now ms of the clock */
export function applying(run: StepRun, tried: Question, now: number): StepRun {
  return { ...standing(run), phase: 'applying', tried, isStopping: false, lines: [], appliedAt: now };
}

/** No: what was looked at while the question was open counts now, and what had failed before is still said. */
export function declined(run: Extract<StepRun, { phase: 'asking' }>): StepRun {
  const { failure, probe, wasStopped } = run;
  if (failure && probe?.state !== 'done') return { ...standing(run), phase: 'failed', failure };
  return probe ? settled(standing(run), probe, wasStopped) : { ...standing(run), phase: 'unknown' };
}

/** A look; `plan` is null where it made none. */
export function looked(run: StepRun, probe: Probe<unknown>, plan: Plan | null): StepRun {
  switch (run.phase) {
    // A look that comes back while a question is open or apply runs must not take the screen away under the person's hands.
    case 'applying':
      return { ...run, probe };
    case 'asking':
      return { ...run, probe, failure: run.failure?.during === 'run' ? run.failure : null };
    case 'failed':
      if (run.failure.during === 'run' && probe.state !== 'done') return { ...run, probe, plan: plan ?? run.plan };
      return settled({ ...standing(run), plan: plan ?? run.plan }, probe, false);
    case 'unknown':
    case 'looking':
    case 'ready':
    case 'watching':
    case 'done':
      return settled({ ...standing(run), plan: plan ?? run.plan }, probe, wasStopped(run));
  }
}

/** What was asked for and failed is said until it is tried again; a look that failed takes nothing away that is under way. */
export function failed(run: StepRun, during: Failure['during'], trouble: Trouble): StepRun {
  if (during === 'run') {
    const tried = run.phase === 'applying' ? run.tried : WHOLE;
    return { ...standing(run), phase: 'failed', failure: { during, trouble, tried } };
  }
  const isBusy = run.phase === 'asking' || run.phase === 'applying' || failureOf(run)?.during === 'run';
  return isBusy ? run : { ...standing(run), phase: 'failed', failure: { during, trouble } };
}

const WHOLE: Question = { action: 'apply', subject: null, typed: null };

/** What a step comes to by what was seen. What is over has lasted: when it waits once more, it does not count from then. */
function settled(before: Standing, probe: Probe<unknown>, wasStopped: boolean): StepRun {
  switch (probe.state) {
    case 'done':
      return { ...before, probe, phase: 'done', appliedAt: null };
    case 'waiting':
      return { ...before, probe, phase: 'watching', wasStopped };
    case 'needed':
    case 'blocked':
      return { ...before, probe, phase: 'ready', wasStopped };
  }
}

function failureOf(run: StepRun): Failure | null {
  return run.phase === 'failed' || run.phase === 'asking' ? run.failure : null;
}

function wasStopped(run: StepRun): boolean {
  return 'wasStopped' in run && run.wasStopped;
}

/** What a step takes into its next phase. */
function standing({ probe, plan, lines, appliedAt, row, top, reading }: StepRun): Standing {
  return { probe, plan, lines, appliedAt, row, top, reading };
}
