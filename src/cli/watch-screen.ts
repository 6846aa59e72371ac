/** A terminal that shows one screenful, in place, until it is closed. */
export interface WatchScreen {
  /**
   * Draws these lines when `key` differs from the last, and again when the window changes.
   * @param lines at most as many as there are rows, none longer than the columns
   */
  readonly draw: (lines: (size: { columns: number; rows: number }) => readonly string[], key: string) => void;
  /** Gives the terminal back; the last screen stays above the prompt. */
  readonly close: () => void;
}

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';

/** @param end called with the exit code for `q` (0) and Ctrl-C (130) */
export function openWatchScreen(end: (code: number) => void): WatchScreen {
  const { stdin, stdout } = process;
  let drawn: { readonly key: string; readonly lines: Parameters<WatchScreen['draw']>[0] } | null = null;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const paint = () => {
    const lines = drawn?.lines(size()) ?? [];
    stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
  };
  const onKey = (data: Buffer) => {
    const text = data.toString('latin1');
    if (text.includes('\u0003')) end(130);
    else if (text === 'q' || text === 'Q') end(0);
  };
  stdout.write(ENTER);
  stdout.on('resize', paint);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKey);
    // A terminal that is gone ends the watching too.
    stdin.on('end', () => end(129));
    stdin.on('error', () => end(129));
    stdin.resume();
  }
  return {
    draw(lines, key) {
      const isNew = key !== drawn?.key;
      drawn = { key, lines };
      if (isNew) paint();
    },
    close() {
      stdout.off('resize', paint);
      if (stdin.isTTY) {
        stdin.setRawMode(false);
        stdin.off('data', onKey);
        stdin.pause();
      }
      const last = drawn?.lines(size()).slice(0, -2) ?? [];
      stdout.write(`${LEAVE}${last.map((line) => `${line}\n`).join('')}`);
    },
  };
}
