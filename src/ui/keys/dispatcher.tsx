import { useFocusManager, useInput, usePaste } from 'ink';
import { type ReactNode, useEffect } from 'react';
import type { KeyEvent } from '../../wizard/typing/key-event.ts';
import { createPasteEvent, parseKeyInput } from './key-event.ts';

export interface KeyDispatcherProps {
  /**
   * Called once per key, synchronously and in order. It must apply the event to the store before it returns: the next
   * key of a burst follows at once, before anything is drawn.
   */
  readonly onKey: (event: KeyEvent) => void;
  readonly children?: ReactNode;
}

/** Renders the only listener of the keyboard: mount it once, around everything. It draws nothing. */
export function KeyDispatcher({ onKey, children }: KeyDispatcherProps) {
  const { disableFocus } = useFocusManager();
  // Ink's own focus moves on Tab and Esc and would conflict with the wizard's.
  useEffect(disableFocus, [disableFocus]);
  useInput((input, key) => {
    for (const event of parseKeyInput(input, key)) onKey(event);
  });
  usePaste((text) => onKey(createPasteEvent(text)));
  return <>{children}</>;
}
