import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configHome } from '../platform/environment.ts';
import { makeDirectory } from '../platform/files.ts';

export interface TerminalCapabilities {
  /** Input and output are terminals: the full-screen wizard can be used. */
  readonly isInteractive: boolean;
  /** The cursor cannot be moved: only plain lines work. */
  readonly isDumb: boolean;
  readonly hasUnicode: boolean;
  readonly hasColour: boolean;
  /** False on lines where each frame is costly. */
  readonly canAnimate: boolean;
  readonly columns: number;
  readonly rows: number;
}

interface StreamFacts {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

const FALLBACK_SIZE = { columns: 80, rows: 24 };
/** `TERM` of terminals on serial lines. */
const SERIAL_TERMS = /^(?:vt\d+|ansi|linux-16color)$/;

/**
 * Detects the capabilities from the environment and the streams, without touching either. Unicode needs a UTF-8 locale
 * (LC_ALL, else LC_CTYPE, else LANG) and a terminal with the glyphs, which the Linux console lacks. Colour honours
 * NO_COLOR (https://no-color.org) and FORCE_COLOR=0.
 */
export function detectCapabilities(
  env: Readonly<Record<string, string | undefined>>,
  stdin: StreamFacts,
  stdout: StreamFacts,
): TerminalCapabilities {
  const term = env.TERM ?? '';
  const isDumb = term === '' || term === 'dumb';
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true;
  return {
    isInteractive,
    isDumb,
    hasUnicode: isUtf8(env) && term !== 'linux' && !isDumb,
    hasColour: isInteractive && !isDumb && !env.NO_COLOR && env.FORCE_COLOR !== '0',
    canAnimate: isInteractive && !isDumb && !SERIAL_TERMS.test(term),
    ...getTerminalSize(stdout),
  };
}

/**
 * The multiplexer that keeps programs running when the connection to the terminal is lost; null: none in the
 * environment.
 */
export function detectMultiplexer(env: Readonly<Record<string, string | undefined>>): 'tmux' | 'screen' | null {
  return env.TMUX ? 'tmux' : env.STY ? 'screen' : null;
}

/** Whether the terminal is connected over SSH, where a lost connection ends what runs in it. */
export function isRemote(env: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(env.SSH_CONNECTION || env.SSH_TTY);
}

/** Whether the user reads by ear or by touch (`ACCESSIBLE`, as in other terminal programs): nothing may be redrawn. */
export function isAccessibleMode(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.ACCESSIBLE ?? '') !== '' && env.ACCESSIBLE !== '0';
}

/** Columns and rows of a terminal; 80x24 if it does not report them (serial consoles report 0x0). */
export function getTerminalSize({ columns, rows }: StreamFacts): { readonly columns: number; readonly rows: number } {
  return columns && rows ? { columns, rows } : FALLBACK_SIZE;
}

function isUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}

/**
 * Cells that signs such as the ellipsis take: one on most terminals, two on those set up for Chinese, Japanese or
 * Korean. The source is East Asian Width "ambiguous" (https://www.unicode.org/reports/tr11/). Only the terminal knows
 * which applies.
 */
type AmbiguousWidth = 'narrow' | 'wide';

/**
 * Queries a terminal in raw mode whose first cell is blank: writes such a sign there, queries the cursor position, and
 * restores the blank and the cursor. The response (CSI row ; column R) arrives among the keys, or never.
 */
export const WIDTH_QUERY = '\u001b7\u001b[1;1H\u2026\u001b[6n\u001b[1;1H \u001b8';

/** Returns the width that a reported column means; null for a report about something else. */
export function parseWidthReport(column: number): AmbiguousWidth | null {
  if (column === 2) return 'narrow';
  return column === 3 ? 'wide' : null;
}

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_TERMINALS = 50;

/** Reads the width that this terminal reported last; null if it never did. */
export function readSavedWidth(env: Environment): AmbiguousWidth | null {
  return readSavedWidths(env)[formatTerminalName(env)] ?? null;
}

/**
 * Saves the width for the first frame of the next start. If the home directory is not writable, the next start only
 * queries again.
 */
export function saveWidth(env: Environment, width: AmbiguousWidth): void {
  const name = formatTerminalName(env);
  const { [name]: before, ...others } = readSavedWidths(env);
  if (before === width) return;
  const file = getFilePath(env);
  const text = JSON.stringify(
    Object.fromEntries([...Object.entries(others).slice(1 - MAX_TERMINALS), [name, width]]),
    null,
    2,
  );
  try {
    makeDirectory(dirname(file));
    writeFileSync(`${file}.${process.pid}`, `${text}\n`, { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next start queries the terminal again.
  }
}

/** Returns the kind of terminal, the program that draws it, and the host that it is on. */
function formatTerminalName(env: Environment): string {
  const [client = ''] = (env.SSH_CONNECTION ?? '').split(' ');
  return [env.TERM ?? '', env.TERM_PROGRAM ?? '', client || 'local'].join(' ');
}

function readSavedWidths(env: Environment): Record<string, AmbiguousWidth> {
  try {
    const saved: unknown = JSON.parse(readFileSync(getFilePath(env), 'utf8'));
    const entries = typeof saved === 'object' && saved !== null ? Object.entries(saved) : [];
    return Object.fromEntries(entries.filter((entry) => entry[1] === 'narrow' || entry[1] === 'wide'));
  } catch {
    return {};
  }
}

/** Returns a separate file: the library behind the other preferences would delay the first frame. */
function getFilePath(env: Environment): string {
  return join(configHome(env), 'upi-wizard', 'terminals.json');
}
