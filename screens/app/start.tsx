import type { ReactNode } from 'react';
import { limitHeapGrowth } from '../../src/platform/process.ts';
import { createEffects } from '../../src/wizard/effects.ts';
import type { WizardRunOptions } from '../../src/wizard/front-end.ts';
import { deriveAttention, formatWindowTitle, NO_ATTENTION } from '../../src/wizard/navigation.ts';
import type { LeaveReason } from '../../src/wizard/state.ts';
import { createWizardStore } from '../../src/wizard/store.ts';
import type { KeyEvent } from '../../src/wizard/typing.ts';

import { AppView, handleKey, type TerminalActions } from './app.tsx';

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

/** Signals that call back a user who looks elsewhere. */
interface AttentionSignals {
  readonly setTitle: (text: string) => void;
  readonly ring: () => void;
  /** Asks the terminal to copy a text into its clipboard. */
  readonly copy: (text: string) => void;
}

/** Creates state, effects and screens, and connects them. */
export function startApp(options: WizardRunOptions, terminal: TerminalActions & AttentionSignals): RunningWizard {
  const { initial, startIntents, services, resumeCommand } = options;
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
  const store = createWizardStore(initial, effects.perform);
  effects.attach(store);
  options.onStore?.(store);
  const updateAttention = () => {
    const state = store.getState();
    const { attention: after, isNew } = deriveAttention(attention, state, services.wallClock.now());
    attention = after;
    terminal.setTitle(formatWindowTitle(state, attention));
    if (isNew) terminal.ring();
  };
  let attention = NO_ATTENTION;
  store.subscribe(updateAttention);
  for (const intent of startIntents) store.dispatch(intent);
  updateAttention();
  return {
    tree: <AppView store={store} resumeCommand={resumeCommand} />,
    onKey(event) {
      attention = { ...attention, finishedStep: null };
      handleKey(store, event, terminal);
    },
    save: () => services.save(store.getState()),
    stop: effects.stop,
    exit,
  };
}
