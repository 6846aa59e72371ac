import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

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
