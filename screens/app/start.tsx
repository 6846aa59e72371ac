import type { ReactNode } from 'react';
import { keepHeapSmall } from '../../src/ports/small-heap.ts';
import { attentionAfter, CALM, titleOf } from '../../src/wizard/attention.ts';
import { createEffects } from '../../src/wizard/effects.ts';
import type { WizardStart } from '../../src/wizard/front-end.ts';
import type { Leaving } from '../../src/wizard/state.ts';
import { createWizardStore } from '../../src/wizard/store.ts';
import type { KeyEvent } from '../../src/wizard/typing/key-event.ts';
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

/** How a person who looks elsewhere is called back. */
interface Calls {
  readonly setTitle: (text: string) => void;
  readonly ring: () => void;
  /** Asks the terminal to take a text into its clipboard. */
  readonly copy: (text: string) => void;
}

/** Puts state, effects and screens together. */
export function startApp(options: WizardStart, terminal: TerminalActions & Calls): RunningWizard {
  const { initial, start, services, resumeCommand } = options;
  keepHeapSmall();
  let end: (how: Leaving) => void = () => undefined;
  const ended = new Promise<Leaving>((resolve) => {
    end = resolve;
  });
  const effects = createEffects({ ...services, leave: (how) => end(how), random: Math.random, copy: terminal.copy });
  const store = createWizardStore(initial, effects.perform);
  effects.attach(store);
  options.onStore?.(store);
  const call = () => {
    const state = store.getState();
    const { attention: after, isNew } = attentionAfter(attention, state, services.wallClock.now());
    attention = after;
    terminal.setTitle(titleOf(state, attention));
    if (isNew) terminal.ring();
  };
  let attention = CALM;
  store.subscribe(call);
  for (const intent of start) store.dispatch(intent);
  call();
  return {
    tree: <AppView store={store} resumeCommand={resumeCommand} />,
    onKey(event) {
      attention = { ...attention, called: null };
      handleKey(store, event, terminal);
    },
    save: () => services.save(store.getState()),
    stop: effects.stop,
    ended,
  };
}
