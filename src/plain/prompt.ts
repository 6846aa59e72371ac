import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Intent } from '../wizard/intents.ts';

/** The effect of selecting a menu item. */
type MenuAction =
  | { readonly kind: 'dispatch'; readonly intents: readonly Intent[] }
  | { readonly kind: 'print'; readonly lines: () => readonly string[] }
  /** Opens another menu to select from. */
  | { readonly kind: 'pick'; readonly items: () => readonly MenuItem[]; readonly hasNoDefault?: boolean }
  /** Continues as before. */
  | { readonly kind: 'nothing' };

/** An entry of a menu. */
export interface MenuItem {
  readonly label: string;
  /** The key of this action on the full screens; null if it has none. */
  readonly letter: string | null;
  readonly action: MenuAction;
}

/** A menu to choose from. */
export interface MenuPrompt {
  readonly kind: 'menu';
  readonly title: readonly string[];
  readonly items: readonly MenuItem[];
  /** The user asked for this list: all of it is printed, however long it is. */
  readonly isRequested?: boolean;
  /** Enter selects nothing: each choice removes something. */
  readonly hasNoDefault?: boolean;
}

/** The next request for input. */
export type Prompt =
  /** Something runs: no input is needed. Enter opens the menu. */
  | { readonly kind: 'wait'; readonly message: string | null }
  | MenuPrompt
  /** A text to type; `accept` turns it into intents. */
  | {
      readonly kind: 'text';
      /** Identifies the question. A new one has its introduction printed. */
      readonly id: string;
      readonly intro: readonly string[];
      readonly promptText: string;
      readonly accept: (text: string) => PromptResult;
    };

/** The result of an input: intents, or lines to print before the same question is asked again. */
export type PromptResult = { readonly intents: readonly Intent[] } | { readonly lines: readonly string[] };

/**
 * Lines of the input, in order. They are queued until they are taken: a whole scenario may come in one write, most of
 * which readline's own question() would lose.
 */
export interface LineInput {
  /** Resolves when a line is available or the input has ended. */
  readonly waitForLine: () => Promise<void>;
  /** Takes the next line from the queue; null if none is available. */
  readonly takeLine: () => string | null;
  /** Empties the queue; whether it had lines. */
  readonly discardLines: () => boolean;
  /** Whether the input has ended and every line was taken. */
  readonly hasEnded: () => boolean;
  readonly close: () => void;
}

/** Reads lines without editing them: screen readers and serial consoles rely on the terminal's own line editing. */
export function createLineInput(input: Readable): LineInput {
  const lines: string[] = [];
  const waiters = new Set<() => void>();
  let hasEnded = false;
  const wake = () => {
    for (const notify of waiters) notify();
    waiters.clear();
  };
  const reader = createInterface({ input, terminal: false });
  reader.on('line', (line) => {
    lines.push(line);
    wake();
  });
  reader.on('close', () => {
    hasEnded = true;
    wake();
  });
  return {
    waitForLine: () =>
      lines.length > 0 || hasEnded ? Promise.resolve() : new Promise<void>((resolve) => void waiters.add(resolve)),
    takeLine: () => lines.shift() ?? null,
    discardLines: () => lines.splice(0).length > 0,
    hasEnded: () => hasEnded && lines.length === 0,
    close: () => reader.close(),
  };
}
