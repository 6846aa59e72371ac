import type { DesignDocument } from '../design/paths.ts';
import { mapSteps, STEP_IDS } from '../steps/contract.ts';
import { restoreLastValidTexts } from './design/follow-up.ts';
import { checkAnswers } from './design/undo.ts';
import { NO_FILTER } from './list-filter.ts';
import { TEXT_START_POSITION } from './live/log-position.ts';
import { INITIAL_STEP_RUN } from './live/step-run.ts';
import {
  type FormState,
  getScreenIndex,
  isStep,
  type RehearsalPace,
  SCREEN_IDS,
  type ScreenId,
  type WizardState,
} from './state.ts';
import { createTextField } from './text-input.ts';

/** Creates the state that the wizard starts with: on the welcome screen, with the answers given so far. */
export function createInitialState(options: {
  readonly dir: string;
  readonly document: DesignDocument;
  /** ms of the clock. */
  readonly now: number;
  /** When the first machine was powered on; null before that. */
  readonly firstPowerOnAt?: number | null;
  readonly isResumed: boolean;
  readonly rehearsal: RehearsalPace | null;
  /** The furthest screen of the previous session. */
  readonly furthestScreen: ScreenId;
  /** The available screens; missing: all. */
  readonly screens?: readonly ScreenId[];
  /** Steps that were not done when the session was left. Missing: none. */
  readonly unfinishedSteps?: readonly string[];
  /** Saved parts of the state that accompany the answers; left out for a new installation. */
  readonly savedParts?: Partial<Pick<WizardState, 'past' | 'future' | 'inForce' | 'hasReachedStep'>>;
}): WizardState {
  const {
    dir,
    document,
    now,
    isResumed,
    rehearsal,
    furthestScreen,
    screens = SCREEN_IDS,
    firstPowerOnAt = null,
    savedParts = {},
    unfinishedSteps = [],
  } = options;
  const emptyForm: FormState = { focus: 0, editor: createTextField(''), change: null, typeAhead: null };
  const { past = [] } = savedParts;
  const answers = checkAnswers(document, savedParts.inForce ?? null);
  // Steps before the furthest screen count as done with these answers: older answers are not saved.
  const passedSteps = STEP_IDS.filter(
    (id) =>
      screens.includes(id) && getScreenIndex(id) < getScreenIndex(furthestScreen) && !unfinishedSteps.includes(id),
  );
  return {
    screen: 'welcome',
    screens,
    ...answers,
    past,
    future: savedParts.future ?? [],
    hasReachedStep: savedParts.hasReachedStep ?? isStep(furthestScreen),
    lastValidTexts: restoreLastValidTexts({ document, past }),
    wizardAnswers: {},
    credentialProblems: [],
    welcome: { dir, isResumed, rehearsal, choice: 0, overview: null, nextDir: null },
    forms: { cluster: emptyForm, networks: emptyForm, services: emptyForm, credentials: emptyForm },
    nodes: { row: 0, filter: NO_FILTER, sortCount: 0, edit: null },
    areAdvancedFieldsShown: false,
    reviewRow: 0,
    reviewTop: 0,
    reviewSearch: TEXT_START_POSITION,
    correctionPath: null,
    visit: null,
    doneDocuments: answers.inForce ? Object.fromEntries(passedSteps.map((id) => [id, answers.inForce?.document])) : {},
    unfinishedSteps,
    runs: { ...mapSteps(() => INITIAL_STEP_RUN), report: { ...INITIAL_STEP_RUN, logPosition: TEXT_START_POSITION } },
    unansweredPrompt: null,
    shouldResumeApproval: false,
    continueTarget: null,
    likelyCause: null,
    overlay: null,
    overlayUndoStack: [],
    notice: null,
    furthestScreenIndex: getScreenIndex(furthestScreen),
    savedAt: null,
    saveError: null,
    firstPowerOnAt,
    now,
    leaveReason: null,
    isEndJustReached: false,
    justEndedStep: null,
    absenceSummary: null,
  };
}
