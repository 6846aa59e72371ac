import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import { limitHeapGrowth } from '../../src/platform/memory.ts';
import { type Binding, resolveKey } from '../../src/rows/bindings.ts';
import { DrawnRows } from '../../src/ui/rows.tsx';
import { formatWindowTitle, NO_LONG_WAITS, updateLongWaits } from '../../src/wizard/bell-and-title.ts';
import { createEffects } from '../../src/wizard/effects.ts';
import type { ViewedSession, WizardRunOptions } from '../../src/wizard/front-end.ts';
import { createNotifier } from '../../src/wizard/live/notifications.ts';
import type { LeaveReason, WizardState } from '../../src/wizard/state.ts';
import { createWizardStore, type WizardStore } from '../../src/wizard/store.ts';
import type { KeyEvent } from '../../src/wizard/text-input.ts';
import { type AppOptions, appRows, handleKey, recordDrawnState, type TerminalActions } from './app.ts';
import { startupRows } from './startup-frame.ts';

interface AppViewProps extends AppOptions {
  readonly store: Pick<WizardStore, 'getState' | 'subscribe'>;
}

/** Draws the state of the wizard. */
export function AppView({ store, ...options }: AppViewProps) {
  const state = useSyncExternalStore(store.subscribe, store.getState);
  useEffect(() => recordDrawnState(state), [state]);
  return <DrawnRows draw={(terminal) => appRows(state, terminal, options)} />;
}

/** The running wizard: its view, its key handler, and its end. */
export interface RunningWizard {
  readonly tree: ReactNode;
  readonly onKey: (event: KeyEvent) => void;
  /** Saves synchronously. */
  readonly save: () => void;
  /** Stops probing and aborts running actions. */
  readonly stop: () => void;
  readonly exit: Promise<LeaveReason>;
}

/** Functions of the terminal that alert a user who is looking elsewhere, and that copy to the clipboard. */
interface AlertFunctions {
  readonly setTitle: (text: string) => void;
  readonly ring: () => void;
  /** Shows a desktop notification when the wizard needs the user; null unless the user requested notifications. */
  readonly notify: ((text: string) => void) | null;
  /** Asks the terminal to copy a text into its clipboard. */
  readonly copy: (text: string) => void;
}

/** Creates state, effects and screens, and connects them. */
export function startApp(options: WizardRunOptions, terminal: TerminalActions & AlertFunctions): RunningWizard {
  const { initialState, startIntents, services, resumeCommand } = options;
  limitHeapGrowth();
  let resolveExit: (leaveReason: LeaveReason) => void = () => undefined;
  const exit = new Promise<LeaveReason>((resolve) => {
    resolveExit = resolve;
  });
  const effects = createEffects({
    ...services,
    leave: (leaveReason) => resolveExit(leaveReason),
    random: Math.random,
    copy: terminal.copy,
  });
  const store = createWizardStore(initialState, effects.perform);
  effects.attach(store);
  options.onStoreReady?.(store);
  const notifier = terminal.notify === null ? null : createNotifier(terminal.notify);
  let lastState = store.getState();
  const updateAlerts = () => {
    const state = store.getState();
    const isNotified = notifier?.notifyOfChanges(lastState, state) ?? false;
    lastState = state;
    const { longWaits: nextWaits, shouldRing } = updateLongWaits(longWaits, state, services.wallClock.now());
    longWaits = nextWaits;
    terminal.setTitle(formatWindowTitle(state, longWaits));
    // A notification already rings the bell.
    if (shouldRing && !isNotified) terminal.ring();
  };
  let longWaits = NO_LONG_WAITS;
  store.subscribe(updateAlerts);
  for (const intent of startIntents) store.dispatch(intent);
  updateAlerts();
  return {
    tree: <AppView store={store} resumeCommand={resumeCommand} />,
    onKey(event) {
      longWaits = { ...longWaits, finishedStep: null };
      handleKey(store, event, terminal);
    },
    save: () => services.save(store.getState()),
    stop: effects.stop,
    exit,
  };
}

const words = () => catalogue().holder;

type ViewerExit = 'quit' | 'interrupt' | 'take-over';

const createViewerBindings = (): Binding<ViewerExit>[] => [
  { keys: [SHORTCUTS.close, 'escape'], label: words().viewer.leave, intent: 'quit' },
  { keys: ['ctrl-c'], label: words().viewer.leave, intent: 'interrupt', isHidden: true },
  { keys: [SHORTCUTS.takeOver], label: words().viewer.takeOver, intent: 'take-over' },
];

/** Shows another session at the size of this terminal; no key reaches that session. */
export function startViewer({ holder, follow }: ViewedSession) {
  let state: WizardState | null = null;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const abort = new AbortController();
  let resolveExit: (reason: ViewerExit) => void = () => undefined;
  const exit = new Promise<ViewerExit>((resolve) => {
    resolveExit = resolve;
  });
  const followTask = follow((newState) => {
    state = newState;
    for (const listener of listeners) listener();
  }, abort.signal);
  return {
    tree: <ViewerView holder={holder} subscribe={subscribe} get={() => state} />,
    onKey(event: KeyEvent) {
      const resolution = resolveKey(createViewerBindings(), event);
      if (resolution.kind === 'intent') resolveExit(resolution.intent);
    },
    async waitForExit(): Promise<ViewerExit | 'ended'> {
      const reason = await Promise.race([exit, followTask.then(() => 'ended' as const)]);
      abort.abort();
      return reason;
    },
  };
}

interface ViewerViewProps {
  readonly holder: string;
  readonly subscribe: (listener: () => void) => () => void;
  readonly get: () => WizardState | null;
}

function ViewerView({ holder, subscribe, get }: ViewerViewProps) {
  const state = useSyncExternalStore(subscribe, get);
  if (state === null)
    return <DrawnRows draw={(terminal) => startupRows({ dir: null, isRehearsal: false }, terminal)} />;
  const store = { getState: () => state, subscribe: () => () => undefined };
  return (
    <AppView
      store={store}
      resumeCommand=""
      viewer={{ bindings: createViewerBindings(), note: words().viewer.note(holder) }}
    />
  );
}
