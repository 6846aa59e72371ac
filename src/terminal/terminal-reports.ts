import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getConfigHome } from '../platform/environment.ts';
import { ensureDirectory } from '../platform/files.ts';
import type { Background } from '../platform/theme.ts';

/**
 * Cells that symbols such as the ellipsis take: one on most terminals, two on those set up for Chinese, Japanese or
 * Korean. The source is East Asian Width "ambiguous" (https://www.unicode.org/reports/tr11/). Only the terminal knows
 * which applies.
 */
type AmbiguousWidth = 'narrow' | 'wide';

/**
 * The sequence that measures an ellipsis, for a terminal in raw mode whose first cell is blank: it writes one there,
 * queries the cursor position, and restores the blank and the cursor. The response (CSI row ; column R) arrives among
 * the keys, or never.
 */
export const WIDTH_QUERY = '\u001b7\u001b[1;1H\u2026\u001b[6n\u001b[1;1H \u001b8';

/** Returns the width that a reported column means; null for a report about something else. */
export function parseWidthReport(column: number): AmbiguousWidth | null {
  if (column === 2) return 'narrow';
  return column === 3 ? 'wide' : null;
}

/** Luma (0 to 1, of gamma-encoded values) from which a background counts as light. */
const LIGHT_THRESHOLD = 0.5;

/**
 * The sequence that queries the colour of the background (OSC 11). The response (OSC 11 ; rgb:R/G/B) arrives among the
 * keys, or never.
 */
export const BACKGROUND_QUERY = '\u001b]11;?\u001b\\';

/** Returns whether a reported colour is light or dark; null for a report that is no colour. */
export function parseBackgroundReport(colour: string): Background | null {
  const parts = /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(colour)?.slice(1);
  if (parts === undefined) return null;
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  // The weights of ITU-R BT.709: green is the brightest of the three.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue >= LIGHT_THRESHOLD ? 'light' : 'dark';
}

/** Returns the background that COLORFGBG names (`15;0`: colour 15 on colour 0), as rxvt and Konsole set it. */
export function parseColorFgBg(value: string | undefined): Background | null {
  const colour = /;(\d{1,2})$/.exec(value ?? '')?.[1];
  if (colour === undefined) return null;
  return colour === '7' || Number(colour) > 8 ? 'light' : 'dark';
}

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_TERMINALS = 50;

/** The last reports of a terminal; null: it sent none. */
interface SavedReports {
  readonly width: AmbiguousWidth | null;
  readonly background: Background | null;
}

/** Reads what this terminal reported last. */
export function readSavedReports(env: Environment): SavedReports {
  return parseReports(readReportFile(env)[formatTerminalName(env)] ?? '');
}

/** Returns the background that this terminal reported last, else the one that COLORFGBG names, else dark. */
export function detectBackground(env: Environment, { background } = readSavedReports(env)): Background {
  return background ?? parseColorFgBg(env.COLORFGBG) ?? 'dark';
}

/**
 * Saves a report for the first frame of the next start. If the home directory is not writable, the next start only
 * queries again.
 */
export function saveReport(env: Environment, report: Partial<SavedReports>): void {
  const name = formatTerminalName(env);
  const { [name]: savedText = '', ...otherReports } = readReportFile(env);
  const { width, background } = { ...parseReports(savedText), ...report };
  const newText = [width, background].filter((part) => part !== null).join(' ');
  if (savedText === newText) return;
  const file = getReportFilePath(env);
  const text = JSON.stringify(
    Object.fromEntries([...Object.entries(otherReports).slice(1 - MAX_TERMINALS), [name, newText]]),
    null,
    2,
  );
  try {
    ensureDirectory(dirname(file));
    writeFileSync(`${file}.${process.pid}`, `${text}\n`, { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next start queries the terminal again.
  }
}

/**
 * Formats the key of saved reports: the kind of terminal, its program, and the address of the SSH client, or `local`.
 */
function formatTerminalName(env: Environment): string {
  const [client = ''] = (env.SSH_CONNECTION ?? '').split(' ');
  return [env.TERM ?? '', env.TERM_PROGRAM ?? '', client || 'local'].join(' ');
}

/** Parses the reports of a terminal, such as `narrow dark`. Versions before the themes wrote the width alone. */
function parseReports(text: string): SavedReports {
  const [, width, background] = /^(narrow|wide)? ?(dark|light)?$/.exec(text) ?? [];
  return { width: (width as AmbiguousWidth) ?? null, background: (background as Background) ?? null };
}

function readReportFile(env: Environment): Record<string, string> {
  try {
    const fileContent: unknown = JSON.parse(readFileSync(getReportFilePath(env), 'utf8'));
    const entries = typeof fileContent === 'object' && fileContent !== null ? Object.entries(fileContent) : [];
    return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
  } catch {
    return {};
  }
}

/** Returns the path of a separate file: the library that reads the other preferences would delay the first frame. */
function getReportFilePath(env: Environment): string {
  return join(getConfigHome(env), 'upi-wizard', 'terminals.json');
}
