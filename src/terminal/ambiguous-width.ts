import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configHome } from '../ports/home.ts';
import { makeDirectory } from '../ports/make-directory.ts';

/**
 * Signs such as the ellipsis take one cell on most terminals, and two on those that are set up for Chinese, Japanese or Korean
 * (East Asian Width "ambiguous", https://www.unicode.org/reports/tr11/). Only the terminal knows.
 */
export type AmbiguousWidth = 'narrow' | 'wide';

/**
 * Asks a terminal in raw mode whose first cell is blank: writes such a sign there, asks where the cursor is now, and puts the
 * blank and the cursor back. The answer (CSI row ; column R) comes with the keys, or never.
 */
export const WIDTH_QUESTION = '\u001b7\u001b[1;1H\u2026\u001b[6n\u001b[1;1H \u001b8';

/** What the reported column says; null for a report that answers something else. */
export function widthOfReport(column: number): AmbiguousWidth | null {
  if (column === 2) return 'narrow';
  return column === 3 ? 'wide' : null;
}

type Environment = Readonly<Record<string, string | undefined>>;

const MOST = 50;

/** What this terminal answered the last time; null when it never did. */
export function rememberedWidth(env: Environment): AmbiguousWidth | null {
  return known(env)[nameOf(env)] ?? null;
}

/** Remembers an answer for the first frame of the next start. A home that cannot be written costs nothing but that. */
export function rememberWidth(env: Environment, width: AmbiguousWidth): void {
  const name = nameOf(env);
  const { [name]: before, ...others } = known(env);
  if (before === width) return;
  const file = fileOf(env);
  const text = JSON.stringify(Object.fromEntries([...Object.entries(others).slice(1 - MOST), [name, width]]), null, 2);
  try {
    makeDirectory(dirname(file));
    writeFileSync(`${file}.${process.pid}`, `${text}\n`, { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next start asks again.
  }
}

/** The kind of terminal, the program that draws it, and the machine that it is on. */
function nameOf(env: Environment): string {
  const [client = ''] = (env.SSH_CONNECTION ?? '').split(' ');
  return [env.TERM ?? '', env.TERM_PROGRAM ?? '', client || 'local'].join(' ');
}

function known(env: Environment): Record<string, AmbiguousWidth> {
  try {
    const saved: unknown = JSON.parse(readFileSync(fileOf(env), 'utf8'));
    const entries = typeof saved === 'object' && saved !== null ? Object.entries(saved) : [];
    return Object.fromEntries(entries.filter((entry) => entry[1] === 'narrow' || entry[1] === 'wide'));
  } catch {
    return {};
  }
}

/** A file of its own: the library behind the other preferences would cost the first frame. */
function fileOf(env: Environment): string {
  return join(configHome(env), 'upi-wizard', 'terminals.json');
}
