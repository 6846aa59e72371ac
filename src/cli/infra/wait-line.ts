import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { cutLine, type LiveIo } from '../shared/live-io.ts';

/** The line that says what a command waits for, and since when. */
export interface WaitLine {
  /** @param wait.since ms of the clock */
  show(wait: { readonly move: string; readonly why: string; readonly since: number }): void;
  /** Before any other line: the line in place goes. */
  clear(): void;
}

/** In place on a terminal; elsewhere a line when the reason is another one, and once a minute. @param now ms of the clock */
export function waitLine(
  { stderr, hasScreen, columns }: Pick<LiveIo, 'stderr' | 'hasScreen' | 'columns'>,
  now: () => number,
): WaitLine {
  let isShown = false;
  let said = { why: '', at: 0 };
  return {
    show({ move, why, since }) {
      const line = sanitizeLine(catalogue().live.infra.waiting(move, now() - since, why));
      if (hasScreen) {
        isShown = true;
        return stderr(`\r${cutLine(line, columns - 1)}\u001b[K`);
      }
      const reason = `${move} ${why}`;
      if (reason === said.why && now() - said.at < MINUTE) return;
      said = { why: reason, at: now() };
      stderr(`${line}\n`);
    },
    clear() {
      if (isShown) stderr('\r\u001b[K');
      isShown = false;
    },
  };
}
