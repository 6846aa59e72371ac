import { formatFindings } from '../checks/check.ts';
import { isWaitFailure } from '../checks/installer.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { UserError } from '../i18n/user-error.ts';
import type { StepId } from '../steps/contract.ts';
import { offerFollowUpChanges, updateFollowUp } from './design/follow-up.ts';
import { acceptAnswer, recheckCredentialFiles, updateCredentialProblems, updateForm } from './design/update-form.ts';
import { updateNodes } from './design/update-nodes.ts';
import { acceptUpToReview, updateReview, updateReviewSearch } from './design/update-review.ts';
import { recordOverlayChange, revertField, undoOrRedo, undoOverlay } from './design/update-undo.ts';
import { type Event, getIntentRules, type InputOf, type Intent, isInputInGroup } from './intents.ts';
import { clampIndex, updateListFilter } from './list-filter.ts';
import { findLikelyCause, isSameFault, recordLikelyCause } from './live/likely-cause.ts';
import { canStop, isBlockedForNow, type StepRun } from './live/step-run.ts';
import { syncClockHold, updateInstall, updateRehearsal } from './live/update-rehearsal.ts';
import { updateStep } from './live/update-step.ts';
import { continueToFurthest, goBack, goNext, goTo } from './navigation.ts';
import { updatePalette } from './overlays/palette.ts';
import { updateSidebar } from './overlays/sidebar.ts';
import { setCredentialFile, updateImport, updatePastedCredential } from './overlays/update-import.ts';
import { getPageRules, isReadOnly, isStep, type LeaveReason, SCREEN_IDS, type WizardState } from './state.ts';
import { restoreUnfinishedText, typeIntoField } from './unfinished-text.ts';
import { type Update, withoutEffects } from './update-result.ts';

/** Handles an input to the welcome screen. */
function updateWelcome(state: WizardState, input: InputOf<'welcome'>): Update {
  const { welcome } = state;
  switch (input.type) {
    case 'welcome/move': {
      const choice = Math.min(Math.max(welcome.choice + input.by, 0), input.count - 1);
      return withoutEffects({ ...state, notice: null, welcome: { ...welcome, choice } });
    }
    case 'welcome/probe':
      return { state, effects: [{ type: 'probe-host' }] };
    case 'welcome/probed':
      return withoutEffects({ ...state, welcome: { ...welcome, overview: input.overview } });
    case 'welcome/rehearse':
      return leaveWithoutSaving(state, 'rehearse');
    case 'welcome/new':
      return leaveWithoutSaving(state, 'new');
    case 'welcome/open':
      return leaveWithoutSaving({ ...state, welcome: { ...welcome, nextDir: input.dir } }, 'open');
  }
}

function leaveWithoutSaving(state: WizardState, leaveReason: LeaveReason): Update {
  return { state: { ...state, leaveReason }, effects: [{ type: 'leave', reason: leaveReason }] };
}

/**
 * Computes the next state, and the effects to run, for an intent or an event. Pure and fast: it runs once per key, and
 * its result determines the meaning of the next key in a burst.
 */
export function update(state: WizardState, input: Intent | Event): Update {
  const { changes, offersFollowUps } = getIntentRules(input);
  if (changes === 'answers' && isReadOnly(state))
    return withoutEffects({ ...state, notice: { kind: 'warning', text: catalogue().pages.editLock.readOnly } });
  const result = recheckCredentialFiles(state, input, applyInput(state, input));
  const offerUpdate = offersFollowUps ? offerFollowUpChanges(state, result) : result;
  const shouldKeepAbsence =
    offerUpdate.state.screen === state.screen &&
    !offerUpdate.effects.some((effect) => effect.type === 'run' && effect.isFollowed !== true);
  const nextUpdate = shouldKeepAbsence ? offerUpdate : clearAbsenceSummary(offerUpdate);
  return syncClockHold(state, delayExit(state, recordOverlayChange(state, input, nextUpdate)));
}

/** Asks for a second key press before a page that is not finished is left: the first may be accidental. */
function askToSkip(state: WizardState): Update {
  const text = catalogue().screens.step.pressAgainToSkip;
  return withoutEffects({ ...state, notice: { kind: 'warning', text, context: { kind: 'skip' } } });
}

/**
 * Removes the sentence about the changes while the wizard was away: the user leaves the page that shows it, or runs an
 * action.
 */
function clearAbsenceSummary({ state, effects }: Update): Update {
  return { state: state.absenceSummary === null ? state : { ...state, absenceSummary: null }, effects };
}

/** The subject of the page with the diagnosis. */
const DIAGNOSIS_SUBJECT = 'diagnosis';

function applyInput(state: WizardState, input: Intent | Event): Update {
  const pasteUpdate = updatePastedCredential(state, input);
  if (pasteUpdate !== null) return pasteUpdate;
  if (!getIntentRules(input).leavesField) return addCursorPositionSave(state, input, routeInput(state, input));
  // No input is lost: the text under the cursor is accepted before the cursor leaves it.
  const acceptedUpdate = acceptAnswer(state);
  const nextUpdate = routeInput(acceptedUpdate.state, input);
  return { state: nextUpdate.state, effects: [...acceptedUpdate.effects, ...nextUpdate.effects] };
}

/**
 * Adds an effect that saves a moved cursor or typed text at low cost. After a lost connection, the user resumes at the
 * same field.
 */
function addCursorPositionSave(previousState: WizardState, input: Intent | Event, update: Update): Update {
  if (getIntentRules(input).savesCursorPosition !== true || update.state === previousState) return update;
  if (update.effects.some(({ type }) => type === 'save')) return update;
  return { ...update, effects: [...update.effects, { type: 'save-cursor-position' }] };
}

/** Handles an input to the filter of the list on the page: that of the nodes, or of a step. */
function updateFilter(state: WizardState, input: InputOf<'filter'>): WizardState {
  const { screen, nodes, runs } = state;
  if (screen === 'nodes') return { ...state, notice: null, nodes: { ...nodes, ...updateListFilter(nodes, input) } };
  if (!isStep(screen)) return state;
  const run = runs[screen];
  const list = updateListFilter(run, input);
  const nextRun = { ...run, ...list, rowId: list.row === run.row ? run.rowId : null, top: 0 };
  return { ...state, notice: null, runs: { ...runs, [screen]: nextRun } };
}

/** Creates the page of a diagnosis that runs: until it is ready, it shows the failed findings of the step. */
function createPendingDiagnosis(state: WizardState): WizardState['overlay'] {
  const overlay = { kind: 'page', subject: DIAGNOSIS_SUBJECT, page: null, top: 0 } as const;
  if (!isStep(state.screen)) return overlay;
  const run = state.runs[state.screen];
  const cause = findLikelyCause(state, state.screen, run);
  const findings = (run.probe?.findings ?? []).filter(
    (finding) =>
      finding.state === 'failed' && !isBlockedForNow(finding, run) && (cause === null || !isSameFault(cause, finding)),
  );
  // The end of a wait is a consequence: what the page found in the meantime comes first.
  const sortedFindings = findings.toSorted((a, b) => Number(isWaitFailure(a)) - Number(isWaitFailure(b)));
  const knownFindings = cause === null ? sortedFindings : [cause, ...sortedFindings];
  if (knownFindings.length === 0) return overlay;
  const { progress, fromPage } = catalogue().diagnose;
  return {
    ...overlay,
    page: { title: progress, lines: [fromPage, '', ...formatFindings(knownFindings, false)] },
    isPending: true,
  };
}

function routeInput(state: WizardState, input: Intent | Event): Update {
  if (isInputInGroup(input, 'field', 'choice')) return updateForm(state, input);
  if (isInputInGroup(input, 'review')) return updateReview(state, input);
  if (isInputInGroup(input, 'node')) return updateNodes(state, input);
  if (isInputInGroup(input, 'welcome')) return updateWelcome(state, input);
  if (isInputInGroup(input, 'import')) return updateImport(state, input);
  if (isInputInGroup(input, 'rehearsal')) return updateRehearsal(state, input);
  if (isInputInGroup(input, 'follow')) return updateFollowUp(state, input);
  if (isInputInGroup(input, 'install')) return updateInstall(state, input);
  if (isInputInGroup(input, 'filter')) return withoutEffects(updateFilter(state, input));
  if (isInputInGroup(input, 'sidebar')) return updateSidebar(state, input);
  if (input.type === 'palette/select') return update({ ...state, overlay: null }, input.intent);
  if (isInputInGroup(input, 'palette')) return updatePalette(state, input);
  if (isInputInGroup(input, 'log') && getPageRules(state.screen).listsProblems)
    return withoutEffects(updateReviewSearch(state, input));
  if (isInputInGroup(input, 'step', 'row', 'log')) return updateStep(state, input);
  switch (input.type) {
    case 'screen/go':
      return goToScreen(state, input);
    case 'screen/next':
      return input.needsSecondPress && state.notice?.context?.kind !== 'skip' ? askToSkip(state) : goNext(state);
    case 'screen/back':
      return stayAfterAction(state) ?? goBack(state);
    case 'screen/onward':
      return continueToFurthest(state);
    case 'screen/to-review':
      return acceptUpToReview(state);
    case 'overlay/open':
      return withoutEffects({
        ...state,
        overlay:
          input.overlay === 'help' ? { kind: 'help', top: 0 } : { kind: 'quit', isInterrupt: input.overlay === 'quit' },
      });
    case 'overlay/show':
      return withoutEffects({
        ...state,
        overlay: { kind: 'page', subject: input.subject ?? '', page: input.page, top: 0 },
      });
    case 'overlay/undo':
      return undoOverlay(state);
    case 'diagnosis/open':
      return {
        state: { ...state, notice: null, overlay: createPendingDiagnosis(state) },
        effects: [{ type: 'diagnose' }],
      };
    case 'diagnosis/ready': {
      const { step, likelyCause = null } = input;
      const stateWithCause = step === undefined ? state : recordLikelyCause(state, step, likelyCause);
      // The user may have closed the page before it was ready.
      return withoutEffects(
        state.overlay?.kind === 'page' && state.overlay.subject === DIAGNOSIS_SUBJECT
          ? {
              ...stateWithCause,
              overlay: { kind: 'page', subject: DIAGNOSIS_SUBJECT, page: input.page, top: state.overlay.top },
            }
          : stateWithCause,
      );
    }
    case 'diagnosis/cause-found':
      return withoutEffects(recordLikelyCause(state, input.step, input.likelyCause, input.request));
    case 'overlay/close': {
      // The reason why a key had no effect concerned the page before the overlay.
      const notice = state.notice?.context?.kind === 'not-now' ? null : state.notice;
      return withoutEffects({ ...state, overlay: null, notice });
    }
    case 'overlay/reveal': {
      if (state.overlay?.kind !== 'page') return withoutEffects(state);
      return withoutEffects({ ...state, overlay: { ...state.overlay, isRevealed: true } });
    }
    case 'help/scroll': {
      const { overlay } = state;
      if (overlay?.kind !== 'help' && overlay?.kind !== 'page') return withoutEffects(state);
      const top = clampIndex(overlay.top + input.by, input.count);
      return withoutEffects({ ...state, overlay: { ...overlay, top } });
    }
    case 'commands/copy':
      return copyCommands(state, input.commands);
    case 'commands/write':
      return { state: { ...state, notice: null }, effects: [{ type: 'write-commands', lines: input.lines }] };
    case 'cell/copy': {
      const notice = { kind: 'info', text: catalogue().screens.step.copiedCell(input.text) } as const;
      return { state: { ...state, notice }, effects: [{ type: 'copy', text: input.text }] };
    }
    case 'notice/show':
    case 'notice/shown':
      return withoutEffects({ ...state, notice: input.notice });
    case 'session/restore-text':
      return withoutEffects(restoreUnfinishedText(state, input.unfinished));
    case 'session/quit': {
      // Leaving from the dialog of Ctrl-C is an interrupt: the parent shell must see that Ctrl-C ended the wizard.
      const isInterrupt = state.overlay?.kind === 'quit' && state.overlay.isInterrupt;
      return saveAndLeave(state, isInterrupt ? 'interrupt' : 'quit');
    }
    case 'session/abandon':
      return leaveWithoutSaving(state, 'unsaved');
    case 'session/yield':
      return saveAndLeave(state, input.reason);
    case 'session/lose':
      return leaveWithoutSaving(state, 'lost');
    case 'document/unlock':
      return withoutEffects({
        ...state,
        visit: state.visit && { ...state.visit, isEditing: true },
        notice: { kind: 'info', text: catalogue().pages.editLock.unlocked },
      });
    case 'document/undo':
      return undoOrRedo(state, 'past');
    case 'document/redo':
      return undoOrRedo(state, 'future');
    case 'document/revert':
      return revertField(state);
    case 'credentials/make-key':
      return { state: { ...state, notice: null }, effects: [{ type: 'generate-ssh-key' }] };
    case 'credentials/key-generated':
      return setCredentialFile(state, 'ssh-key', input.file, catalogue().steps.sshKey.created(input.file));
    case 'credentials/saved':
      return setCredentialFile(
        state,
        input.credential,
        input.file,
        catalogue().pages.credentials.pasted.saved(input.file),
      );
    case 'credentials/reviewed':
      return updateCredentialProblems(state, input.problems);
    case 'session/absence':
      return withoutEffects({ ...state, absenceSummary: input.text });
    case 'session/saved':
      return withoutEffects({ ...state, savedAt: input.at, saveError: null });
    case 'session/save-failed':
      return withoutEffects(recordSaveFailure(state, input.userError));
    case 'end/waited':
      return withoutEffects({ ...state, isEndJustReached: false, justEndedStep: null });
    case 'clock/ticked':
      return withoutEffects({ ...state, now: input.now, firstPowerOnAt: input.firstPowerOnAt ?? state.firstPowerOnAt });
  }
}

/** Copies commands. Only the terminal knows whether that worked: the notice says where to look. */
function copyCommands(state: WizardState, commands: readonly string[]): Update {
  const [firstCommand = null, ...otherCommands] = commands;
  const text = catalogue().screens.step.copied(commands.length, otherCommands.length > 0 ? null : firstCommand);
  const notice = { kind: 'info', text } as const;
  return { state: { ...state, notice }, effects: [{ type: 'copy', text: `${commands.join('\n')}\n` }] };
}

function saveAndLeave(state: WizardState, reason: LeaveReason): Update {
  return { state: { ...state, leaveReason: reason }, effects: [{ type: 'save' }, { type: 'leave', reason }] };
}

/** Goes to a screen. After a correction that a step led to, the review follows and shows the consequences. */
function goToScreen(state: WizardState, intent: Extract<Intent, { type: 'screen/go' }>): Update {
  const { screen, field, text, rowId, notice } = intent;
  const nextUpdate = goTo(state, screen, field, notice);
  if (rowId !== undefined && isStep(screen)) {
    const { runs } = nextUpdate.state;
    return {
      ...nextUpdate,
      state: { ...nextUpdate.state, runs: { ...runs, [screen]: { ...runs[screen], row: -1, rowId } } },
    };
  }
  const isCorrection = isStep(state.screen) && !isStep(screen) && !getPageRules(screen).listsProblems;
  if (!isCorrection) return nextUpdate;
  // Coming from a finding, the field is already chosen: allow editing.
  const visit = nextUpdate.state.visit && { ...nextUpdate.state.visit, isEditing: field !== undefined };
  const correctedState = { ...nextUpdate.state, correctionPath: field ?? screen, visit };
  return { ...nextUpdate, state: text === undefined ? correctedState : typeIntoField(correctedState, text) };
}

/** Keeps the answers in memory, shows the error, and cancels leaving: the user must know what leaving now costs. */
function recordSaveFailure(state: WizardState, userError: UserError): WizardState {
  const nextState: WizardState = { ...state, saveError: userError };
  const isUserChoice = state.leaveReason !== 'taken-over' && state.leaveReason !== 'detached';
  if (state.leaveReason !== null && isUserChoice)
    return { ...nextState, leaveReason: null, overlay: { kind: 'unsaved' } };
  return {
    ...nextState,
    leaveReason: null,
    notice: { kind: 'error', text: catalogue().screens.unsaved.notice(userError.cause) },
  };
}

/** Whether the last step is done, and shown: Enter leaves the wizard. */
function isAtEnd({ screen, runs }: WizardState): boolean {
  return screen === SCREEN_IDS.at(-1) && runs.report.phase === 'done';
}

/**
 * Delays Enter at the end, and Esc after an action, for a moment. An Enter meant for the previous step, or for a report
 * still being written, must not leave the wizard and end a rehearsal's site. An Esc meant to stop an action must not
 * leave its page.
 */
function delayExit(previousState: WizardState, update: Update): Update {
  const { screen } = update.state;
  const isEndReached = !isAtEnd(previousState) && isAtEnd(update.state);
  const justEndedStep = isStep(screen) && hasJustEnded(previousState, update.state, screen) ? screen : null;
  // The page shows the end of an action when the probe after it has a result.
  const isEndShown = justEndedStep !== null && update.state.runs[justEndedStep].phase !== 'probing';
  const isNewlyShown = isEndShown && isInAction(previousState.runs[justEndedStep]);
  const isEndJustReached = isEndReached || update.state.isEndJustReached;
  return {
    state:
      justEndedStep === update.state.justEndedStep && !isEndReached
        ? update.state
        : { ...update.state, isEndJustReached, justEndedStep },
    effects: isEndReached || isNewlyShown ? [...update.effects, { type: 'wait-at-end' }] : update.effects,
  };
}

/** Whether the action of a step ended with this update, or a moment ago. */
function hasJustEnded(previousState: WizardState, { justEndedStep, runs }: WizardState, step: StepId): boolean {
  const hasEnded =
    previousState.screen === step && canStop(previousState.runs[step]) && runs[step].phase !== 'applying';
  return hasEnded || justEndedStep === step;
}

/** Whether an action runs, or the probe after it. */
const isInAction = ({ phase }: StepRun) => phase === 'applying' || phase === 'probing';

/** Stays on the page at an Esc that was meant to stop an action, but came too late; null: Esc goes back. */
function stayAfterAction(state: WizardState): Update | null {
  const stayedState = { ...state, justEndedStep: null, notice: null };
  if (state.notice?.context?.kind === 'ended') return withoutEffects(stayedState);
  if (state.justEndedStep !== state.screen) return null;
  return withoutEffects({ ...stayedState, notice: { kind: 'info', text: catalogue().screens.step.stops.ended } });
}
