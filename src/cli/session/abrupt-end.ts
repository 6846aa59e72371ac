import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Marks that a wizard uses the terminal, until it has given the terminal back. Call this while holding the lock of the
 * install directory.
 * @returns `wasAbrupt`: the last wizard never gave it back (it was killed, or the machine went down); `end` removes the
 * mark
 */
export function markTerminalInUse(dir: string): { readonly wasAbrupt: boolean; readonly end: () => void } {
  const markFile = join(dir, '.upi-wizard', 'terminal');
  const wasAbrupt = existsSync(markFile);
  const end = () => {
    process.off('exit', end);
    try {
      rmSync(markFile, { force: true });
    } catch {
      // Then the next start reports an abrupt end that did not happen.
    }
  };
  try {
    writeFileSync(markFile, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // A full disk is reported when the answers are saved.
  }
  process.once('exit', end);
  return { wasAbrupt, end };
}
