import { readFileSync } from 'node:fs';

/**
 * Stops the whole job, as the shell expects it of Ctrl-Z; resolves when it goes on. Who listens to SIGTSTP does not meanwhile:
 * a signal with a listener stops nothing. The timer also keeps the process alive, since its input is let go.
 */
export function stopProcess(): Promise<void> {
  const listeners = process.listeners('SIGTSTP');
  process.removeAllListeners('SIGTSTP');
  return new Promise((resolve) => {
    const goOn = () => {
      clearTimeout(timer);
      process.off('SIGCONT', goOn);
      for (const listener of listeners) process.on('SIGTSTP', listener);
      resolve();
    };
    const timer = setTimeout(goOn, STOP_MS);
    process.once('SIGCONT', goOn);
    process.kill(0, 'SIGTSTP');
  });
}

/** How long to wait for the stop to take effect, where it never does in spite of `canBeContinued`. */
const STOP_MS = 200;

/**
 * Whether somebody is there to continue a stopped job: a process of our session outside of our process group (a shell), as the
 * kernel has it. It stops no group without one, and giving the terminal away for nothing would lose keys.
 */
export function canBeContinued(): boolean {
  try {
    const own = placeOf('self');
    for (let { parent } = own; parent > 1; ) {
      const above = placeOf(String(parent));
      if (above.session !== own.session) return false;
      if (above.group !== own.group) return true;
      parent = above.parent;
    }
  } catch {
    // Where processes cannot be seen, the timer above decides.
    return true;
  }
  return false;
}

/** proc_pid_stat(5): the name in parentheses may hold anything. */
function placeOf(pid: string): { readonly parent: number; readonly group: number; readonly session: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [, parent, group, session] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: parent ?? 0, group: group ?? 0, session: session ?? 0 };
}
