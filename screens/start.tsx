import type { ReactNode } from 'react';
import { keepHeapSmall } from '../src/ports/small-heap.ts';
import { createEffects } from '../src/wizard/effects.ts';
import type { WizardStart } from '../src/wizard/front-end.ts';
import type { KeyEvent } from '../src/wizard/key-event.ts';
import type { Leaving } from '../src/wizard/state.ts';
import { createWizardStore } from '../src/wizard/store.ts';
import { AppView, handleKey, type TerminalActions } from './app.tsx';

/** The running wizard: what it draws, where keys go, and how it ends. */
export interface RunningWizard {
  readonly tree: ReactNode;
  readonly onKey: (event: KeyEvent) => void;
  /** Saves synchronously. */
  readonly save: () => void;
  /** Stops looking at the world and aborts what runs. */
  readonly stop: () => void;
  readonly ended: Promise<Leaving>;
}

/** Puts state, effects and screens together. */
export function startApp(options: WizardStart, terminal: TerminalActions): RunningWizard {
  const { initial, start, services, resumeCommand } = options;
  keepHeapSmall();
  let end: (how: Leaving) => void = () => undefined;
  const ended = new Promise<Leaving>((resolve) => {
    end = resolve;
  });
  const effects = createEffects({ ...services, leave: (how) => end(how), random: Math.random });
  const store = createWizardStore(initial, effects.perform);
  effects.attach(store);
  for (const intent of start) store.dispatch(intent);
  return {
    tree: <AppView store={store} resumeCommand={resumeCommand} />,
    onKey: (event) => handleKey(store, event, terminal),
    save: () => services.save(store.getState()),
    stop: effects.stop,
    ended,
  };
}
