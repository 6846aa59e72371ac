import { useSyncExternalStore } from 'react';
import { catalogue } from '../../src/text/catalogue.ts';
import { LETTERS } from '../../src/text/letters.ts';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import { resolveKey } from '../../src/ui/keys/keymap.ts';
import type { Viewed } from '../../src/wizard/front-end.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import type { KeyEvent } from '../../src/wizard/typing/key-event.ts';
import { AppView } from './app.tsx';
import { Opening } from './opening.tsx';

const words = () => catalogue().holder;

type End = 'quit' | 'interrupt' | 'take-over';

const bindings = (): Binding<End>[] => [
  { keys: [LETTERS.close, 'escape'], label: words().viewer.leave, intent: 'quit' },
  { keys: ['ctrl-c'], label: words().viewer.leave, intent: 'interrupt', hidden: true },
  { keys: [LETTERS.takeOver], label: words().viewer.takeOver, intent: 'take-over' },
];

/** The session of another as it is drawn here, at the size of this terminal; no key reaches that session. */
export function startViewer({ who, follow }: Viewed) {
  let state: WizardState | null = null;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const ending = new AbortController();
  let end: (how: End) => void = () => undefined;
  const ended = new Promise<End>((resolve) => {
    end = resolve;
  });
  const followed = follow((next) => {
    state = next;
    for (const listener of listeners) listener();
  }, ending.signal);
  return {
    tree: <ViewerView who={who} subscribe={subscribe} get={() => state} />,
    onKey(event: KeyEvent) {
      const resolution = resolveKey(bindings(), event);
      if (resolution.kind === 'intent') end(resolution.intent);
    },
    async ended(): Promise<End | 'ended'> {
      const how = await Promise.race([ended, followed.then(() => 'ended' as const)]);
      ending.abort();
      return how;
    },
  };
}

interface ViewerViewProps {
  readonly who: string;
  readonly subscribe: (listener: () => void) => () => void;
  readonly get: () => WizardState | null;
}

function ViewerView({ who, subscribe, get }: ViewerViewProps) {
  const state = useSyncExternalStore(subscribe, get);
  if (state === null) return <Opening dir={null} isRehearsal={false} />;
  const store = { getState: () => state, subscribe: () => () => undefined };
  return <AppView store={store} resumeCommand="" viewer={{ bindings: bindings(), note: words().viewer.note(who) }} />;
}
