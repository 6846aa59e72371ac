import { useSyncExternalStore } from 'react';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import { type Binding, resolveKey } from '../../src/ui/keys.tsx';
import type { ViewedSession } from '../../src/wizard/front-end.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import type { KeyEvent } from '../../src/wizard/typing.ts';

import { AppView } from './app.tsx';
import { StartupFrame } from './startup-frame.tsx';

const words = () => catalogue().holder;

type ViewerExit = 'quit' | 'interrupt' | 'take-over';

const getBindings = (): Binding<ViewerExit>[] => [
  { keys: [SHORTCUTS.close, 'escape'], label: words().viewer.leave, intent: 'quit' },
  { keys: ['ctrl-c'], label: words().viewer.leave, intent: 'interrupt', hidden: true },
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
  const followTask = follow((next) => {
    state = next;
    for (const listener of listeners) listener();
  }, abort.signal);
  return {
    tree: <ViewerView holder={holder} subscribe={subscribe} get={() => state} />,
    onKey(event: KeyEvent) {
      const resolution = resolveKey(getBindings(), event);
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
  if (state === null) return <StartupFrame dir={null} isRehearsal={false} />;
  const store = { getState: () => state, subscribe: () => () => undefined };
  return (
    <AppView store={store} resumeCommand="" viewer={{ bindings: getBindings(), note: words().viewer.note(holder) }} />
  );
}
