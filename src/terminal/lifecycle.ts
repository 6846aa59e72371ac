import { isatty } from 'node:tty';
import { catalogue } from '../i18n/catalogue.ts';
import { wrapMessages } from '../i18n/prose.ts';
import { sanitize } from '../platform/sanitize.ts';
import { MOUSE_OFF } from './input-stream.ts';
import { writeFinalOutput } from './output-stream.ts';

const words = () => catalogue().ui;

/** Why the program ends. */
type EndReason =
  | { readonly kind: 'quit' }
  | { readonly kind: 'signal'; readonly signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM' }
  /** The terminal is gone: closed window, lost connection. */
  | { readonly kind: 'terminal-lost' }
  | { readonly kind: 'crash'; readonly error: unknown };

interface LifecycleOptions {
  /** Saves synchronously what must survive: the process ends afterwards. */
  readonly save: () => void;
  /** Aborted when the program ends. */
  readonly abortController: AbortController;
  /** The command that continues this session. */
  readonly resumeCommand: string;
  /** The path of the log; null: no log. */
  readonly logPath: string | null;
  /** Logs a crash to `logPath`. Must not throw. */
  readonly log?: (error: unknown) => void;
  /** Lines for the terminal after a quit or a signal, if it still accepts output. */
  readonly describeExit?: () => readonly string[];
  /** Returns further sequences that restore the terminal; called once. */
  readonly restoreSequences?: () => string;
  /** Input is read in lines: its end is Ctrl-D and not a lost terminal, and a prompt may be on the current line. */
  readonly isLineMode?: boolean;
}

/** The end of the process, and the apps that it unmounts. */
export interface Lifecycle {
  /** Saves, restores the terminal and ends the process with `code`. A second call has no effect. */
  end(reason: EndReason, code: number): void;
  /** Registers an app to unmount at the end. */
  attach(app: { unmount(): void }): void;
  /**
   * Forgets the apps, which have released the terminal: restoring it again would move the cursor over printed lines.
   */
  release(): void;
  /** False once writing to the terminal has failed: nothing more is written to it. */
  isTerminalAlive(): boolean;
}

/** Exit codes by convention: 128 and the signal's number. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** System errors of a terminal that is gone. */
const LOSS_CODES = new Set(['EIO', 'EPIPE', 'EBADF', 'ENXIO', 'ECONNRESET']);

/**
 * Ends a sequence that was cut (output that Node.js still buffers is lost) and a synchronized update. Then: mouse off,
 * kitty keyboard off (before leaving the alternate screen), bracketed paste off, main screen, cursor on, plain colours.
 */
const RESTORE_SEQUENCE = `\u001b\\\u001b[?2026l${MOUSE_OFF}\u001b[<u\u001b[?2004l\u001b[?1049l\u001b[?25h\u001b[0m`;

/**
 * Interval at which the terminal is polled. A hang-up does not always arrive as a signal: a reparented process gets
 * none.
 */
const POLL_INTERVAL_MS = 5_000;

/**
 * Installs the handlers that control how the process ends. Call it before anything is drawn: without listeners on the
 * streams, a lost connection ends the process with an uncaught EIO before anything is saved. Ink leaves signals to this
 * module, which has listeners for them.
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
    try {
      if (reason.kind === 'crash') options.log?.(reason.error);
      options.abortController.abort();
      // Without an app on the terminal, no sequences are needed: a dumb terminal would print them.
      if (isAlive && apps.length > 0) restoreTerminal(apps, options.restoreSequences?.() ?? '');
      if (isAlive) printLines([...(options.isLineMode ? [''] : []), ...formatExitLines(options, reason, isSaved)]);
    } catch (error) {
      options.log?.(error);
    } finally {
      // Whatever fails at the end, the process must not keep running.
      process.exit(code);
    }
  };
  const onTerminalLost = () => {
    isAlive = false;
    end({ kind: 'terminal-lost' }, SIGNAL_CODES.SIGHUP);
  };
  const onError = (error: unknown) => (isTerminalLoss(error) ? onTerminalLost() : end({ kind: 'crash', error }, 1));

  for (const stream of [process.stdout, process.stderr, process.stdin]) stream.on('error', onError);
  if (!options.isLineMode) process.stdin.on('end', onTerminalLost);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => end({ kind: 'signal', signal }, SIGNAL_CODES[signal]));
  }
  process.on('uncaughtException', onError);
  // An operation that this process aborted itself is no crash.
  process.on('unhandledRejection', (error) => (isAbort(error) ? options.log?.(error) : onError(error)));
  pollTerminal(onTerminalLost);

  return { end, attach: (app) => apps.push(app), release: () => apps.splice(0), isTerminalAlive: () => isAlive };
}

/** Polls the terminal in real time, not in that of the clock: the terminal is real in a rehearsal, too. */
function pollTerminal(onLoss: () => void): void {
  if (!isatty(0)) return;
  setInterval(() => {
    if (!isatty(0)) onLoss();
  }, POLL_INTERVAL_MS).unref();
}

function isTerminalLoss(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOSS_CODES.has(String(error.code));
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
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

function restoreTerminal(apps: readonly { unmount(): void }[], sequences: string): void {
  for (const app of apps) {
    try {
      app.unmount();
    } catch {
      // The app itself failed; the sequence below restores the rest.
    }
  }
  try {
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
    if (isatty(1)) writeFinalOutput(1, `${RESTORE_SEQUENCE}${sequences}`);
  } catch {
    // The terminal disappeared meanwhile: nothing is left to restore.
  }
}

function formatExitLines(options: LifecycleOptions, reason: EndReason, isSaved: boolean): readonly string[] {
  const { resumeCommand, logPath } = options;
  switch (reason.kind) {
    case 'quit':
    case 'terminal-lost':
      return isSaved ? (options.describeExit?.() ?? []) : words().notSavedLines(resumeCommand);
    case 'signal':
      return words().exitLines({ reason: words().signalReason(reason.signal), isSaved, resumeCommand, logPath });
    case 'crash': {
      const { error } = reason;
      const what = error instanceof Error ? error.message : String(error);
      return words().exitLines({
        reason: words().internalErrorReason(sanitize(what, 500)),
        isSaved,
        resumeCommand,
        logPath,
      });
    }
  }
}

function printLines(lines: readonly string[]): void {
  const { isTTY, columns } = process.stderr;
  const text = lines.join('\n');
  if (lines.length > 0) writeFinalOutput(2, `${isTTY ? wrapMessages(text, columns || 80) : text}\n`);
}
