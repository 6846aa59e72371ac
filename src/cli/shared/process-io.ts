import { catalogue } from '../../i18n/catalogue.ts';
import { formatProse } from '../../i18n/prose.ts';
import { redact } from '../../platform/secrets.ts';
import { truncate, wrapBeside } from '../../platform/text.ts';
import type { InspectionInput } from '../../steps/doctor.ts';
import { detectCapabilities, detectMultiplexer, isAccessibleMode, isSshSession } from '../../terminal/capabilities.ts';
import type { CommandIo } from './io.ts';

const words = () => catalogue().clusterCommands;

/**
 * The style of the output on a terminal: symbols beside words, and long cells on several lines. Without a style, as in
 * a pipe, a row is one line of words.
 */
export interface OutputStyle {
  readonly hasUnicode: boolean;
}

/** Input and output of a command that may take long and may have to ask. */
export interface ProcessIo extends CommandIo {
  /** Asks the user at the terminal for a line; the result is null at the end of the input. Null without a terminal. */
  readonly ask: ((prompt: string) => Promise<string | null>) | null;
  /** Aborted with an InterruptedError when the user or the system ends the command. */
  readonly signal: AbortSignal;
  /** The output is a terminal on which a screen can be redrawn. */
  readonly canRedraw: boolean;
  /**
   * Writes text with control sequences to the terminal of the messages. Absent without one that can be redrawn.
   * @param text sanitized, except for the control sequences
   */
  readonly redraw?: (text: string) => void;
  /**
   * Style of tables on a terminal. Absent if the output is no terminal: a table row is then one line, without status
   * signs.
   */
  readonly style?: OutputStyle;
  /** Width of a line, in columns. */
  readonly columns: number;
}

/** The abort reason if a signal ends the command early, with its exit code. */
export class InterruptedError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Truncates a line to `columns`, with an ellipsis if it was longer. */
export function truncateLine(text: string, columns: number): string {
  return truncate(text.trimEnd(), columns, '…');
}

/**
 * Wraps a line, with its continuation lines at the same indentation, and adds a newline to each. A command or web
 * address on its own line is never broken, so that it can be copied whole.
 */
export function wrapLine(line: string, columns: number): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  if (/^ *(?:\$ |https?:\/\/\S+$)/.test(line)) return `${line}\n`;
  return formatProse(line.slice(indent.length), indent)
    .flatMap(({ text, isCommand }) => (isCommand ? [text] : wrapBeside(indent, text.slice(indent.length), columns)))
    .map((text) => `${text}\n`)
    .join('');
}

const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Creates the input and output of a command in a process: its terminal and its signals.
 * @param mode `acting`: the command changes something. The first signal lets it finish the current action, the second
 * ends it at once. `watching`: a signal aborts the command, which then exits cleanly. Omitted: the first signal ends
 * the process
 */
export function createProcessIo(io: CommandIo, mode?: 'acting' | 'watching'): ProcessIo {
  const controller = new AbortController();
  const isActing = mode === 'acting';
  for (const name of mode === undefined ? [] : (['SIGINT', 'SIGTERM', 'SIGHUP'] as const)) {
    process.once(name, () => {
      if (isActing) io.stderr(`${words().stopping}\n`);
      controller.abort(new InterruptedError(SIGNAL_EXIT_CODES[name]));
    });
  }
  if (isActing) {
    // Lost output is treated as a hang-up: the current action is finished, and its output is lost. (A log on a full
    // disk is different: a job continues without it.)
    const onOutputError = ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || code === 'EIO') controller.abort(new InterruptedError(SIGNAL_EXIT_CODES.SIGHUP));
    };
    for (const stream of [process.stdout, process.stderr]) stream.on('error', onOutputError);
  }
  const isInteractive = process.stdin.isTTY && process.stderr.isTTY;
  // Without line editing, so that Ctrl-C stays a signal.
  const ask = async (prompt: string) => {
    // Loaded only to ask: most commands never do.
    const { createInterface } = await import('node:readline/promises');
    const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    try {
      const endOfInput = new Promise<null>((done) => reader.once('close', () => done(null)));
      return await Promise.race([reader.question(prompt, { signal: controller.signal }), endOfInput]);
    } finally {
      reader.close();
    }
  };
  const canMoveCursor = process.env.TERM !== 'dumb' && !isAccessibleMode(io.env);
  const canRedraw = process.stdout.isTTY === true && canMoveCursor;
  // A terminal without a set size (ssh -tt from a script) reports 0.
  const columns = process.stdout.columns || 160;
  const { hasUnicode } = detectCapabilities(io.env, process.stdin, process.stdout);
  return {
    ...io,
    ask: isInteractive ? ask : null,
    signal: controller.signal,
    canRedraw,
    ...(process.stderr.isTTY && canMoveCursor ? { redraw: (text) => void process.stderr.write(redact(text)) } : {}),
    columns,
    ...(process.stdout.isTTY ? { style: { hasUnicode } } : {}),
  };
}

/** Returns the properties of the terminal for the inspection of this machine. */
export function getTerminalProperties(env: CommandIo['env']): InspectionInput['terminal'] {
  const { isInteractive, columns, rows, hasUnicode, hasColour } = detectCapabilities(
    env,
    process.stdin,
    process.stdout,
  );
  return {
    isTerminal: isInteractive,
    term: env.TERM ?? '',
    columns,
    rows,
    hasUnicode,
    hasColour,
    multiplexer: detectMultiplexer(env),
    isRemote: isSshSession(env),
  };
}
