import { isDeepStrictEqual } from 'node:util';
import type { StepId } from '../steps/contract.ts';
import { type Effect, type Event, type InputOf, type Intent, isOf } from './intents.ts';
import { passOn } from './navigate.ts';
import { updateReading } from './reading.ts';
import { isStep, type WizardState } from './state.ts';
import {
  applying,
  asking,
  declined,
  failed,
  isTyped,
  looked,
  lookingAt,
  type Question,
  type StepRun,
} from './step-run.ts';
import { editText, textFieldOf } from './text-field.ts';
import { type Update, unchanged } from './update-result.ts';

type StepInput = InputOf<'step' | 'row' | 'log'>;

/** How many lines of a step's own report we keep. */
const KEPT_LINES = 200;

/**
 * What an input makes of a step: of the one on the screen for an intent, of the one that it names for an event.
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
        // Looks ran meanwhile, so the last one may report it done already: that counts only after the act.
        state: withRun(state, input.step, (run) => lookingAt(run)),
        effects: [{ type: 'save' }, { type: 'look', step: input.step }],
      };
    case 'step/cancelled':
      return {
        // We do not know how far it came: look at the world.
        state: withRun(state, input.step, (run) => lookingAt(run, true)),
        effects: [{ type: 'save' }, { type: 'look', step: input.step }],
      };
    case 'step/shown':
      // The person closed it before it was there, or has asked for something else since.
      return unchanged(
        state.overlay?.kind === 'page' && state.overlay.subject === input.subject
          ? { ...state, overlay: { ...state.overlay, shown: input.page } }
          : state,
      );
    case 'step/failed':
      return passOn(
        withRun(state, input.step, (run) => failed(run, input.during, input.trouble)),
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
      // A person who looks again has read what failed; only the new result counts now.
      return {
        state: withRun(state, step, (old) => (old.phase === 'failed' ? lookingAt(old) : old)),
        effects: [{ type: 'look', step }],
      };
    case 'step/show':
      return {
        state: { ...state, overlay: { kind: 'page', subject: intent.subject, shown: null, top: 0 } },
        effects: [{ type: 'show', step, subject: intent.subject }],
      };
    case 'step/cancel': {
      if (run.phase !== 'applying' || run.isStopping) return unchanged(state);
      return { state: withRun(state, step, () => ({ ...run, isStopping: true })), effects: [{ type: 'cancel', step }] };
    }
    case 'step/ask':
      return ask(state, step, questionOf(intent));
    case 'step/type': {
      if (run.phase !== 'asking' || run.question.typed === null) return unchanged(state);
      const { typed } = run.question;
      const question = { ...run.question, typed: { ...typed, field: editText(typed.field, intent.event) } };
      return unchanged(withRun(state, step, () => ({ ...run, question })));
    }
    case 'step/answer': {
      if (run.phase !== 'asking') return unchanged(state);
      if (!intent.isYes) return unchanged(withRun(state, step, () => declined(run)));
      if (!isTyped(run.question)) return unchanged(state);
      return begin(state, step, run.question);
    }
  }
}

function questionOf({ action, subject, words }: Extract<Intent, { type: 'step/ask' }>): Question {
  return { action, subject: subject ?? null, typed: words ? { field: textFieldOf(''), words } : null };
}

/** Asks before anything dangerous; everything else just happens. */
function ask(state: WizardState, step: StepId, question: Question): Update {
  const run = state.runs[step];
  if (run.phase === 'applying' || run.phase === 'looking' || run.phase === 'unknown') return unchanged(state);
  const isDangerous = question.action !== 'apply' || (run.plan?.isDangerous ?? true);
  if (!isDangerous) return begin(state, step, question);
  return unchanged(withRun(state, step, (old) => asking(old, question)));
}

function begin(state: WizardState, step: StepId, question: Question): Update {
  const { action, subject } = question;
  const effects: Effect[] = [{ type: 'run', step, action, subject }];
  return { state: withRun(state, step, (run) => applying(run, question, state.now)), effects };
}

/**
 * A look; a message about a key that did nothing goes when the look changes how far the step is. A look that finds
 * what was there before leaves the state as it is: most do, and none of those has to be drawn.
 */
function lookedAt(state: WizardState, event: Extract<Event, { type: 'step/looked' }>): WizardState {
  const before = state.runs[event.step];
  const run = looked(before, event.probe, event.plan);
  if (isDeepStrictEqual(run, before)) return state;
  const next = withRun(state, event.step, () => run);
  const isNews = state.screen === event.step && next.runs[event.step].phase !== state.runs[event.step].phase;
  return isNews && state.notice ? { ...next, notice: null } : next;
}

function withRun(state: WizardState, step: StepId, change: (run: StepRun) => StepRun): WizardState {
  return { ...state, runs: { ...state.runs, [step]: change(state.runs[step]) } };
}
