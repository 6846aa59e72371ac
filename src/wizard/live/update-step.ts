import { isDeepStrictEqual } from 'node:util';
import { isBriefed, type StepId } from '../../steps/contract.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Trouble } from '../../text/trouble.ts';
import { type Effect, type Event, type InputOf, type Intent, isOf } from '../intents.ts';
import { passOn } from '../navigate.ts';
import { isStep, type WizardState } from '../state.ts';
import { editText } from '../typing/text-field.ts';
import { type Update, unchanged } from '../update-result.ts';
import { withLook } from './look-again.ts';
import { updateReading } from './reading.ts';
import {
  answeredQuestion,
  applying,
  asking,
  declined,
  failed,
  failedBeside,
  isTyped,
  looked,
  lookingAt,
  openQuestion,
  type Question,
  questionOf,
  type StepRun,
} from './step-run.ts';

type StepInput = InputOf<'step' | 'row' | 'log'>;

/** What a person does on the screen of a step; the question of an earlier sitting is of the step that it names. */
type OfCurrentStep = Exclude<Extract<StepInput, Intent>, { type: 'step/recall' | 'step/follow-again' }>;

/** How many lines of a step's own report we keep. */
const KEPT_LINES = 200;

/**
 * What an input makes of a step: of the one on the screen for an intent, of the one that it names for an event.
 */
export function updateStep(state: WizardState, input: StepInput): Update {
  switch (input.type) {
    case 'step/looked':
      return followedAgain(
        briefing(
          state,
          passOn(withLook(lookedAt(state, input), input.step, input.probe.state === 'done'), input.step),
          input.step,
        ),
        input.step,
      );
    case 'step/briefed': {
      const run = state.runs[input.step];
      if (run.phase !== 'asking' || !isAbout(run.question, input) || !run.question.brief) return unchanged(state);
      const question = { ...run.question, brief: input.brief };
      return unchanged(withRun(state, input.step, () => ({ ...run, question })));
    }
    case 'step/reported':
      return unchanged(
        withRun(state, input.step, (run) => ({
          ...run,
          lines: [...run.lines, input.line].slice(-KEPT_LINES),
          parts: input.part ? { ...run.parts, [input.part.subject]: input.part } : run.parts,
        })),
      );
    case 'step/applied':
      return {
        // Looks ran meanwhile, so the last one may report it done already: that counts only after the act.
        state: withRun(withoutNews(state, input.step), input.step, (run) => lookingAt(run)),
        effects: [{ type: 'save' }, { type: 'look', step: input.step }],
      };
    case 'step/cancelled':
      return {
        // We do not know how far it came: look at the world.
        state: withRun(withoutNews(state, input.step), input.step, (run) => lookingAt(run, true)),
        effects: [{ type: 'save' }, { type: 'look', step: input.step }],
      };
    case 'step/shown':
      // The person closed it before it was there, or has asked for something else since.
      return unchanged(
        state.overlay?.kind === 'page' && state.overlay.subject === input.subject
          ? { ...state, overlay: { ...state.overlay, shown: input.page } }
          : state,
      );
    case 'step/recall':
      return unchanged({ ...state, unanswered: { step: input.step, asked: input.asked } });
    case 'step/follow-again':
      return unchanged({ ...state, isToFollow: true });
    case 'step/failed':
      return passOn(
        withRun(withoutNews(state, input.step), input.step, (run) => failed(run, input.during, input.trouble)),
        input.step,
      );
    default:
      return isStep(state.screen) ? updateCurrent({ ...state, notice: null }, state.screen, input) : unchanged(state);
  }
}

function updateCurrent(state: WizardState, step: StepId, intent: OfCurrentStep): Update {
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
      return ask(state, step, askedBy(intent));
    case 'step/type': {
      if (run.phase !== 'asking' || run.question.typed === null) return unchanged(state);
      const { typed } = run.question;
      const question = { ...run.question, typed: { ...typed, field: editText(typed.field, intent.event) } };
      return unchanged(withRun(state, step, () => ({ ...run, question })));
    }
    case 'step/answer': {
      if (run.phase !== 'asking') return unchanged(state);
      if (!intent.isYes) return { state: withRun(state, step, () => declined(run)), effects: [{ type: 'save' }] };
      if (!isTyped(run.question)) return unchanged(state);
      const next = typedNext(run);
      if (next !== null)
        return { state: withRun(state, step, () => ({ ...run, question: next })), effects: [{ type: 'save' }] };
      return begin(state, step, answeredQuestion(run.question), [{ type: 'save' }]);
    }
  }
}

/** Who has agreed to all changes types a word where something of it may be lost; null: nothing is typed, or it is. */
function typedNext({ plan, question }: Extract<StepRun, { phase: 'asking' }>): Question | null {
  if (question.action !== 'apply' || question.typed !== null || !plan?.typed) return null;
  return questionOf({ action: question.action, subject: question.subject, words: [plan.typed.word] });
}

function askedBy({ action, subject, words }: Extract<Intent, { type: 'step/ask' }>): Question {
  return questionOf({ action, subject: subject ?? null, words: words ?? null });
}

/** Asks before anything dangerous; everything else just happens. */
function ask(state: WizardState, step: StepId, question: Question): Update {
  const run = state.runs[step];
  if (run.phase === 'applying' || run.phase === 'looking' || run.phase === 'unknown') return unchanged(state);
  const isDangerous = question.action !== 'apply' || (run.plan?.isDangerous ?? true);
  if (!isDangerous) return begin(state, step, question);
  // It is saved: it waits for its answer through any cut.
  const asked: Update = { state: withRun(state, step, (old) => asking(old, question)), effects: [{ type: 'save' }] };
  return briefing(state, asked, step);
}

/** The same act on the same part. */
function isAbout(question: Pick<Question, 'action' | 'subject'>, other: Pick<Question, 'action' | 'subject'>): boolean {
  return question.action === other.action && question.subject === other.subject;
}

/** Reads what a person has to know for a question that was not open before. */
function briefing(before: WizardState, after: Update, step: StepId): Update {
  const [old, now] = [openQuestion(before.runs[step]), openQuestion(after.state.runs[step])];
  const isNew = now?.brief === 'reading' && (old === null || !isAbout(old, now));
  if (!isNew || !isBriefed(now.action)) return after;
  return { ...after, effects: [...after.effects, { type: 'brief', step, action: now.action, subject: now.subject }] };
}

/** @param before what must be done before the act, such as to save that its question is answered */
function begin(state: WizardState, step: StepId, question: Question, before: readonly Effect[] = []): Update {
  const { action, subject } = question;
  const effects: Effect[] = [...before, { type: 'run', step, action, subject }];
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
  const next = recalled(
    withRun(state, event.step, () => run),
    event.step,
  );
  const { phase } = state.runs[event.step];
  // The first look is no answer to anything: what was said at the start stays.
  const isNews = state.screen === event.step && phase !== 'looking' && next.runs[event.step].phase !== phase;
  const beside = failedBeside(before, run);
  if (beside) return { ...next, notice: { kind: 'error', text: told(beside) } };
  return isNews && state.notice ? { ...next, notice: null } : next;
}

const told = ({ title, cause, whatToDo }: Trouble) => catalogue().screens.step.failedBeside(title, cause, whatToDo);

/**
 * Asks again what an earlier sitting left unanswered, about what is true now. What is done by now needs no answer. An
 * act never begins by itself here, not even one that would not be asked about today.
 */
function recalled(state: WizardState, step: StepId): WizardState {
  if (state.unanswered?.step !== step) return state;
  const { asked } = state.unanswered;
  const { phase } = state.runs[step];
  if (phase === 'unknown' || phase === 'looking' || phase === 'applying') return state;
  const answered: WizardState = { ...state, unanswered: null };
  if (phase === 'done' && asked.action === 'apply') return answered;
  return withRun(answered, step, (run) => asking(run, questionOf(asked)));
}

/** Who said yes to following said it for the installation: an end that nobody asked for does not take it back. */
function followedAgain(made: Update, step: StepId): Update {
  const { state, effects } = made;
  if (!state.isToFollow || step !== 'certificates') return made;
  const { phase } = state.runs[step];
  if (phase === 'unknown' || phase === 'looking' || phase === 'failed') return made;
  const settled: WizardState = { ...state, isToFollow: false };
  if (phase !== 'ready' && phase !== 'watching') return { state: settled, effects };
  const notice = { kind: 'info', text: catalogue().steps.certificates.followedAgain } as const;
  const begun = begin({ ...settled, notice }, step, questionOf({ action: 'apply', subject: null, words: null }));
  return { state: begun.state, effects: [...effects, ...begun.effects] };
}

/** What was said on a step while it acted ends with the act: `Esc stops it` beside `Done` would be wrong. */
function withoutNews(state: WizardState, step: StepId): WizardState {
  const isActing = state.runs[step].phase === 'applying';
  return isActing && state.screen === step && state.notice?.kind === 'info' ? { ...state, notice: null } : state;
}

/** Certificates are followed, or will be as soon as their step has been looked at: what the next sitting goes on with. */
export function isFollowing({ runs: { certificates: run }, isToFollow }: WizardState): boolean {
  return isToFollow || (run.phase === 'applying' && run.tried.action === 'apply' && !run.isStopping);
}

function withRun(state: WizardState, step: StepId, change: (run: StepRun) => StepRun): WizardState {
  return { ...state, runs: { ...state.runs, [step]: change(state.runs[step]) } };
}
