import { getTerminalSize } from '../terminal/capabilities.ts';
import { canBeResumed, stopProcess } from '../terminal/job-control.ts';

/** A terminal that shows one screenful, in place, until it is closed. */
export interface WatchScreen {
  /**
   * Draws the lines if `key` differs from the last one, and again when the window changes.
   * @param renderLines returns at most as many lines as there are rows, none longer than the
   *   columns
   */
  readonly draw: (renderLines: (size: { columns: number; rows: number }) => readonly string[], key: string) => void;
  /** Restores the terminal; the last screen stays above the prompt. */
  readonly close: () => void;
}

const ENTER_ALTERNATE_SCREEN = '\u001b[?1049h\u001b[?25l';
const LEAVE_ALTERNATE_SCREEN = '\u001b[?25h\u001b[?1049l';

/**
 * Takes over the terminal, with its alternate screen.
 * @param onEnd called with the exit code: 0 for `q`, 130 for Ctrl-C, 129 if the terminal is gone
 */
export function openWatchScreen(onEnd: (code: number) => void): WatchScreen {
  const { stdin, stdout } = process;
  let frame: { readonly key: string; readonly renderLines: Parameters<WatchScreen['draw']>[0] } | null = null;
  let isActive = false;
  const getSize = () => getTerminalSize(stdout);
  const paint = () => {
    if (!isActive) return;
    const lines = frame?.renderLines(getSize()) ?? [];
    stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
  };
  const onKey = (data: Buffer) => {
    const text = data.toString('latin1');
    if (text.includes('\u0003')) onEnd(130);
    else if (text.includes('\u001a')) void suspend();
    else if (text === 'q' || text === 'Q') onEnd(0);
  };
  const onTerminalLost = () => onEnd(129);
  const enter = () => {
    isActive = true;
    stdout.write(ENTER_ALTERNATE_SCREEN);
    if (stdin.isTTY) {
      stdin.setRawMode(true);
      stdin.on('data', onKey);
      stdin.resume();
    }
    paint();
  };
  const leave = () => {
    if (!isActive) return;
    isActive = false;
    if (stdin.isTTY) {
      stdin.setRawMode(false);
      stdin.off('data', onKey);
      stdin.pause();
    }
    stdout.write(LEAVE_ALTERNATE_SCREEN);
  };
  const suspend = async () => {
    if (!isActive || !canBeResumed()) return;
    leave();
    await stopProcess();
    enter();
  };
  const onSuspend = () => void suspend();
  enter();
  stdout.on('resize', paint);
  stdin.on('end', onTerminalLost);
  for (const stream of [stdin, stdout]) stream.on('error', onTerminalLost);
  process.on('SIGTSTP', onSuspend);
  // Restores the terminal however the process ends, even after an internal error.
  process.once('exit', leave);
  return {
    draw(renderLines, key) {
      const isNew = key !== frame?.key;
      frame = { key, renderLines };
      if (isNew) paint();
    },
    close() {
      stdout.off('resize', paint);
      process.off('SIGTSTP', onSuspend);
      process.off('exit', leave);
      leave();
      const lastLines = frame?.renderLines(getSize()).slice(0, -2) ?? [];
      stdout.write(lastLines.map((line) => `${line}\n`).join(''));
    },
  };
}
