import type { ColourDepth } from '../platform/theme.ts';

/** The size of a terminal, and its capabilities. */
export interface TerminalCapabilities {
  /** Input and output are terminals: the full-screen wizard can be used. */
  readonly isInteractive: boolean;
  /** The cursor cannot be moved: only plain lines work. */
  readonly isDumb: boolean;
  readonly hasUnicode: boolean;
  readonly hasColour: boolean;
  readonly depth: ColourDepth;
  /** A text can be a link (OSC 8). */
  readonly hasLinks: boolean;
  /** The screen may change often: false on serial lines, where each frame is costly. */
  readonly canAnimate: boolean;
  readonly columns: number;
  readonly rows: number;
}

interface StreamProperties {
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
  stdin: StreamProperties,
  stdout: StreamProperties,
): TerminalCapabilities {
  const term = env.TERM ?? '';
  const isDumb = term === '' || term === 'dumb';
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true;
  const hasColour = isInteractive && !isDumb && !env.NO_COLOR && env.FORCE_COLOR !== '0';
  return {
    isInteractive,
    isDumb,
    hasUnicode: isUtf8(env) && term !== 'linux' && !isDumb,
    hasColour,
    depth: detectColourDepth(env),
    hasLinks: hasColour && supportsLinks(env),
    canAnimate: isInteractive && !isDumb && !SERIAL_TERMS.test(term),
    ...getTerminalSize(stdout),
  };
}

/** Terminals that show a link, or ignore the control string and show its text alone. */
const LINK_TERMS = /^(?:xterm|alacritty|foot|kitty|wezterm|ghostty|contour|konsole|gnome|vte|tmux|screen)/;
/** tmux shows links since 3.4, and reports its version (TERM_PROGRAM_VERSION) since 3.2. */
const TMUX_WITH_LINKS = [3, 4] as const;

/** Whether links (OSC 8) reach the terminal. In a tmux of an unknown version and in GNU screen, they do not. */
function supportsLinks(env: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM = '', TERM_PROGRAM, TERM_PROGRAM_VERSION = '', TMUX, STY } = env;
  if (!LINK_TERMS.test(TERM) || STY) return false;
  if (!TMUX && !/^(?:tmux|screen)/.test(TERM)) return true;
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(TERM_PROGRAM_VERSION) ?? [];
  const [minMajor, minMinor] = TMUX_WITH_LINKS;
  const isRecent = Number(major) > minMajor || (Number(major) === minMajor && Number(minor) >= minMinor);
  return TERM_PROGRAM === 'tmux' && isRecent;
}

/** Terminals with 24-bit colours that only their name shows over SSH, which does not forward COLORTERM. */
const TRUECOLOR_TERMS = /^(?:xterm-(?:kitty|ghostty|direct)|alacritty|foot|wezterm|contour)/;

function detectColourDepth({ COLORTERM = '', TERM = '' }: Readonly<Record<string, string | undefined>>): ColourDepth {
  if (/^(?:truecolor|24bit)$/i.test(COLORTERM) || TRUECOLOR_TERMS.test(TERM)) return 'truecolor';
  return TERM.includes('256color') ? '256' : '16';
}

/**
 * Detects the multiplexer that keeps programs running when the connection to the terminal is lost; null: none in the
 * environment.
 */
export function detectMultiplexer(env: Readonly<Record<string, string | undefined>>): 'tmux' | 'screen' | null {
  return env.TMUX ? 'tmux' : env.STY ? 'screen' : null;
}

/** Whether the terminal is connected over SSH: a lost connection ends the programs that run in it. */
export function isSshSession(env: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(env.SSH_CONNECTION || env.SSH_TTY);
}

/**
 * Whether the user uses a screen reader or a braille display (`ACCESSIBLE`, as in other terminal programs): nothing may
 * be redrawn.
 */
export function isAccessibleMode(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.ACCESSIBLE ?? '') !== '' && env.ACCESSIBLE !== '0';
}

/** Returns the columns and rows of a terminal; 80x24 if it does not report them (serial consoles report 0x0). */
export function getTerminalSize({ columns, rows }: StreamProperties): {
  readonly columns: number;
  readonly rows: number;
} {
  return columns && rows ? { columns, rows } : FALLBACK_SIZE;
}

function isUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}
