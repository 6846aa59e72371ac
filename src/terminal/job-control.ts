import { readFileSync } from 'node:fs';

/** Timeout for a stop that never takes effect in spite of `canBeResumed`. */
const STOP_TIMEOUT_MS = 200;

/**
 * Stops the whole job, as the shell expects of Ctrl-Z; resolves when it continues. Listeners of SIGTSTP are removed
 * meanwhile: a signal with a listener stops nothing. The timer also keeps the process alive, since its input is
 * released.
 */
export function stopProcess(): Promise<void> {
  const listeners = process.listeners('SIGTSTP');
  process.removeAllListeners('SIGTSTP');
  return new Promise((resolve) => {
    const resume = () => {
      clearTimeout(timer);
      process.off('SIGCONT', resume);
      for (const listener of listeners) process.on('SIGTSTP', listener);
      resolve();
    };
    const timer = setTimeout(resume, STOP_TIMEOUT_MS);
    process.once('SIGCONT', resume);
    process.kill(0, 'SIGTSTP');
  });
}

/**
 * Creates a function that stops the job with its terminal released. A request while the screen is redrawn stops the
 * job again afterwards; an earlier request joins the stop in progress.
 * @param suspend releases the terminal during a task, takes it back and draws the screen
 * @param stopJob resolves when the job continues
 * @returns a function that resolves to true at once if another call is still stopping the job, else to false at the
 * end
 */
export function createJobStop(
  suspend: (task: () => Promise<void>) => Promise<void>,
  stopJob: () => Promise<void>,
): () => Promise<boolean> {
  let phase: 'running' | 'stopping' | 'drawing' = 'running';
  let isRequestedAgain = false;
  return async () => {
    if (phase !== 'running') {
      isRequestedAgain ||= phase === 'drawing';
      return true;
    }
    do {
      isRequestedAgain = false;
      phase = 'stopping';
      await suspend(async () => {
        await stopJob();
        phase = 'drawing';
      });
    } while (isRequestedAgain);
    phase = 'running';
    return false;
  };
}

/**
 * Whether a process can resume a stopped job: a process of this session outside of this process group (a shell), as the
 * kernel defines it. The kernel stops no group without one, and releasing the terminal for nothing would lose keys.
 */
export function canBeResumed(): boolean {
  try {
    const thisProcess = readProcessStat('self');
    for (let { parentPid } = thisProcess; parentPid > 1; ) {
      const ancestor = readProcessStat(String(parentPid));
      if (ancestor.sessionId !== thisProcess.sessionId) return false;
      if (ancestor.groupId !== thisProcess.groupId) return true;
      parentPid = ancestor.parentPid;
    }
  } catch {
    // If processes cannot be inspected, the timeout of stopProcess decides.
    return true;
  }
  return false;
}

/** Reads proc_pid_stat(5), in which the name in parentheses may hold anything. */
function readProcessStat(pid: string): {
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
} {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [, parentPid, groupId, sessionId] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parentPid: parentPid ?? 0, groupId: groupId ?? 0, sessionId: sessionId ?? 0 };
}
