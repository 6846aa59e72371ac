import type { ChildProcess } from 'node:child_process';
import { type Clock, SECOND } from '../../ports/clock.ts';
import { systemReason } from '../../text/system-reason.ts';

/** How a command of the user's ended. `why`: the error of the system. */
export type CommandEnd =
  | { readonly how: 'done' }
  | { readonly how: 'code'; readonly code: number }
  | { readonly how: 'signal'; readonly signal: string }
  | { readonly how: 'late' }
  | { readonly how: 'not-started'; readonly why: string };

/** Of what it prints, so much is kept (bytes); the rest is read and dropped. */
const KEPT = 16 * 1024;
/** From SIGTERM to SIGKILL, and from its end to the end of what it printed (ms of the clock). */
const GRACE = 2 * SECOND;

/**
 * Runs a command of the user's with `sh -c`, in a process group of its own, without input. It ends after `limit` (ms of the
 * clock) with all of its group. Never throws.
 * @returns how it ended, and what it printed, both streams (as it came: not safe to show)
 */
export async function runEventCommand(options: {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly limit: number;
  /** Nobody waits for it any more: it goes on alone. */
  readonly left: AbortSignal;
}): Promise<{ readonly end: CommandEnd; readonly output: string }> {
  const { command, cwd, env, clock, limit, left } = options;
  // Loaded when something happens: most runs raise nothing.
  const { spawn } = await import('node:child_process');
  let output = '';
  const over = new AbortController();
  try {
    const child = spawn('/bin/sh', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (output.length < KEPT) output += text;
      });
    }
    const [ended, closed] = [endOf(child), closeOf(child)];
    left.addEventListener('abort', () => abandon(child, over), { once: true });
    const isLate = clock.sleep(limit, over.signal).then(
      () => true,
      () => false,
    );
    const first = await Promise.race([ended, isLate]);
    if (first === false) return { end: { how: 'done' }, output };
    if (first !== true) {
      // What it left running in the background may hold the streams for good.
      await Promise.race([closed, clock.sleep(GRACE, over.signal)]);
      return { end: first, output };
    }
    signalGroup(child, 'SIGTERM');
    await Promise.race([ended, clock.sleep(GRACE, over.signal)]);
    signalGroup(child, 'SIGKILL');
    return { end: { how: 'late' }, output };
  } catch (error) {
    return { end: { how: 'not-started', why: systemReason(error, 'run') }, output };
  } finally {
    over.abort();
  }
}

function abandon(child: ChildProcess, over: AbortController): void {
  child.unref();
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  over.abort();
}

function endOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ how: 'not-started', why: systemReason(error, 'run') }));
    child.once('exit', (code, signal) => {
      if (signal !== null) resolve({ how: 'signal', signal });
      else resolve(code === 0 ? { how: 'done' } : { how: 'code', code: code ?? 1 });
    });
  });
}

function closeOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve());
  });
}

function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It ended in between.
  }
}
