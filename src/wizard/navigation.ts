import { enterForm } from './design/active-form.ts';
import { findFirstProblemRow } from './design/review.ts';
import type { Effect } from './intents.ts';
import { getScreenAfterReview, listOutdatedSteps } from './live/outdated-steps.ts';
import { startProbe } from './live/step-run.ts';
import { isStep, type Notice, SCREEN_IDS, type ScreenId, screenIndex, type WizardState } from './state.ts';
import { type Update, withoutEffects } from './update-result.ts';

/** Moves forward or back by a number of screens; does nothing at either end. */
export function goBy(state: WizardState, by: number): Update {
  const screen = state.screens[state.screens.indexOf(state.screen) + by];
  return screen ? goTo(state, screen) : withoutEffects(state);
}

/** Enter on a page: to the next page, or to the review or step that led here. */
export function goNext(state: WizardState): Update {
  if (state.fromReview !== null) return goTo(state, 'review');
  const after = state.screen === 'review' ? getScreenAfterReview(state) : null;
  return after === null ? goBy(state, 1) : goTo(state, after);
}

/** Esc: back to the step or the review that led here, else to the page before. */
export function goBack(state: WizardState): Update {
  const { visit, fromReview, screen } = state;
  if (visit?.returnTo && (screen === visit.entryPage || fromReview === null)) return goTo(state, visit.returnTo);
  if (fromReview !== null) return goTo(state, 'review');
  const previous = goBy(state, -1);
  const endedVisit = previous.state.visit && { ...previous.state.visit, returnTo: null };
  return { ...previous, state: { ...previous.state, visit: endedVisit } };
}

/** A page that a step led to is a read-only visit, unless no files have been generated from the design yet. */
function deriveVisit(state: WizardState, screen: ScreenId): WizardState['visit'] {
  if (isStep(screen) || screen === 'welcome') return null;
  if (!isStep(state.screen)) return state.visit;
  const isInUse = state.reached > screenIndex('generate');
  return isInUse ? { returnTo: state.screen, entryPage: screen, isEditing: false } : null;
}

/** Returns the furthest screen reached, if it is more than one step from here; null otherwise. */
export function getContinueTarget({ screen, screens, reached }: WizardState): ScreenId | null {
  const target = SCREEN_IDS[reached] ?? null;
  return target !== null && screens.indexOf(target) > screens.indexOf(screen) + 1 ? target : null;
}

/** Continues to the furthest screen reached: probes each step on the way, and stops at the first that is not done. */
export function continueToFurthest(state: WizardState): Update {
  const target = getContinueTarget(state);
  if (target === null) return withoutEffects(state);
  const next = goTo(state, findNextScreen(state, target));
  return { ...next, state: { ...next.state, continueTarget: next.state.screen === target ? null : target } };
}

/** After a probe of a step on the way: continues if the step is done. */
export function continueAfterProbe(state: WizardState, probed: ScreenId): Update {
  const { screen, continueTarget } = state;
  if (continueTarget === null || screen !== probed || !isStep(probed)) return withoutEffects(state);
  if (state.runs[probed].phase !== 'done') return withoutEffects({ ...state, continueTarget: null });
  const next = goTo(state, findNextScreen(state, continueTarget));
  return {
    ...next,
    state: { ...next.state, continueTarget: next.state.screen === continueTarget ? null : continueTarget },
  };
}

/** Skips steps whose result is still valid: done, with answers that have not changed since. */
function findNextScreen(state: WizardState, target: ScreenId): ScreenId {
  const outdated = listOutdatedSteps(state);
  const isStillDone = (id: ScreenId) => isStep(id) && state.runs[id].phase === 'done' && !outdated.includes(id);
  const { screens } = state;
  const between = screens.slice(screens.indexOf(state.screen) + 1, screens.indexOf(target));
  return between.find((id) => !isStillDone(id)) ?? target;
}

/** Goes to a screen. `field` is the path of the answer for the cursor, `notice` is shown on the new screen. */
export function goTo(state: WizardState, screen: ScreenId, field?: string, notice: Notice | null = null): Update {
  const row = /^nodes\.(\d+)/.exec(field ?? '')?.[1];
  const moved: WizardState = {
    ...state,
    screen,
    overlay: null,
    fromReview: null,
    visit: deriveVisit(state, screen),
    continueTarget: null,
    isMoreShown: false,
    notice,
    nodes: row === undefined ? state.nodes : { ...state.nodes, row: Number(row), edit: null },
    isDecided: state.isDecided || isStep(screen),
    reached: Math.max(state.reached, screenIndex(screen)),
    // The review starts at the first error.
    ...(screen === 'review' ? { reviewRow: findFirstProblemRow(state), reviewTop: 0 } : {}),
  };
  const effects: Effect[] = [{ type: 'save' }];
  if (isStep(screen)) {
    // Entering a step probes it again: the saved state is intent, and only the cluster holds the truth.
    const run = moved.runs[screen];
    effects.push({ type: 'look', step: screen });
    const isBusy = run.phase === 'applying';
    return {
      state: isBusy
        ? moved
        : {
            ...moved,
            runs: {
              ...moved.runs,
              [screen]: startProbe(run),
            },
          },
      effects,
    };
  }
  if (screen === 'welcome') effects.push({ type: 'look-around' });
  if (screen === 'credentials' || screen === 'review') effects.push({ type: 'judge-credentials' });
  return { state: enterForm(moved, field), effects };
}
