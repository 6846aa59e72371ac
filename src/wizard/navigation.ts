import type { StepId } from '../steps/contract.ts';
import { enterForm } from './design/active-form.ts';
import { findInitialProblemRow, mustConfirmSite } from './design/review.ts';
import type { Effect } from './intents.ts';
import { NO_FILTER } from './list-filter.ts';
import { TEXT_START_POSITION } from './live/log-position.ts';
import { getScreenAfterReview, listOutdatedSteps } from './live/outdated-steps.ts';
import { startProbe } from './live/step-run.ts';
import {
  getPageRules,
  getScreenIndex,
  isStep,
  type Notice,
  SCREEN_IDS,
  type ScreenId,
  type WizardState,
} from './state.ts';
import { type Update, withoutEffects } from './update-result.ts';

/** Moves forward or back by a number of screens; does nothing at either end. */
export function goBy(state: WizardState, by: number): Update {
  const screen = state.screens[state.screens.indexOf(state.screen) + by];
  return screen ? goTo(state, screen) : withoutEffects(state);
}

/** Goes on, as Enter does: to the next page with something to do, or to the review or step that led here. */
export function goNext(state: WizardState): Update {
  if (state.correctionPath !== null) return goTo(state, 'review');
  const { listsProblems } = getPageRules(state.screen);
  if (listsProblems && mustConfirmSite(state)) return withoutEffects({ ...state, overlay: { kind: 'example-site' } });
  const stepAfterReview = listsProblems ? getScreenAfterReview(state) : null;
  const screen = stepAfterReview ?? findReachedNextStep(state);
  return screen === null ? goBy(state, 1) : goTo(state, screen);
}

/** Finds the next step that the probe of this step names; null if it names none, or one that was not reached yet. */
function findReachedNextStep({ screen, runs, furthestScreenIndex }: WizardState): StepId | null {
  const nextStep = isStep(screen) ? runs[screen].probe?.nextStep : undefined;
  return nextStep !== undefined && getScreenIndex(nextStep) <= furthestScreenIndex ? nextStep : null;
}

/** Goes back, as Esc does: to the step or the review that led here, else to the previous page. */
export function goBack(state: WizardState): Update {
  const { visit, correctionPath, screen } = state;
  if (visit?.returnTo && (screen === visit.entryPage || correctionPath === null)) return goTo(state, visit.returnTo);
  if (correctionPath !== null) return goTo(state, 'review');
  const previousUpdate = goBy(state, -1);
  const endedVisit = previousUpdate.state.visit && { ...previousUpdate.state.visit, returnTo: null };
  return { ...previousUpdate, state: { ...previousUpdate.state, visit: endedVisit } };
}

/**
 * Derives the visit: a page that a step led to is read-only, unless no files have been generated from the design yet.
 */
function deriveVisit(state: WizardState, screen: ScreenId): WizardState['visit'] {
  if (!getPageRules(screen).hasAnswers) return null;
  if (!isStep(state.screen)) return state.visit;
  const isInUse = state.furthestScreenIndex > getScreenIndex('generate');
  return isInUse ? { returnTo: state.screen, entryPage: screen, isEditing: false } : null;
}

/** Returns the furthest screen reached, if it is more than one screen ahead; null otherwise. */
export function getContinueTarget({ screen, screens, furthestScreenIndex }: WizardState): ScreenId | null {
  const target = SCREEN_IDS[furthestScreenIndex] ?? null;
  return target !== null && screens.indexOf(target) > screens.indexOf(screen) + 1 ? target : null;
}

/** Continues to the furthest screen reached: probes each step on the way, and stops at the first that is not done. */
export function continueToFurthest(state: WizardState): Update {
  const target = getContinueTarget(state);
  if (target === null) return withoutEffects(state);
  const nextUpdate = goTo(state, findNextScreen(state, target));
  return {
    ...nextUpdate,
    state: { ...nextUpdate.state, continueTarget: nextUpdate.state.screen === target ? null : target },
  };
}

/** Continues after the probe of a step on the way, if the step is done. */
export function continueAfterProbe(state: WizardState, probedScreen: ScreenId): Update {
  const { screen, continueTarget } = state;
  if (continueTarget === null || screen !== probedScreen || !isStep(probedScreen)) return withoutEffects(state);
  if (state.runs[probedScreen].phase !== 'done') return withoutEffects({ ...state, continueTarget: null });
  const nextUpdate = goTo(state, findNextScreen(state, continueTarget));
  return {
    ...nextUpdate,
    state: { ...nextUpdate.state, continueTarget: nextUpdate.state.screen === continueTarget ? null : continueTarget },
  };
}

/**
 * Finds the next screen on the way to the target. Skips steps whose result is still valid: done, with answers that have
 * not changed since.
 */
function findNextScreen(state: WizardState, target: ScreenId): ScreenId {
  const outdatedSteps = listOutdatedSteps(state);
  const isStillDone = (id: ScreenId) => isStep(id) && state.runs[id].phase === 'done' && !outdatedSteps.includes(id);
  const { screens } = state;
  const screensBetween = screens.slice(screens.indexOf(state.screen) + 1, screens.indexOf(target));
  return screensBetween.find((id) => !isStillDone(id)) ?? target;
}

/** Goes to a screen. `field` is the path of the answer for the cursor, `notice` is shown on the new screen. */
export function goTo(state: WizardState, screen: ScreenId, field?: string, notice: Notice | null = null): Update {
  const page = getPageRules(screen);
  const row = /^nodes\.(\d+)/.exec(field ?? '')?.[1];
  const nextState: WizardState = {
    ...state,
    screen,
    overlay: null,
    correctionPath: null,
    visit: deriveVisit(state, screen),
    continueTarget: null,
    areAdvancedFieldsShown: state.areAdvancedFieldsShown && screen === state.screen,
    notice,
    nodes: { ...state.nodes, filter: NO_FILTER, ...(row === undefined ? {} : { row: Number(row), edit: null }) },
    hasReachedStep: state.hasReachedStep || isStep(screen),
    furthestScreenIndex: Math.max(state.furthestScreenIndex, getScreenIndex(screen)),
    // The review starts at the first error.
    ...(page.listsProblems
      ? { reviewRow: findInitialProblemRow(state), reviewTop: 0, reviewSearch: TEXT_START_POSITION }
      : {}),
  };
  const effects: Effect[] = [{ type: 'save' }];
  if (isStep(screen)) {
    // Entering a step probes it again: saved state may be outdated, and only the cluster is the source of truth.
    const run = { ...nextState.runs[screen], filter: NO_FILTER };
    effects.push({ type: 'probe', step: screen });
    const isApplying = run.phase === 'applying';
    return {
      state: isApplying
        ? { ...nextState, runs: { ...nextState.runs, [screen]: run } }
        : {
            ...nextState,
            runs: {
              ...nextState.runs,
              [screen]: { ...startProbe(run), isReopened: true },
            },
          },
      effects,
    };
  }
  if (page.probesHost) effects.push({ type: 'probe-host' });
  if (page.credentialFiles) effects.push({ type: 'review-credentials' });
  return { state: enterForm(nextState, field), effects };
}
