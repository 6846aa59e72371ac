import { spawn } from 'node:child_process';
import { getDisplayWidth } from '../../platform/text.ts';
import { getTerminalSize, isAccessibleMode } from '../../terminal/capabilities.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The exit codes of a shell whose program is missing, or cannot run. */
const NOT_STARTED_EXIT_CODES = [126, 127];

/**
 * Returns the command of the pager: `PAGER`, else `less`. Null if there is none: the output is no terminal, the
 * terminal cannot move its cursor, the user uses a screen reader, or `PAGER` is empty or `cat`.
 */
export function findPager(env: Environment, stdout: { readonly isTTY?: boolean }): string | null {
  const pager = (env.PAGER ?? 'less').trim();
  const isDumb = env.TERM === undefined || env.TERM === '' || env.TERM === 'dumb';
  return stdout.isTTY !== true || isDumb || isAccessibleMode(env) || pager === '' || pager === 'cat' ? null : pager;
}

/** Whether a text takes more lines than the terminal has. A line that is wider than the terminal takes several. */
export function isLongerThanScreen(
  text: string,
  stdout: { readonly columns?: number; readonly rows?: number },
): boolean {
  const { columns, rows } = getTerminalSize(stdout);
  // The prompt of the shell needs a line too.
  let freeRows = rows - 1;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    freeRows -= Math.max(1, Math.ceil(getDisplayWidth(line) / columns));
    if (freeRows < 0) return true;
  }
  return false;
}

/**
 * Shows a text in the pager, and waits until the user leaves it.
 * @param pager a command for the shell, as in other programs
 * @returns false if the pager did not start: the text is still to be shown
 */
export async function showInPager(text: string, pager: string, env: Environment): Promise<boolean> {
  // As in git: with these options, less leaves the text on the screen and keeps colours.
  const child = spawn('/bin/sh', ['-c', pager], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...env, LESS: env.LESS ?? 'FRX' },
  });
  // Ctrl-C also reaches the pager, which only ends its current action: this process must not end before the pager.
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  try {
    return await new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false));
      child.once('close', (code) => resolve(code === null || !NOT_STARTED_EXIT_CODES.includes(code)));
      // The user may leave before the end of the text.
      child.stdin.on('error', ignore);
      child.stdin.end(text);
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}
