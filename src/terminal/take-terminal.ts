import { type CompactStream, compactOutput, makeNonBlocking } from './output-stream.ts';

/** The terminal, taken before the library that draws on it is loaded. */
export interface TakenTerminal {
  /** The library draws on this stream, which leaves out what the terminal shows already. */
  readonly output: CompactStream;
  /** Shows lines from the top left corner of the alternate screen, with their styles. */
  readonly show: (lines: readonly string[]) => void;
  /** Sets the function that redraws the screen when a blocked terminal accepts output again. */
  readonly setRedraw: (redraw: () => void) => void;
  /** Gives stop signals (SIGTSTP) to the caller; returns true if one arrived meanwhile. */
  readonly releaseStop: () => boolean;
}

/** Enters the alternate screen and hides the cursor. */
const ENTER_ALTERNATE_SCREEN = '\u001b[?1049h\u001b[?25l';

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
  // Before the first frame: a stop may follow as soon as it is visible, and keys typed before would scroll it.
  process.on('SIGTSTP', onStop);
  if (process.stdin.isTTY) process.stdin.setRawMode(true);
  return {
    output,
    show: (lines) => {
      const rows = lines.map((line, index) => `\u001b[${index + 1};1H${line}`);
      output.stream.write(`${ENTER_ALTERNATE_SCREEN}${rows.join('')}`);
    },
    setRedraw: (next) => {
      redraw = next;
    },
    releaseStop: () => {
      process.off('SIGTSTP', onStop);
      return wasStopped;
    },
  };
}

/** Returns the size of the standard output; 80x24 for a stream without a size, such as a pipe. */
export const getOutputSize = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 });
