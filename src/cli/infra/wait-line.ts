import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { type LiveIo, truncateLine } from '../shared/live-io.ts';

/** The line that shows why and since when a command waits. */
export interface WaitLine {
  /** @param wait.since ms of the clock */
  show(wait: { readonly move: string; readonly why: string; readonly since: number }): void;
  /** Removes the line. Call this before any other output. */
  clear(): void;
}

/**
 * Updates the line in place on a terminal. Otherwise prints a line when the reason changes, and once a minute.
 * @param now ms of the clock
 */
export function createWaitLine(
  { stderr, hasScreen, columns }: Pick<LiveIo, 'stderr' | 'hasScreen' | 'columns'>,
  now: () => number,
): WaitLine {
  let isShown = false;
  let lastPrinted = { why: '', at: 0 };
  return {
    show({ move, why, since }) {
      const line = sanitizeLine(catalogue().live.infra.waiting(move, now() - since, why));
      if (hasScreen) {
        isShown = true;
        return stderr(`\r${truncateLine(line, columns - 1)}\u001b[K`);
      }
      const reason = `${move} ${why}`;
      if (reason === lastPrinted.why && now() - lastPrinted.at < MINUTE) return;
      lastPrinted = { why: reason, at: now() };
      stderr(`${line}\n`);
    },
    clear() {
      if (isShown) stderr('\r\u001b[K');
      isShown = false;
    },
  };
}
