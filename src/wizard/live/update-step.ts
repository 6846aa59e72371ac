import { isDeepStrictEqual } from 'node:util';
import { catalogue } from '../../i18n/catalogue.ts';
import type { UserError } from '../../i18n/user-error.ts';
import { type ItemProgress, needsPreview, type StepId } from '../../steps/contract.ts';
import { type Effect, type Event, type InputOf, type Intent, isInputInGroup } from '../intents.ts';
import { clampIndex } from '../list-filter.ts';
import { continueAfterProbe } from '../navigation.ts';
import { isStep, type WizardState } from '../state.ts';
import { editText } from '../text-input.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { requestLikelyCause } from './likely-cause.ts';
import { updateLogPosition } from './log-position.ts';
import { recordCompletion } from './outdated-steps.ts';
import {
  type ConfirmationPrompt,
  createPrompt,
  declinePrompt,
  findPartialFailure,
  getOpenPrompt,
  hasRequiredInput,
  openPrompt,
  recordFailure,
  recordProbeResult,
  resolvePrompt,
  type StepRun,
  startAction,
  startProbe,
  startRecheck,
} from './step-run.ts';

type StepInput = InputOf<'step' | 'row' | 'log'>;

/** Intents on the screen of a step. Intents that restore an earlier session name their step themselves. */
type CurrentStepIntent = Exclude<Extract<StepInput, Intent>, { type: 'step/restore-prompt' | 'step/follow-again' }>;

/** Maximum number of progress lines of a step. */
const MAX_LINES = 200;

/** Handles an input to a step: an intent to the step on the screen, an event to the step that it names. */
export function updateStep(state: WizardState, input: StepInput): Update {
  switch (input.type) {
    case 'step/probed': {
      const { step, probe } = input;
      const recordedState = recordCompletion(recordStepProbe(state, input), step, probe.state === 'done');
      const confirmationUpdate = requestConfirmation(state, continueAfterProbe(recordedState, step), step);
      return requestLikelyCause(followJob(resumeApproval(confirmationUpdate, step), step), step);
    }
    case 'step/previewed': {
      const run = state.runs[input.step];
      if (run.phase !== 'asking' || !isSameAction(run.prompt, input) || !run.prompt.confirmation)
        return withoutEffects(state);
      const { nothingToDo } = input.confirmation;
      if (nothingToDo !== undefined) {
        const declinedState = changeRun(state, input.step, () => declinePrompt(run));
        return {
          state: { ...declinedState, notice: { kind: 'info', text: nothingToDo } },
          effects: [{ type: 'save' }],
        };
      }
      const prompt = { ...run.prompt, confirmation: input.confirmation };
      return withoutEffects(changeRun(state, input.step, () => ({ ...run, prompt })));
    }
    case 'step/reported':
      return withoutEffects(
        changeRun(state, input.step, (run) => ({
          ...run,
          lines: input.line === null ? run.lines : [...run.lines, input.line].slice(-MAX_LINES),
          itemProgress: input.part ? recordProgress(run, input.part, state.now) : run.itemProgress,
        })),
      );
    case 'step/applied':
      return {
        // Probes ran meanwhile, and the last one may have found the step done. Only a probe after the action counts.
        state: changeRun(clearActionNotice(state, input.step), input.step, (run) => startProbe(run)),
        effects: [{ type: 'save' }, { type: 'probe', step: input.step }],
      };
    case 'step/cancelled':
      return {
        // The progress of the stopped action is unknown: probe again.
        state: changeRun(clearActionNotice(state, input.step), input.step, (run) => startProbe(run, true)),
        effects: [{ type: 'save' }, { type: 'probe', step: input.step }],
      };
    case 'step/shown':
      // The user closed the page before it was ready, or has requested another one since.
      return withoutEffects(
        state.overlay?.kind === 'page' && state.overlay.subject === input.subject
          ? { ...state, overlay: { ...state.overlay, page: input.page } }
          : state,
      );
    case 'step/restore-prompt':
      return withoutEffects({ ...state, unansweredPrompt: { step: input.step, prompt: input.prompt } });
    case 'step/follow-again':
      return withoutEffects({ ...state, shouldResumeApproval: true });
    case 'step/failed': {
      // Not a failure of the run: the next probe shows which moves are done, and which one is blocked.
      if (input.userError.code === 'move-blocked') return updateStep(state, { type: 'step/applied', step: input.step });
      const failedState = changeRun(clearActionNotice(state, input.step), input.step, (run) =>
        recordFailure(run, input.during, input.userError),
      );
      const isFirstProbe = state.runs[input.step].phase === 'probing';
      return continueAfterProbe(
        isFirstProbe ? clearOutdatedNotice(state, failedState, input.step) : failedState,
        input.step,
      );
    }
    default:
      return isStep(state.screen)
        ? updateCurrentStep({ ...state, notice: null }, state.screen, dropSecondPressRequest(input, state))
        : withoutEffects(state);
  }
}

/** Drops the request for a second press if this Esc is the second one in a row. */
function dropSecondPressRequest(intent: CurrentStepIntent, { notice }: WizardState): CurrentStepIntent {
  return intent.type === 'step/cancel' && notice?.context?.kind === 'stop' ? { type: 'step/cancel' } : intent;
}

function updateCurrentStep(state: WizardState, step: StepId, intent: CurrentStepIntent): Update {
  const run = state.runs[step];
  if (isInputInGroup(intent, 'log'))
    return withoutEffects(
      changeRun(state, step, (oldRun) => ({ ...oldRun, logPosition: updateLogPosition(oldRun.logPosition, intent) })),
    );
  switch (intent.type) {
    case 'row/move': {
      const startRow = intent.from ?? Math.max(0, run.row);
      const row = clampIndex(startRow + intent.by, intent.count);
      return withoutEffects(changeRun(state, step, (oldRun) => ({ ...oldRun, row, rowId: intent.id ?? null, top: 0 })));
    }
    case 'row/scroll': {
      const top = clampIndex(run.top + intent.by, intent.count);
      return withoutEffects(changeRun(state, step, (oldRun) => ({ ...oldRun, top })));
    }
    case 'step/probe':
      return { state: changeRun(state, step, startRecheck), effects: [{ type: 'probe', step }] };
    case 'step/show':
      return {
        state: { ...state, overlay: { kind: 'page', subject: intent.subject, page: null, top: 0 } },
        effects: [{ type: 'show', step, subject: intent.subject }],
      };
    case 'step/cancel': {
      if (run.phase !== 'applying' || run.isStopping) return withoutEffects(state);
      if (intent.needsSecondPress) {
        const { stops } = catalogue().screens.step;
        return withoutEffects({
          ...state,
          notice: { kind: 'warning', text: stops.secondPress, context: { kind: 'stop' } },
        });
      }
      return {
        state: changeRun(state, step, () => ({ ...run, isStopping: true })),
        effects: [{ type: 'cancel', step }],
      };
    }
    case 'step/ask':
      return startOrAsk(state, step, toPrompt(intent));
    case 'step/type': {
      if (run.phase !== 'asking' || run.prompt.input === null) return withoutEffects(state);
      const { input } = run.prompt;
      const prompt = { ...run.prompt, input: { ...input, field: editText(input.field, intent.event) } };
      return withoutEffects(changeRun(state, step, () => ({ ...run, prompt })));
    }
    case 'step/fold': {
      if (run.phase !== 'asking') return withoutEffects(state);
      const prompt = { ...run.prompt, fold: intent.fold };
      return withoutEffects(changeRun(state, step, () => ({ ...run, prompt, top: intent.top })));
    }
    case 'step/answer': {
      if (run.phase !== 'asking') return withoutEffects(state);
      if (!intent.isYes) {
        // A no to the plan that the job asks about is an answer; the next probe shows what follows.
        const isAnswer = run.prompt.action === 'apply' && run.probe?.job?.isAsking === true;
        const effects: Effect[] = [{ type: 'save' }, ...(isAnswer ? [{ type: 'decline', step } as const] : [])];
        return { state: changeRun(state, step, () => declinePrompt(run)), effects };
      }
      if (!hasRequiredInput(run.prompt)) return withoutEffects(state);
      const wordPrompt = createWordPrompt(run);
      if (wordPrompt !== null)
        return { state: changeRun(state, step, () => ({ ...run, prompt: wordPrompt })), effects: [{ type: 'save' }] };
      return startStepAction(state, step, resolvePrompt(run.prompt), [{ type: 'save' }]);
    }
  }
}

/**
 * Creates the prompt for the word that guards against data loss, after a yes to all changes. Null if no word is
 * required, or if it was typed.
 */
function createWordPrompt({ plan, prompt }: Extract<StepRun, { phase: 'asking' }>): ConfirmationPrompt | null {
  if (prompt.action !== 'apply' || prompt.input !== null || !plan?.typedConfirmation) return null;
  return createPrompt({ action: prompt.action, subject: prompt.subject, words: [plan.typedConfirmation.word] });
}

function toPrompt({ action, subject, words }: Extract<Intent, { type: 'step/ask' }>): ConfirmationPrompt {
  return createPrompt({ action, subject: subject ?? null, words: words ?? null });
}

/** Opens a prompt before a dangerous action, and starts any other action directly. */
function startOrAsk(state: WizardState, step: StepId, prompt: ConfirmationPrompt): Update {
  const run = state.runs[step];
  if (run.phase === 'applying' || run.phase === 'probing' || run.phase === 'unknown') return withoutEffects(state);
  const isDangerous = prompt.action !== 'apply' || (run.plan?.isDangerous ?? true);
  if (!isDangerous) return startStepAction(state, step, prompt);
  // The prompt is saved, so that it survives a lost connection or a kill.
  const openedUpdate: Update = {
    state: changeRun(state, step, (oldRun) => openPrompt(oldRun, prompt)),
    effects: [{ type: 'save' }],
  };
  return requestConfirmation(state, openedUpdate, step);
}

/** Whether two prompts are about the same action on the same subject. */
function isSameAction(
  prompt: Pick<ConfirmationPrompt, 'action' | 'subject'>,
  otherPrompt: Pick<ConfirmationPrompt, 'action' | 'subject'>,
): boolean {
  return prompt.action === otherPrompt.action && prompt.subject === otherPrompt.subject;
}

/** Requests the confirmation text for a prompt that was not open before. */
function requestConfirmation(previousState: WizardState, update: Update, step: StepId): Update {
  const [oldPrompt, newPrompt] = [getOpenPrompt(previousState.runs[step]), getOpenPrompt(update.state.runs[step])];
  const isNew = newPrompt?.confirmation === 'reading' && (oldPrompt === null || !isSameAction(oldPrompt, newPrompt));
  if (!isNew || !needsPreview(newPrompt.action)) return update;
  return {
    ...update,
    effects: [...update.effects, { type: 'preview', step, action: newPrompt.action, subject: newPrompt.subject }],
  };
}

/** Starts an action. @param earlierEffects those that must precede it, such as saving that its prompt is answered */
function startStepAction(
  state: WizardState,
  step: StepId,
  prompt: ConfirmationPrompt,
  earlierEffects: readonly Effect[] = [],
): Update {
  const { action, subject } = prompt;
  const effects: Effect[] = [...earlierEffects, { type: 'run', step, action, subject }];
  return { state: changeRun(state, step, (run) => startAction(step, run, prompt, state.now)), effects };
}

/** Records a probe. A probe with the same result returns the same state, so that the screen is not redrawn. */
function recordStepProbe(state: WizardState, event: Extract<Event, { type: 'step/probed' }>): WizardState {
  const previousRun = state.runs[event.step];
  const run = recordProbeResult(previousRun, event.probe, event.plan, state.now, event.isSuperseded);
  if (isDeepStrictEqual(run, previousRun)) return state;
  const nextState = restorePrompt(
    changeRun(state, event.step, () => run),
    event.step,
  );
  const partialFailure = findPartialFailure(previousRun, run);
  if (partialFailure) return { ...nextState, notice: { kind: 'error', text: formatPartialFailure(partialFailure) } };
  return clearOutdatedNotice(state, nextState, event.step);
}

/**
 * Removes a notice about an ineffective key when the phase of the step changes. The first probe is not the result of a
 * key: a notice shown at the start stays, but not one that asked the user to wait for that probe.
 */
function clearOutdatedNotice(previousState: WizardState, state: WizardState, step: StepId): WizardState {
  const { phase } = previousState.runs[step];
  const isPhaseChange = previousState.screen === step && state.runs[step].phase !== phase;
  const isOutdated = phase !== 'probing' || previousState.notice?.context?.kind === 'not-now';
  return isPhaseChange && isOutdated && previousState.notice ? { ...state, notice: null } : state;
}

const formatPartialFailure = ({ title, cause, remedy }: UserError) =>
  catalogue().screens.step.errorLine(title, cause, remedy);

/**
 * Restores the unanswered prompt of an earlier session with the current state of the step. A step that is done needs no
 * apply. An action never starts automatically here, not even one that needs no prompt today.
 */
function restorePrompt(state: WizardState, step: StepId): WizardState {
  if (state.unansweredPrompt?.step !== step) return state;
  const { prompt } = state.unansweredPrompt;
  const { phase } = state.runs[step];
  if (phase === 'unknown' || phase === 'probing' || phase === 'applying') return state;
  const restoredState: WizardState = { ...state, unansweredPrompt: null };
  if (phase === 'done' && prompt.action === 'apply') return restoredState;
  return changeRun(restoredState, step, (run) => openPrompt(run, createPrompt(prompt)));
}

/**
 * Resumes the approval of CSRs after an unintended end of the session: the user's consent to the approval applies to
 * the whole installation.
 */
function resumeApproval(result: Update, step: StepId): Update {
  const { state, effects } = result;
  if (!state.shouldResumeApproval || step !== 'certificates') return result;
  const { phase } = state.runs[step];
  if (phase === 'unknown' || phase === 'probing' || phase === 'failed') return result;
  const resumedState: WizardState = { ...state, shouldResumeApproval: false };
  if (phase !== 'ready' && phase !== 'watching') return { state: resumedState, effects };
  const notice = { kind: 'info', text: catalogue().steps.certificates.followResumed } as const;
  const startUpdate = startStepAction(
    { ...resumedState, notice },
    step,
    createPrompt({ action: 'apply', subject: null, words: null }),
  );
  return { state: startUpdate.state, effects: [...effects, ...startUpdate.effects] };
}

/**
 * Follows the action that a job of the step carries out: it was begun by an earlier session or another program, and may
 * have ended since.
 */
function followJob({ state, effects }: Update, step: StepId): Update {
  const run = state.runs[step];
  const job = run.probe?.job;
  if (!job || job.isAsking || run.phase === 'applying' || run.phase === 'asking') return { state, effects };
  const { action, subject, startedAt } = job;
  const prompt = createPrompt({ action, subject, words: null });
  return {
    state: changeRun(state, step, (oldRun) => startAction(step, oldRun, prompt, startedAt)),
    effects: [...effects, { type: 'run', step, action, subject, isFollowed: true }],
  };
}

/**
 * Removes a notice about a running action when the action ends: `Esc stops it` beside `Done` would be wrong. A request
 * for a second Esc becomes the message that the action ended.
 */
function clearActionNotice(state: WizardState, step: StepId): WizardState {
  const isActing = state.runs[step].phase === 'applying';
  const isAboutAction = state.notice?.kind === 'info' || state.notice?.context !== undefined;
  if (!isActing || state.screen !== step || !isAboutAction) return state;
  // A second Esc that comes too late must not leave the page.
  const endNotice = { kind: 'info', text: catalogue().screens.step.stops.ended, context: { kind: 'ended' } } as const;
  return { ...state, notice: state.notice?.context?.kind === 'stop' ? endNotice : null };
}

/**
 * Whether the wizard approves CSRs, or will after the first probe of the Certificates step. The next session then
 * resumes the approval.
 */
export function isApprovingCertificates({ runs: { certificates: run }, shouldResumeApproval }: WizardState): boolean {
  return shouldResumeApproval || (run.phase === 'applying' && run.attempt.action === 'apply' && !run.isStopping);
}

/** Records the progress of an item; an item that is reported again keeps the time at which it began. */
function recordProgress({ itemProgress }: StepRun, item: ItemProgress, now: number): StepRun['itemProgress'] {
  const { startedAt = now } = itemProgress[item.subject] ?? {};
  return { ...itemProgress, [item.subject]: { ...item, startedAt } };
}

function changeRun(state: WizardState, step: StepId, change: (run: StepRun) => StepRun): WizardState {
  return { ...state, runs: { ...state.runs, [step]: change(state.runs[step]) } };
}
