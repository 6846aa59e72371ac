import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Notes that a wizard has the terminal, until it has given it back. Call it while the install directory is ours.
 * @returns whether the last one never did (it was killed, or the machine went down), and what ends the note
 */
export function noteTerminal(dir: string): { readonly wasAbrupt: boolean; readonly end: () => void } {
  const note = join(dir, '.upi-wizard', 'terminal');
  const wasAbrupt = existsSync(note);
  const end = () => {
    process.off('exit', end);
    try {
      rmSync(note, { force: true });
    } catch {
      // Then the next start says more than it has to.
    }
  };
  try {
    writeFileSync(note, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // A full disk is told where answers are saved.
  }
  process.once('exit', end);
  return { wasAbrupt, end };
}
