import { enterForm } from './editing.ts';
import type { Effect } from './intents.ts';
import { firstProblemRow } from './review.ts';
import { isStep, type Notice, SCREEN_IDS, type ScreenId, screenIndex, type WizardState } from './state.ts';
import { lookingAt } from './step-run.ts';
import { type Update, unchanged } from './update-result.ts';

/** Goes on or back by a number of screens; does nothing at either end. */
export function goBy(state: WizardState, by: number): Update {
  const screen = SCREEN_IDS[screenIndex(state.screen) + by];
  return screen ? goTo(state, screen) : unchanged(state);
}

/** Where `goOnward` leads: the furthest screen reached, when it is further than one step from here; null otherwise. */
export function onwardGoal({ screen, reached }: WizardState): ScreenId | null {
  return reached > screenIndex(screen) + 1 ? (SCREEN_IDS[reached] ?? null) : null;
}

/** Sets out for the furthest screen reached: looks at each step on the way, and stops at the first that is not done. */
export function goOnward(state: WizardState): Update {
  const onward = onwardGoal(state);
  if (onward === null) return unchanged(state);
  const gone = goBy(state, 1);
  return { ...gone, state: { ...gone.state, onward } };
}

/** After a look at a step on the way: goes on when the step is done. */
export function passOn(state: WizardState, seen: ScreenId): Update {
  const { screen, onward } = state;
  if (onward === null || screen !== seen || !isStep(seen)) return unchanged(state);
  if (state.runs[seen].phase !== 'done') return unchanged({ ...state, onward: null });
  const gone = goBy(state, 1);
  return { ...gone, state: { ...gone.state, onward: gone.state.screen === onward ? null : onward } };
}

/** Goes to a screen; `field` is the path of the answer to put the cursor on, `notice` what to keep in mind there. */
export function goTo(state: WizardState, screen: ScreenId, field?: string, notice: Notice | null = null): Update {
  const row = /^nodes\.(\d+)/.exec(field ?? '')?.[1];
  const moved: WizardState = {
    ...state,
    screen,
    overlay: null,
    fromReview: null,
    onward: null,
    isMoreShown: false,
    notice,
    nodes: row === undefined ? state.nodes : { ...state.nodes, row: Number(row), edit: null },
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
  if (screen === 'credentials' || screen === 'review') effects.push({ type: 'judge-credentials' });
  return { state: enterForm(moved, field), effects };
}
