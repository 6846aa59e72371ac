import { enterForm } from './design/editing.ts';
import { firstProblemRow } from './design/review.ts';
import type { Effect } from './intents.ts';
import { afterReview, toLookAgain } from './live/look-again.ts';
import { lookingAt } from './live/step-run.ts';
import { isStep, type Notice, SCREEN_IDS, type ScreenId, screenIndex, type WizardState } from './state.ts';
import { type Update, unchanged } from './update-result.ts';

/** Goes on or back by a number of screens; does nothing at either end. */
export function goBy(state: WizardState, by: number): Update {
  const screen = state.screens[state.screens.indexOf(state.screen) + by];
  return screen ? goTo(state, screen) : unchanged(state);
}

/** Enter on a page: on to the next one, or to the review or step that led here. */
export function goNext(state: WizardState): Update {
  if (state.fromReview !== null) return goTo(state, 'review');
  const after = state.screen === 'review' ? afterReview(state) : null;
  return after === null ? goBy(state, 1) : goTo(state, after);
}

/** Esc: back to the step or the review that led here, else to the page before. */
export function goBack(state: WizardState): Update {
  const { visit, fromReview, screen } = state;
  if (visit?.from && (screen === visit.entered || fromReview === null)) return goTo(state, visit.from);
  if (fromReview !== null) return goTo(state, 'review');
  const gone = goBy(state, -1);
  const walked = gone.state.visit && { ...gone.state.visit, from: null };
  return { ...gone, state: { ...gone.state, visit: walked } };
}

/** A step leads to a page: that is a look at what it works with, unless nothing has been made of it yet. */
function visitOf(state: WizardState, screen: ScreenId): WizardState['visit'] {
  if (isStep(screen) || screen === 'welcome') return null;
  if (!isStep(state.screen)) return state.visit;
  const isInUse = state.reached > screenIndex('generate');
  return isInUse ? { from: state.screen, entered: screen, isEditing: false } : null;
}

/** Where `goOnward` leads: the furthest screen reached, when it is further than one step from here; null otherwise. */
export function onwardGoal({ screen, screens, reached }: WizardState): ScreenId | null {
  const goal = SCREEN_IDS[reached] ?? null;
  return goal !== null && screens.indexOf(goal) > screens.indexOf(screen) + 1 ? goal : null;
}

/** Sets out for the furthest screen reached: looks at each step on the way, and stops at the first that is not done. */
export function goOnward(state: WizardState): Update {
  const onward = onwardGoal(state);
  if (onward === null) return unchanged(state);
  const gone = goTo(state, nextOnward(state, onward));
  return { ...gone, state: { ...gone.state, onward: gone.state.screen === onward ? null : onward } };
}

/** After a look at a step on the way: goes on when the step is done. */
export function passOn(state: WizardState, seen: ScreenId): Update {
  const { screen, onward } = state;
  if (onward === null || screen !== seen || !isStep(seen)) return unchanged(state);
  if (state.runs[seen].phase !== 'done') return unchanged({ ...state, onward: null });
  const gone = goTo(state, nextOnward(state, onward));
  return { ...gone, state: { ...gone.state, onward: gone.state.screen === onward ? null : onward } };
}

/** Passes over what was seen done with these answers: that is still true. */
function nextOnward(state: WizardState, goal: ScreenId): ScreenId {
  const again = toLookAgain(state);
  const isTrue = (id: ScreenId) => isStep(id) && state.runs[id].phase === 'done' && !again.includes(id);
  const { screens } = state;
  const way = screens.slice(screens.indexOf(state.screen) + 1, screens.indexOf(goal));
  return way.find((id) => !isTrue(id)) ?? goal;
}

/** Goes to a screen; `field` is the path of the answer to put the cursor on, `notice` what to keep in mind there. */
export function goTo(state: WizardState, screen: ScreenId, field?: string, notice: Notice | null = null): Update {
  const row = /^nodes\.(\d+)/.exec(field ?? '')?.[1];
  const moved: WizardState = {
    ...state,
    screen,
    overlay: null,
    fromReview: null,
    visit: visitOf(state, screen),
    onward: null,
    isMoreShown: false,
    notice,
    nodes: row === undefined ? state.nodes : { ...state.nodes, row: Number(row), edit: null },
    isDecided: state.isDecided || isStep(screen),
    reached: Math.max(state.reached, screenIndex(screen)),
    // The review begins with the errors.
    ...(screen === 'review' ? { reviewRow: firstProblemRow(state), reviewTop: 0 } : {}),
  };
  const effects: Effect[] = [{ type: 'save' }];
  if (isStep(screen)) {
    // Entering a step looks at it anew: saved state is intent, the truth is the world.
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
              [screen]: lookingAt(run),
            },
          },
      effects,
    };
  }
  if (screen === 'welcome') effects.push({ type: 'look-around' });
  if (screen === 'credentials' || screen === 'review') effects.push({ type: 'judge-credentials' });
  return { state: enterForm(moved, field), effects };
}
