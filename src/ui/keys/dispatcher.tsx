import { useFocusManager, useInput, usePaste } from 'ink';
import { type ReactNode, useEffect } from 'react';
import type { KeyEvent } from '../../wizard/typing/key-event.ts';
import { eventOfPaste, eventsOfInput } from './key-event.ts';

export interface KeyDispatcherProps {
  /**
   * Called once per key, synchronously, in order: it must apply the event to the store before it returns, because the next
   * one of a burst follows at once, before anything is drawn.
   */
  readonly onKey: (event: KeyEvent) => void;
  readonly children?: ReactNode;
}

/** The only place that listens to the keyboard: mount it once, around everything. It draws nothing. */
export function KeyDispatcher({ onKey, children }: KeyDispatcherProps) {
  const { disableFocus } = useFocusManager();
  // Ink's own focus moves at Tab and Esc and would fight with the wizard's.
  useEffect(disableFocus, [disableFocus]);
  useInput((input, key) => {
    for (const event of eventsOfInput(input, key)) onKey(event);
  });
  usePaste((text) => onKey(eventOfPaste(text)));
  return <>{children}</>;
}
