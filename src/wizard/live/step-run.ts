import { isReason } from '../../diagnosis/prepare/gate.ts';
import { type Brief, isBriefed, type PartNews, type Plan, type Probe, type StepAction } from '../../steps/contract.ts';
import type { Trouble } from '../../text/trouble.ts';
import { type TextFieldState, textFieldOf } from '../typing/text-field.ts';
import { FROM_THE_END, type Reading } from './reading.ts';

/** A question before an act. `subject`: the one part that it is about, null for the whole step. */
export interface Question {
  readonly action: StepAction;
  readonly subject: string | null;
  /** Yes means typing one of these words, or a reason where there are none; null where a key is enough. */
  readonly typed: { readonly field: TextFieldState; readonly words: readonly string[] } | null;
  /** What a person reads before an undo or a setup; `reading` until it is known. */
  readonly brief?: Brief | 'reading';
}

/** What a question is about, without what was typed so far. */
export interface Asked extends Pick<Question, 'action' | 'subject'> {
  readonly words: readonly string[] | null;
}

/** A question as it is asked at first. */
export function questionOf({ action, subject, words }: Asked): Question {
  const typed = words && { field: textFieldOf(''), words };
  return { action, subject, typed, ...(isBriefed(action) ? { brief: 'reading' } : {}) };
}

/**
 * What failed. A look is repeated anyway, and the next one removes the trouble; a failed act stays on the screen until
 * a person tries it again, unchanged.
 */
export type Failure =
  | { readonly during: 'look'; readonly trouble: Trouble }
  | { readonly during: 'run'; readonly trouble: Trouble; readonly tried: Question };

/** What every phase of a step knows. */
interface Standing {
  readonly probe: Probe<unknown> | null;
  readonly plan: Plan | null;
  /** What apply reported, the newest last. */
  readonly lines: readonly string[];
  /** The last news of the parts that this act has begun or done, by their subjects. */
  readonly parts: Readonly<Partial<Record<string, PartNews>>>;
  /** When apply began, ms of the clock; null when it did not, or when a look saw the step done since. */
  readonly appliedAt: number | null;
  /** The selected row of the step's list. */
  readonly row: number;
  /** The first visible line of the selected row's text. */
  readonly top: number;
  /** The reading place in its log. */
  readonly reading: Reading;
}

/** It stopped before it was done, at a person's request. */
interface Stoppable {
  readonly wasStopped: boolean;
}

/** What a step is doing. Each phase holds its own fields only. */
type Phase =
  /** Nobody has looked yet. */
  | { readonly phase: 'unknown' }
  /** The first look runs. */
  | ({ readonly phase: 'looking' } & Stoppable)
  /** The plan is shown, Enter applies. */
  | ({ readonly phase: 'ready'; readonly probe: Probe<unknown> } & Stoppable)
  /** Applied or waiting: we look again and again. */
  | ({ readonly phase: 'watching'; readonly probe: Probe<unknown> } & Stoppable)
  /** Waits for yes or no. After a no, an earlier failure still stands. */
  | ({ readonly phase: 'asking'; readonly question: Question; readonly failure: Failure | null } & Stoppable)
  /** Apply runs. `isStopping`: a person has asked it to stop, and it has not yet. */
  | { readonly phase: 'applying'; readonly appliedAt: number; readonly tried: Question; readonly isStopping: boolean }
  | { readonly phase: 'done'; readonly probe: Probe<unknown>; readonly appliedAt: null }
  | { readonly phase: 'failed'; readonly failure: Failure };

/** The state of one step in this sitting. None of it is saved: a resumed session looks at the world again. */
export type StepRun = Standing & Phase;

export const UNTOUCHED: StepRun = {
  phase: 'unknown',
  probe: null,
  plan: null,
  lines: [],
  parts: {},
  appliedAt: null,
  row: 0,
  top: 0,
  reading: FROM_THE_END,
};

/** A step that failed checks keep closed, or that waits for what may never answer, has a way past it. */
export function isPassable(run: StepRun): boolean {
  return (run.phase === 'ready' || run.phase === 'watching') && (run.probe.overridable ?? []).length > 0;
}

/** What is wrong with a step, as a person reads it; null where nothing failed. */
export function troubleOf(run: StepRun): Trouble | null {
  return failureOf(run)?.trouble ?? null;
}

/** `asked`: a person has asked it to stop, and it has not yet. `stopped`: it has, before it was done. */
export function stopOf(run: StepRun): 'asked' | 'stopped' | null {
  if (run.phase === 'applying') return run.isStopping ? 'asked' : null;
  return wasStopped(run) ? 'stopped' : null;
}

/** The question that waits for an answer. */
export function openQuestion(run: StepRun): Question | null {
  return run.phase === 'asking' ? run.question : null;
}

/** Whether a required word, or a reason, was typed: a key pressed by mistake is no answer. */
export function isTyped({ typed }: Question): boolean {
  if (typed === null) return true;
  const text = typed.field.text.trim();
  return typed.words.length === 0
    ? isReason(text)
    : typed.words.some((word) => word.toLowerCase() === text.toLowerCase());
}

/** The question as it was answered: what a person typed as the reason is what the act is about. */
export function answeredQuestion(question: Question): Question {
  const { typed } = question;
  return typed?.words.length === 0 ? { ...question, subject: typed.field.text.trim() } : question;
}

/** We look at the world again; what earlier looks said does not count any more. */
export function lookingAt(run: StepRun, wasStopped = false): StepRun {
  return { ...standing(run), phase: 'looking', wasStopped };
}

/** Asks before an act. */
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
  return { ...standing(run), phase: 'applying', tried, isStopping: false, lines: [], parts: {}, appliedAt: now };
}

/** No: looks made while the question was open count now, and an earlier failure still stands. */
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

/** What failed beside a step that a look finds done (one part was not taken back): it is still to be read; null for anything else. */
export function failedBeside(before: StepRun, { phase }: StepRun): Trouble | null {
  if (before.phase !== 'failed' || before.failure.during === 'look' || phase !== 'done') return null;
  return before.failure.tried.action === 'apply' ? null : before.failure.trouble;
}

/** A failed act stays on the screen until a retry; a failed look removes nothing that is under way. */
export function failed(run: StepRun, during: Failure['during'], trouble: Trouble): StepRun {
  if (during === 'run') {
    const tried = run.phase === 'applying' ? run.tried : WHOLE;
    return { ...standing(run), phase: 'failed', failure: { during, trouble, tried } };
  }
  const isBusy = run.phase === 'asking' || run.phase === 'applying' || failureOf(run)?.during === 'run';
  return isBusy ? run : { ...standing(run), phase: 'failed', failure: { during, trouble } };
}

const WHOLE: Question = { action: 'apply', subject: null, typed: null };

/** The phase that follows from a look. A finished wait is over: when it waits once more, it counts anew. */
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

/** What a step carries into its next phase. */
function standing({ probe, plan, lines, parts, appliedAt, row, top, reading }: StepRun): Standing {
  return { probe, plan, lines, parts, appliedAt, row, top, reading };
}
