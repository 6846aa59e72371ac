import type { Effect } from './intents.ts';
import type { WizardState } from './state.ts';

/** The state after an input, and the effects to run. */
export interface Update {
  readonly state: WizardState;
  readonly effects: readonly Effect[];
}

/** Returns an update that changes only the state and runs no effects. */
export const withoutEffects = (state: WizardState): Update => ({ state, effects: [] });
