import { AppView, handleKey } from '../../screens/app/app.tsx';
import { KeyDispatcher } from '../../src/ui/keys/dispatcher.tsx';
import { type Look, TerminalLook } from '../../src/ui/look.tsx';
import type { Effect } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { createWizardStore, type WizardStore } from '../../src/wizard/store.ts';
import { type Mounted, mount } from './mount.tsx';
import { START } from './wizard-state.ts';

export interface WizardApp extends Mounted {
  readonly store: WizardStore;
  readonly effects: readonly Effect[];
  /** Replaces the state, and waits until it is drawn. */
  become(state: WizardState): Promise<void>;
}

/** The whole wizard in a terminal, on this state. Records effects; reports every save as done. */
export async function mountWizard(
  state: WizardState,
  options: { readonly cols?: number; readonly rows?: number; readonly look?: Partial<Look> } = {},
): Promise<WizardApp> {
  const { cols = 80, rows = 24, look } = options;
  const effects: Effect[] = [];
  const perform = (effect: Effect) => {
    effects.push(effect);
    if (effect.type === 'save') store.dispatch({ type: 'session/saved', at: START });
  };
  let current = createWizardStore(state, perform);
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  current.subscribe(tell);
  const store: WizardStore = {
    getState: () => current.getState(),
    dispatch: (input) => current.dispatch(input),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const put = (next: WizardState) => {
    current = createWizardStore(next, perform);
    current.subscribe(tell);
    tell();
  };
  let size = { columns: cols, rows };
  const terminal = { onRedraw: () => undefined, onStop: () => undefined, size: () => size };
  const app = (
    <KeyDispatcher onKey={(event) => handleKey(store, event, terminal)}>
      <TerminalLook look={{ hasUnicode: true, hasColour: true, canAnimate: false, ...look }}>
        <AppView store={store} resumeCommand="upi-wizard --dir /home/user/upi-cluster" />
      </TerminalLook>
    </KeyDispatcher>
  );
  const mounted = await mount(app, { cols, rows });
  return {
    ...mounted,
    resize(columns, lines) {
      size = { columns, rows: lines };
      return mounted.resize(columns, lines);
    },
    store,
    effects,
    async become(next) {
      put(next);
      await mounted.settled();
    },
  };
}
