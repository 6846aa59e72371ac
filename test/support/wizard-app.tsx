import { handleKey } from '../../screens/app/app.ts';
import { AppView } from '../../screens/app/start.tsx';
import { KeyDispatcher } from '../../src/ui/keys.tsx';
import { SizedTerminalStyleProvider, type TerminalStyle } from '../../src/ui/terminal-style.tsx';
import type { Effect } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { createWizardStore, type WizardStore } from '../../src/wizard/store.ts';
import { type MountedApp, mount } from './mount.tsx';
import { START } from './wizard-state.ts';

export interface WizardApp extends MountedApp {
  /** The lines of the screen; the left and the right edge of the frame are blank, so that texts can be joined. */
  lines(): string[];
  /** The lines as they are, with the edges. */
  frame(): string[];
  readonly store: WizardStore;
  readonly effects: readonly Effect[];
  /** Replaces the state, and waits until it is drawn. */
  setState(state: WizardState): Promise<void>;
}

/** Mounts the whole wizard in a terminal, with this state. Records effects; reports every save as done. */
export async function mountWizard(
  state: WizardState,
  options: { readonly cols?: number; readonly rows?: number; readonly style?: Partial<TerminalStyle> } = {},
): Promise<WizardApp> {
  const { cols = 80, rows = 24, style } = options;
  const effects: Effect[] = [];
  const perform = (effect: Effect) => {
    effects.push(effect);
    if (effect.type === 'save') store.dispatch({ type: 'session/saved', at: START });
  };
  let current = createWizardStore(state, perform);
  const listeners = new Set<() => void>();
  const notifyListeners = () => {
    for (const listener of listeners) listener();
  };
  current.subscribe(notifyListeners);
  const store: WizardStore = {
    getState: () => current.getState(),
    dispatch: (input) => current.dispatch(input),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const replaceStore = (next: WizardState) => {
    current = createWizardStore(next, perform);
    current.subscribe(notifyListeners);
    notifyListeners();
  };
  let size = { columns: cols, rows };
  const look = { hasUnicode: true, hasColour: true, canAnimate: false, ...style };
  const terminal = { redraw: () => undefined, suspend: () => undefined, getSize: () => ({ ...look, ...size }) };
  const app = (
    <KeyDispatcher onKey={(event) => handleKey(store, event, terminal)}>
      <SizedTerminalStyleProvider fixedStyle={look}>
        <AppView store={store} resumeCommand="upi-wizard --dir /home/user/upi-cluster" />
      </SizedTerminalStyleProvider>
    </KeyDispatcher>
  );
  const mountedApp = await mount(app, { cols, rows });
  const lines = () => mountedApp.lines().map(removeEdges);
  return {
    ...mountedApp,
    lines,
    screen: () => lines().join('\n'),
    frame: mountedApp.lines,
    resize(columns, lines) {
      size = { columns, rows: lines };
      return mountedApp.resize(columns, lines);
    },
    store,
    effects,
    async setState(next) {
      replaceStore(next);
      await mountedApp.waitUntilDrawn();
    },
  };
}

/** Removes the left and the right edge from a row inside the frame. */
const removeEdges = (line: string) => line.replace(/^[│|](.*)[│|▐#]$/u, ' $1').trimEnd();
