import { isAccessible } from '../../terminal/capabilities.ts';
import { catalogue } from '../../text/catalogue.ts';
import { proseRows } from '../../text/command-lines.ts';
import { cut, pad, widthOf, wrapBeside } from '../../text/width.ts';
import type { CommandIo } from './io.ts';

const words = () => catalogue().live;

/** The outside of a command that may take long and may have to ask. */
export interface LiveIo extends CommandIo {
  /** Asks the person at the terminal for a line (null at its end); null where there is no person. */
  readonly ask: ((prompt: string) => Promise<string | null>) | null;
  /** Aborted with an Interrupted when the person or the system ends us. */
  readonly signal: AbortSignal;
  /** The output is a terminal that can show a screen in place. */
  readonly hasScreen: boolean;
  /** How many cells a line has room for. */
  readonly columns: number;
}

/** Why we end early: the exit code of the signal. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Rows under their headings, each column as wide as its longest cell; cuts the last one at the end of the line. */
export function tableText(rows: readonly (readonly string[])[], columns: number): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => widthOf(row[index] ?? ''))));
  return rows
    .map((row) => `${cutLine(row.map((cell, index) => pad(cell, widths[index] ?? 0, '')).join('  '), columns)}\n`)
    .join('');
}

/** A line that fits into so many cells; an ellipsis says that it was longer. */
export function cutLine(text: string, columns: number): string {
  return cut(text.trimEnd(), columns, '…');
}

/**
 * A line and its newline; what continues it stands below its start. What is copied, a command or an address
 * of the web on a line of its own, is never broken: the terminal goes on with it below, and copies it whole.
 */
export function wrappedLine(line: string, columns: number): string {
  const [head = ''] = /^ */.exec(line) ?? [];
  if (/^ *(?:\$ |https?:\/\/\S+$)/.test(line)) return `${line}\n`;
  return proseRows(line.slice(head.length), head)
    .flatMap(({ text, isCommand }) => (isCommand ? [text] : wrapBeside(head, text.slice(head.length), columns)))
    .map((text) => `${text}\n`)
    .join('');
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * The outside of a live command in a process: its terminal, and its signals.
 * @param isWatching it goes on until a signal ends it, in an orderly way
 * @param isActing it changes something: the first signal lets it finish what is under way, the second ends it at once.
 *   The first one ends a command that only looks
 */
export function processIo(io: CommandIo, isActing: boolean, isWatching = false): LiveIo {
  const ending = new AbortController();
  for (const name of isActing || isWatching ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : []) {
    process.once(name, () => {
      if (isActing) io.stderr(`${words().stopping}\n`);
      ending.abort(new Interrupted(SIGNALS[name]));
    });
  }
  if (isActing) {
    // Nobody reads any more: like a hang-up. What is under way is finished, and what it says then reaches nobody.
    // (A log on a full disk is another matter: a job runs on without it.)
    const lost = ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || code === 'EIO') ending.abort(new Interrupted(SIGNALS.SIGHUP));
    };
    for (const stream of [process.stdout, process.stderr]) stream.on('error', lost);
  }
  const isPerson = process.stdin.isTTY && process.stderr.isTTY;
  // Without line editing of its own, so that Ctrl-C stays a signal.
  const ask = async (prompt: string) => {
    // Loaded only to ask: most looks ask nobody.
    const { createInterface } = await import('node:readline/promises');
    const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    try {
      const ended = new Promise<null>((done) => reader.once('close', () => done(null)));
      return await Promise.race([reader.question(prompt, { signal: ending.signal }), ended]);
    } finally {
      reader.close();
    }
  };
  const hasScreen = process.stdout.isTTY === true && process.env.TERM !== 'dumb' && !isAccessible(io.env);
  // A terminal without a set size (ssh -tt from a script) reports 0.
  const columns = process.stdout.columns || 160;
  return { ...io, ask: isPerson ? ask : null, signal: ending.signal, hasScreen, columns };
}
