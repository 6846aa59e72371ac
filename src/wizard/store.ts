import type { Effect, Event, Intent } from './intents.ts';
import type { WizardState } from './state.ts';
import { update } from './update.ts';

/** Holds the state. `dispatch` is synchronous, so that the next key sees the new state. */
export interface WizardStore {
  readonly getState: () => WizardState;
  readonly dispatch: (input: Intent | Event) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Creates the store. @param perform receives every effect, in order, after the state has changed */
export function createWizardStore(initialState: WizardState, perform: (effect: Effect) => void): WizardStore {
  let state = initialState;
  const listeners = new Set<() => void>();
  return {
    getState: () => state,
    dispatch(input) {
      const result = update(state, input);
      if (result.state !== state) {
        state = result.state;
        for (const listener of listeners) listener();
      }
      for (const effect of result.effects) perform(effect);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
