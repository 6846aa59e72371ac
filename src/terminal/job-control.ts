import { readFileSync } from 'node:fs';

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

/** Timeout for a stop that never takes effect in spite of `canBeResumed`. */
const STOP_TIMEOUT_MS = 200;

/**
 * Whether a process can resume a stopped job: one of our session outside of our process group (a shell), as the kernel
 * defines it. The kernel stops no group without one, and releasing the terminal for nothing would lose keys.
 */
export function canBeResumed(): boolean {
  try {
    const own = readProcessStat('self');
    for (let { parent } = own; parent > 1; ) {
      const ancestor = readProcessStat(String(parent));
      if (ancestor.session !== own.session) return false;
      if (ancestor.group !== own.group) return true;
      parent = ancestor.parent;
    }
  } catch {
    // If processes cannot be inspected, the timer above decides.
    return true;
  }
  return false;
}

/** proc_pid_stat(5): the name in parentheses may hold anything. */
function readProcessStat(pid: string): { readonly parent: number; readonly group: number; readonly session: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [, parent, group, session] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: parent ?? 0, group: group ?? 0, session: session ?? 0 };
}
