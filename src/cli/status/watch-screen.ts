import { sizeOf } from '../../terminal/capabilities.ts';
import { canBeContinued, stopProcess } from '../../terminal/stop.ts';

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

/** @param end called with the exit code for `q` (0) and Ctrl-C (130), and 129 when the terminal is gone */
export function openWatchScreen(end: (code: number) => void): WatchScreen {
  const { stdin, stdout } = process;
  let drawn: { readonly key: string; readonly lines: Parameters<WatchScreen['draw']>[0] } | null = null;
  let isOurs = false;
  const size = () => sizeOf(stdout);
  const paint = () => {
    if (!isOurs) return;
    const lines = drawn?.lines(size()) ?? [];
    stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
  };
  const onKey = (data: Buffer) => {
    const text = data.toString('latin1');
    if (text.includes('\u0003')) end(130);
    else if (text.includes('\u001a')) void stop();
    else if (text === 'q' || text === 'Q') end(0);
  };
  const lost = () => end(129);
  const take = () => {
    isOurs = true;
    stdout.write(ENTER);
    if (stdin.isTTY) {
      stdin.setRawMode(true);
      stdin.on('data', onKey);
      stdin.resume();
    }
    paint();
  };
  const give = () => {
    if (!isOurs) return;
    isOurs = false;
    if (stdin.isTTY) {
      stdin.setRawMode(false);
      stdin.off('data', onKey);
      stdin.pause();
    }
    stdout.write(LEAVE);
  };
  const stop = async () => {
    if (!isOurs || !canBeContinued()) return;
    give();
    await stopProcess();
    take();
  };
  const onStop = () => void stop();
  take();
  stdout.on('resize', paint);
  stdin.on('end', lost);
  for (const stream of [stdin, stdout]) stream.on('error', lost);
  process.on('SIGTSTP', onStop);
  // However the process ends, a fault of ours included.
  process.once('exit', give);
  return {
    draw(lines, key) {
      const isNew = key !== drawn?.key;
      drawn = { key, lines };
      if (isNew) paint();
    },
    close() {
      stdout.off('resize', paint);
      process.off('SIGTSTP', onStop);
      process.off('exit', give);
      give();
      const last = drawn?.lines(size()).slice(0, -2) ?? [];
      stdout.write(last.map((line) => `${line}\n`).join(''));
    },
  };
}
