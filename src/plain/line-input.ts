import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The lines that a person types, in order; they wait until somebody takes them. */
export interface LineInput {
  /** Resolves when there is a line to take, or the input has ended. */
  readonly ready: () => Promise<void>;
  /** The next line; null when there is none (any more). */
  readonly take: () => string | null;
  readonly hasEnded: () => boolean;
  readonly close: () => void;
}

/** Reads lines without editing of its own: the terminal's is what a screen reader and a serial console know. */
export function lineInput(input: Readable): LineInput {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let hasEnded = false;
  const wake = () => {
    for (const tell of waiting) tell();
    waiting.clear();
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
    ready: () =>
      lines.length > 0 || hasEnded ? Promise.resolve() : new Promise<void>((resolve) => void waiting.add(resolve)),
    take: () => lines.shift() ?? null,
    hasEnded: () => hasEnded && lines.length === 0,
    close: () => reader.close(),
  };
}
