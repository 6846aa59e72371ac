import { isatty } from 'node:tty';
import { catalogue } from '../text/catalogue.ts';
import { sanitize } from '../text/sanitize.ts';
import { writeLast } from './last-words.ts';
import { MOUSE_OFF } from './mouse.ts';

const words = () => catalogue().ui;

/** Why the program ends. */
export type EndReason =
  | { readonly kind: 'quit' }
  | { readonly kind: 'signal'; readonly signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM' }
  /** The terminal is gone: closed window, dropped line. */
  | { readonly kind: 'terminal-lost' }
  | { readonly kind: 'crash'; readonly error: unknown };

export interface LifecycleOptions {
  /** Saves what must survive, synchronously: after it the process ends. */
  readonly save: () => void;
  /** Aborted when the program ends. */
  readonly abort: AbortController;
  /** The command that goes on with this session. */
  readonly resumeCommand: string;
  /** The path of the log; null: no log. */
  readonly logPath: string | null;
  /** Notes a crash where `logPath` is. Must not throw. */
  readonly log?: (error: unknown) => void;
  /** Said on the terminal after a quit or a signal, when it still listens. */
  readonly farewell?: () => readonly string[];
  /** What else gives the terminal back: sequences, asked for once. */
  readonly restoring?: () => string;
  /** Lines are read: the end of the input is Ctrl-D and not the end of the terminal, and a question may stand on the line. */
  readonly readsLines?: boolean;
}

export interface Lifecycle {
  /** Saves, gives the terminal back and ends the process with `code`. The second call does nothing. */
  end(reason: EndReason, code: number): void;
  /** What has to be unmounted on the way out. */
  attach(app: { unmount(): void }): void;
  /** False once writing to the terminal failed: we write to it no more. */
  isTerminalAlive(): boolean;
}

/** Exit codes of the outer interface: 128 and the signal's number. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const LOST = new Set(['EIO', 'EPIPE', 'EBADF', 'ENXIO', 'ECONNRESET']);

/** Mouse off, kitty keyboard off (before leaving the other screen), bracketed paste off, first screen, cursor on, plain colours. */
const RESTORE = `${MOUSE_OFF}\u001b[<u\u001b[?2004l\u001b[?1049l\u001b[?25h\u001b[0m`;

/** A hang-up does not always come as a signal (a process that was reparented gets none). */
const POLL_MS = 5_000;

/**
 * Takes charge of how the process ends. Call it before anything is drawn: without listeners on the streams, a dropped line
 * kills the process with an uncaught EIO before anything is saved. Ink leaves signals to us since we listen to them.
 */
export function installLifecycle(options: LifecycleOptions): Lifecycle {
  const apps: { unmount(): void }[] = [];
  let isEnding = false;
  let isAlive = true;

  const end = (reason: EndReason, code: number): void => {
    if (isEnding) return;
    isEnding = true;
    if (reason.kind === 'terminal-lost') isAlive = false;
    const isSaved = trySave(options);
    if (reason.kind === 'crash') options.log?.(reason.error);
    options.abort.abort();
    // A terminal that nobody took needs no sequences: a dumb one would print them.
    if (isAlive && apps.length > 0) giveTerminalBack(apps, options.restoring?.() ?? '');
    if (isAlive) say([...(options.readsLines ? [''] : []), ...lastWords(options, reason, isSaved)]);
    process.exit(code);
  };
  const lost = () => {
    isAlive = false;
    end({ kind: 'terminal-lost' }, SIGNAL_CODES.SIGHUP);
  };
  const failed = (error: unknown) => (isLoss(error) ? lost() : end({ kind: 'crash', error }, 1));

  for (const stream of [process.stdout, process.stderr, process.stdin]) stream.on('error', failed);
  if (!options.readsLines) process.stdin.on('end', lost);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => end({ kind: 'signal', signal }, SIGNAL_CODES[signal]));
  }
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  pollTerminal(lost);

  return { end, attach: (app) => apps.push(app), isTerminalAlive: () => isAlive };
}

/** The terminal is a thing of the real world, so this is real time, not the clock's. */
function pollTerminal(lost: () => void): void {
  if (!isatty(0)) return;
  setInterval(() => {
    if (!isatty(0)) lost();
  }, POLL_MS).unref();
}

function isLoss(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOST.has(String(error.code));
}

function trySave({ save, log }: LifecycleOptions): boolean {
  try {
    save();
    return true;
  } catch (error) {
    log?.(error);
    return false;
  }
}

function giveTerminalBack(apps: readonly { unmount(): void }[], more: string): void {
  for (const app of apps) {
    try {
      app.unmount();
    } catch {
      // It was the app that failed; the sequence below restores what it could not.
    }
  }
  try {
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
    if (isatty(1)) writeLast(1, `${RESTORE}${more}`);
  } catch {
    // The terminal went away just now: there is nothing left to restore.
  }
}

function lastWords(options: LifecycleOptions, reason: EndReason, isSaved: boolean): readonly string[] {
  const { resumeCommand: resume, logPath: log } = options;
  switch (reason.kind) {
    case 'quit':
    case 'terminal-lost':
      return isSaved ? (options.farewell?.() ?? []) : words().notKept(resume);
    case 'signal':
      return words().ended({ what: words().bySignal(reason.signal), isSaved, resume, log });
    case 'crash': {
      const { error } = reason;
      const what = error instanceof Error ? error.message : String(error);
      return words().ended({ what: words().byFault(sanitize(what, 500)), isSaved, resume, log });
    }
  }
}

function say(lines: readonly string[]): void {
  if (lines.length > 0) writeLast(2, `${lines.join('\n')}\n`);
}
