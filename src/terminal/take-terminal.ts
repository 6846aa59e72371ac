import { type CompactStream, compactOutput, makeNonBlocking } from './output-stream.ts';

/** The terminal, taken over before Ink is loaded. */
export interface TakenTerminal {
  /** Ink draws on this stream, which writes only what changed. */
  readonly output: CompactStream;
  /** Shows lines from the top left corner of the alternate screen, with their styles. */
  readonly show: (lines: readonly string[]) => void;
  /** Sets the function that redraws the screen when a blocked terminal accepts output again. */
  readonly setRedraw: (redraw: () => void) => void;
  /**
   * Stops listening for stop signals (SIGTSTP), which are then left to the caller; returns true if one arrived before.
   */
  readonly releaseStopSignals: () => boolean;
}

/** Enters the alternate screen and hides the cursor. */
const ENTER_SCREEN_WITHOUT_CURSOR = '\u001b[?1049h\u001b[?25l';

/** Takes the keyboard and the streams of the terminal. Keys wait until something reads them. */
export function takeTerminal(hasUnicode: () => boolean): TakenTerminal {
  // Ink's cursor library writes to stderr at the end.
  for (const stream of [process.stdout, process.stderr]) makeNonBlocking(stream);
  let redraw = () => {};
  let wasStopped = false;
  const onStop = () => {
    wasStopped = true;
  };
  const output = compactOutput(process.stdout, { hasUnicode, onDrain: () => redraw() });
  // This comes before the first frame: a stop may follow as soon as the frame is visible, and the echo of keys would
  // scroll it.
  process.on('SIGTSTP', onStop);
  if (process.stdin.isTTY) process.stdin.setRawMode(true);
  return {
    output,
    show: (lines) => {
      const rows = lines.map((line, index) => `\u001b[${index + 1};1H${line}`);
      output.stream.write(`${ENTER_SCREEN_WITHOUT_CURSOR}${rows.join('')}`);
    },
    setRedraw: (newRedraw) => {
      redraw = newRedraw;
    },
    releaseStopSignals: () => {
      process.off('SIGTSTP', onStop);
      return wasStopped;
    },
  };
}

/** Returns the size of the standard output; 80x24 for a stream without a size, such as a pipe. */
export const getOutputSize = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 });
