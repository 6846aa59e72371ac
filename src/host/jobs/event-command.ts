import type { ChildProcess } from 'node:child_process';
import { describeSystemError } from '../../i18n/user-error.ts';
import { type Clock, SECOND } from '../../platform/clock.ts';

/** Outcome of an event command of the user. `reason`: the error of the system. */
type CommandOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'not-started'; readonly reason: string };

/** Output beyond this is read and dropped (characters). */
const MAX_OUTPUT_LENGTH = 16 * 1024;
/** Maximum wait from SIGTERM to SIGKILL, and from the exit to the end of the output (ms of the clock). */
const GRACE_PERIOD_MS = 2 * SECOND;

/**
 * Runs a command of the user with `sh -c`, in a process group of its own, without input. After `timeoutMs` (ms of the
 * clock) the whole group is ended. Never throws.
 * @returns the outcome, and the output of both streams (not sanitized)
 */
export async function runEventCommand(options: {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Aborted when the caller stops waiting: the command continues on its own, and its outcome is `done`. */
  readonly detachSignal: AbortSignal;
}): Promise<{ readonly outcome: CommandOutcome; readonly output: string }> {
  const { command, cwd, env, clock, timeoutMs, detachSignal } = options;
  // Imported on use: most runs raise no event.
  const { spawn } = await import('node:child_process');
  let output = '';
  const completion = new AbortController();
  try {
    const child = spawn('/bin/sh', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (output.length < MAX_OUTPUT_LENGTH) output += text;
      });
    }
    const [exit, close] = [waitForExit(child), waitForClose(child)];
    detachSignal.addEventListener('abort', () => detachChild(child, completion), { once: true });
    const timeout = clock.sleep(timeoutMs, completion.signal).then(
      () => true,
      () => false,
    );
    const exitOrTimeout = await Promise.race([exit, timeout]);
    if (exitOrTimeout === false) return { outcome: { kind: 'done' }, output };
    if (exitOrTimeout !== true) {
      // Background processes of the command may hold the streams open forever.
      await Promise.race([close, clock.sleep(GRACE_PERIOD_MS, completion.signal)]);
      return { outcome: exitOrTimeout, output };
    }
    signalGroup(child, 'SIGTERM');
    await Promise.race([exit, clock.sleep(GRACE_PERIOD_MS, completion.signal)]);
    signalGroup(child, 'SIGKILL');
    return { outcome: { kind: 'timed-out' }, output };
  } catch (error) {
    return { outcome: { kind: 'not-started', reason: describeSystemError(error, 'run') }, output };
  } finally {
    completion.abort();
  }
}

function detachChild(child: ChildProcess, completion: AbortController): void {
  child.unref();
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  completion.abort();
}

function waitForExit(child: ChildProcess): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'not-started', reason: describeSystemError(error, 'run') }));
    child.once('exit', (code, signal) => {
      if (signal !== null) resolve({ kind: 'signal', signal });
      else resolve(code === 0 ? { kind: 'done' } : { kind: 'code', code: code ?? 1 });
    });
  });
}

function waitForClose(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve());
  });
}

function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The process has already ended.
  }
}
