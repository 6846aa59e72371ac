import { isDeepStrictEqual } from 'node:util';
import type { Probe, StepId } from '../steps/contract.ts';
import { type Effect, type Event, type InputOf, type Intent, isOf } from './intents.ts';
import { passOn } from './navigate.ts';
import { updateReading } from './reading.ts';
import { isStep, type Question, type RunPhase, type StepRun, type WizardState } from './state.ts';
import { editText, textFieldOf } from './text-field.ts';
import { type Update, unchanged } from './update-result.ts';

type StepInput = InputOf<'step' | 'row' | 'log'>;

/** How many lines of a step's own report are kept. */
const KEPT_LINES = 200;

/**
 * What an input makes of a step: of the one on the screen where a person did something, of the one that it names where it was
 * seen.
 */
export function updateStep(state: WizardState, input: StepInput): Update {
  switch (input.type) {
    case 'step/looked':
      return passOn(lookedAt(state, input), input.step);
    case 'step/reported':
      return unchanged(
        withRun(state, input.step, (run) => ({ ...run, lines: [...run.lines, input.line].slice(-KEPT_LINES) })),
      );
    case 'step/applied':
      return {
        // Looks ran meanwhile, so the last one may say it is done already: that counts only when it was seen after the act.
        state: withRun(state, input.step, (run) => ({ ...run, phase: 'looking', stop: null })),
        effects: [{ type: 'save' }, { type: 'look', step: input.step }],
      };
    case 'step/cancelled':
      return {
        // How far it came is not known here: the world is asked.
        state: withRun(state, input.step, (run) => ({ ...run, phase: 'looking', stop: 'stopped' })),
        effects: [{ type: 'save' }, { type: 'look', step: input.step }],
      };
    case 'step/shown':
      // It was closed before it was there, or something else was asked for since.
      return unchanged(
        state.page?.subject === input.subject ? { ...state, page: { ...state.page, shown: input.page } } : state,
      );
    case 'step/failed':
      return passOn(
        withRun(state, input.step, (run) => failed(run, input)),
        input.step,
      );
    default:
      return isStep(state.screen) ? updateCurrent({ ...state, notice: null }, state.screen, input) : unchanged(state);
  }
}

function updateCurrent(state: WizardState, step: StepId, intent: Extract<StepInput, Intent>): Update {
  const run = state.runs[step];
  if (isOf(intent, 'log'))
    return unchanged(withRun(state, step, (old) => ({ ...old, reading: updateReading(old.reading, intent) })));
  switch (intent.type) {
    case 'row/move': {
      const row = Math.max(0, Math.min(run.row + intent.by, intent.count - 1));
      return unchanged(withRun(state, step, (old) => ({ ...old, row, top: 0 })));
    }
    case 'row/scroll': {
      const top = Math.max(0, Math.min(run.top + intent.by, intent.count - 1));
      return unchanged(withRun(state, step, (old) => ({ ...old, top })));
    }
    case 'step/look':
      return { state: withRun(state, step, asLookedAtAnew), effects: [{ type: 'look', step }] };
    case 'step/show':
      return {
        state: { ...state, overlay: 'page', page: { subject: intent.subject, shown: null }, helpTop: 0 },
        effects: [{ type: 'show', step, subject: intent.subject }],
      };
    case 'step/cancel': {
      if (run.phase !== 'applying' || run.stop === 'asked') return unchanged(state);
      return { state: withRun(state, step, (old) => ({ ...old, stop: 'asked' })), effects: [{ type: 'cancel', step }] };
    }
    case 'step/ask':
      return ask(state, step, questionOf(intent));
    case 'step/type': {
      const typed = run.question?.typed ?? null;
      if (run.phase !== 'asking' || !run.question || typed === null) return unchanged(state);
      const question = { ...run.question, typed: { ...typed, field: editText(typed.field, intent.event) } };
      return unchanged(withRun(state, step, (old) => ({ ...old, question })));
    }
    case 'step/answer': {
      if (run.phase !== 'asking' || !run.question) return unchanged(state);
      if (!intent.isYes) return unchanged(withRun(state, step, declined));
      if (!isTyped(run.question)) return unchanged(state);
      return begin(state, step, run.question);
    }
  }
}

function questionOf({ action, subject, words }: Extract<Intent, { type: 'step/ask' }>): Question {
  return { action, subject: subject ?? null, typed: words ? { field: textFieldOf(''), words } : null };
}

/** Where a word has to be typed, it is there: a key pressed by mistake is no answer. */
export function isTyped({ typed }: Question): boolean {
  return typed === null || typed.words.includes(typed.field.text.trim().toLowerCase());
}

/** What can hurt is asked about first; everything else just happens. */
function ask(state: WizardState, step: StepId, question: Question): Update {
  const run = state.runs[step];
  if (run.phase === 'applying' || run.phase === 'looking') return unchanged(state);
  const isDangerous = question.action !== 'apply' || (run.plan?.isDangerous ?? true);
  if (!isDangerous) return begin(state, step, question);
  return unchanged(withRun(state, step, (old) => ({ ...old, phase: 'asking', question, top: 0 })));
}

function begin(state: WizardState, step: StepId, question: Question): Update {
  const { action, subject } = question;
  const effects: Effect[] = [{ type: 'run', step, action, subject }];
  const next = withRun(state, step, (run) => ({
    ...run,
    phase: 'applying',
    question: null,
    tried: question,
    trouble: null,
    isRunTrouble: false,
    stop: null,
    lines: [],
    appliedAt: state.now,
  }));
  return { state: next, effects };
}

/** No: what was looked at while the question was open counts now, and what had failed before is still said. */
function declined(run: StepRun): StepRun {
  const phase = run.probe ? phaseAfter(run.probe) : 'ready';
  if (run.trouble && phase !== 'done') return { ...run, phase: 'failed', question: null };
  return { ...run, phase, question: null, trouble: null, isRunTrouble: false };
}

/**
 * A look; what was said about a key that did nothing is no longer true when it changes how far the step is. One that finds what
 * was there before leaves the state as it is: most looks do, and none of them has to be drawn.
 */
function lookedAt(state: WizardState, event: Extract<Event, { type: 'step/looked' }>): WizardState {
  const before = state.runs[event.step];
  const run = looked(before, event);
  if (isDeepStrictEqual(run, before)) return state;
  const next = withRun(state, event.step, () => run);
  const isNews = state.screen === event.step && next.runs[event.step].phase !== state.runs[event.step].phase;
  return isNews && state.notice ? { ...next, notice: null } : next;
}

function looked(run: StepRun, event: Extract<Event, { type: 'step/looked' }>): StepRun {
  // A look that comes back while a question is open or apply runs must not take the screen away under the person's hands.
  if (run.phase === 'asking' || run.phase === 'applying')
    return { ...run, probe: event.probe, trouble: run.isRunTrouble ? run.trouble : null };
  const seen = { ...run, probe: event.probe, plan: event.plan ?? run.plan };
  const phase = phaseAfter(event.probe);
  if (run.phase === 'failed' && run.isRunTrouble && phase !== 'done') return seen;
  const isDone = phase === 'done';
  // What is over has lasted: when there is something to wait for once more, it does not count from then.
  const [stop, appliedAt] = isDone ? [null, null] : [run.stop, run.appliedAt];
  return { ...seen, phase, stop, appliedAt, trouble: null, isRunTrouble: false };
}

/** A person who looks again has read what failed; what it comes to now is what counts. */
function asLookedAtAnew(run: StepRun): StepRun {
  if (run.phase !== 'failed') return run;
  return { ...run, phase: 'looking', trouble: null, isRunTrouble: false, tried: null };
}

function phaseAfter({ state }: Probe<unknown>): RunPhase {
  return state === 'done' ? 'done' : state === 'waiting' ? 'watching' : 'ready';
}

/** What was asked for and failed is said until it is tried again; a look that failed takes nothing away that is under way. */
function failed(run: StepRun, { during, trouble }: Extract<Event, { type: 'step/failed' }>): StepRun {
  const isBusy = run.phase === 'asking' || run.phase === 'applying' || (run.phase === 'failed' && run.isRunTrouble);
  if (during === 'look' && isBusy) return run;
  return { ...run, phase: 'failed', trouble, isRunTrouble: during === 'run', stop: null };
}

function withRun(state: WizardState, step: StepId, change: (run: StepRun) => StepRun): WizardState {
  return { ...state, runs: { ...state.runs, [step]: change(state.runs[step]) } };
}
