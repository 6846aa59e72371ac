import { isDifference } from '../../design/differences.ts';
import { renderCloudDesign, renderExampleDesign } from '../../design/example.ts';
import { checkDocument } from '../../design/parse.ts';
import type { DesignDocument } from '../../design/paths.ts';
import { parseYamlText } from '../../design/yaml.ts';
import type { UserError } from '../../i18n/user-error.ts';
import { computeChecksum } from '../../session/safe-file.ts';
import type { Session } from '../../session/session.ts';
import type { SessionState } from '../../session/state.ts';
import { createProbeCache, type ProbeCache } from '../../steps/probe-cache.ts';
import { mergeJobFacts } from '../../steps/shared/moves/move-run.ts';
import { createStepState, describeDroppedFacts, parseFacts, type StepState } from '../../steps/step-state.ts';
import { getActiveForm, getFocusedField } from '../../wizard/design/active-form.ts';
import {
  getScreenIndex,
  isReadOnly,
  isScreen,
  SCREEN_IDS,
  type ScreenId,
  type WizardState,
} from '../../wizard/state.ts';
import { findUnfinishedText } from '../../wizard/unfinished-text.ts';
import { isPastReview } from './design-in-force.ts';

/** The saved state while a front end works with it: one object that all parts change and that is saved as a whole. */
export interface WorkingSession {
  /** Messages for the user about loading. */
  readonly notices: readonly UserError[];
  readonly stepState: StepState;
  readonly probeCache: ProbeCache;
  /** True if a saved state was loaded. */
  readonly isResumed: boolean;
  readonly getState: () => SessionState;
  /** Changes parts of the state and saves it. */
  readonly update: (change: Partial<SessionState>) => void;
}

/**
 * Loads the saved state, or starts with the example.
 * @throws UserErrorException `session-newer`, `session-unwritable`
 */
export function openWorkingSession(session: Session): WorkingSession {
  const loadedState = session.load();
  const isResumed = loadedState.design !== null && loadedState.design !== undefined;
  const { facts, droppedKeys } = parseFacts(loadedState.memory);
  let state: SessionState = isResumed ? loadedState : { ...loadedState, design: createExampleDocument() };
  const update = (change: Partial<SessionState>) => {
    state = { ...state, ...change, memory: facts };
    session.save(state);
  };
  const stepState = createStepState(facts, () => update({}));
  // A job may have recorded facts while no session was open.
  if (isResumed) mergeJobFacts({ dir: session.dir, stepState });
  return {
    notices: [...session.getNotices(), ...describeDroppedFacts(droppedKeys)],
    stepState,
    probeCache: createProbeCache(),
    isResumed,
    getState: () => state,
    update,
  };
}

/**
 * Creates the documented example, with which every new installation starts: accepting every answer gives a working
 * design.
 */
export function createExampleDocument(): DesignDocument {
  return parseYamlText(renderExampleDesign({})).document;
}

/** Creates the design of the cluster that runs when a rehearsal on a cloud begins. */
export function createCloudDocument(): DesignDocument {
  return parseYamlText(renderCloudDesign()).document;
}

type SavedAnswers = Pick<SessionState, 'design' | 'inForce' | 'changes'>;
type RestoredAnswers = Pick<WizardState, 'inForce' | 'hasReachedStep' | 'past' | 'future'>;

/** Returns the answers in saved form: as typed, the last valid ones, and the undo history. */
export function toSavedAnswers({ document, design, inForce, past, future }: WizardState): SavedAnswers {
  return {
    design: document,
    inForce: design === null ? (inForce?.document ?? null) : null,
    changes: { of: computeChecksum(document), past, future },
  };
}

type SavedPlace = Pick<SessionState, 'place' | 'reached' | 'unfinished'>;

/** Returns the place to resume at. If the user only views the answers that a step uses, it is that step. */
export function toSavedPlace(state: WizardState): SavedPlace {
  const reached = SCREEN_IDS[state.furthestScreenIndex] ?? null;
  const unfinished = findUnfinishedText(state);
  const returnScreen = isReadOnly(state) ? state.visit?.returnTo : null;
  if (returnScreen) return { place: { screen: returnScreen, field: null }, reached, unfinished };
  const field = getFocusedField(state);
  const path = field && `${getActiveForm(state)?.prefix ?? ''}${field.path}`;
  return { place: { screen: state.screen, field: path }, reached, unfinished };
}

/** Creates the place to resume at, after a program without screens has reached this screen. */
export function createPlace(screen: ScreenId, previous: SessionState): SavedPlace {
  const place = { screen, field: null };
  return { place, reached: getFurthestScreen({ place, reached: getFurthestScreen(previous) }), unfinished: null };
}

/** Returns the furthest screen that a session has reached. */
export function getFurthestScreen({ place, reached }: Pick<SessionState, 'place' | 'reached'>): ScreenId {
  const screens = [place.screen, reached ?? ''].filter(isScreen);
  return screens.reduce<ScreenId>(
    (furthest, screen) => (getScreenIndex(screen) > getScreenIndex(furthest) ? screen : furthest),
    'welcome',
  );
}

/**
 * Restores what a session stores besides the answers. An undo history that does not start from these answers is
 * dropped.
 */
export function restoreAnswers({ design, inForce, changes, place, reached, memory }: SessionState): RestoredAnswers {
  const isHistoryValid = changes !== null && changes.of === computeChecksum(design);
  const validDesign = inForce === null ? null : checkDocument(inForce).design;
  return {
    inForce: validDesign && { document: inForce, design: validDesign },
    hasReachedStep: validDesign !== null || isPastReview({ place, reached, memory }),
    past: isHistoryValid ? changes.past.filter(isDifference) : [],
    future: isHistoryValid ? changes.future.filter(isDifference) : [],
  };
}
