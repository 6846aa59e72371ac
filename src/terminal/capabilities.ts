/** What the terminal that we talk to can do. */
export interface Capabilities {
  /** Both ends are terminals: a person can be asked with the full-screen wizard. */
  readonly isInteractive: boolean;
  /** Cannot move its cursor: only plain lines are of use. */
  readonly isDumb: boolean;
  readonly hasUnicode: boolean;
  readonly hasColour: boolean;
  /** False over lines where each frame is costly. */
  readonly canAnimate: boolean;
  readonly columns: number;
  readonly rows: number;
}

interface StreamFacts {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

const FALLBACK = { columns: 80, rows: 24 };
/** Terminals on serial lines. */
const SLOW = /^(?:vt\d+|ansi|linux-16color)$/;

/**
 * Reads the capabilities from the environment and the streams, without touching either.
 * Unicode needs a UTF-8 locale (LC_ALL, else LC_CTYPE, else LANG) and a terminal with the glyphs, which the Linux console
 * has not. Colour honours NO_COLOR (https://no-color.org) and FORCE_COLOR=0.
 */
export function capabilitiesOf(
  env: Readonly<Record<string, string | undefined>>,
  stdin: StreamFacts,
  stdout: StreamFacts,
): Capabilities {
  const term = env.TERM ?? '';
  const isDumb = term === '' || term === 'dumb';
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true;
  return {
    isInteractive,
    isDumb,
    hasUnicode: isUtf8(env) && term !== 'linux' && !isDumb,
    hasColour: isInteractive && !isDumb && !env.NO_COLOR && env.FORCE_COLOR !== '0',
    canAnimate: isInteractive && !isDumb && !SLOW.test(term),
    ...sizeOf(stdout),
  };
}

/** What keeps programs running when the connection to the terminal is lost; null: nothing, as far as the environment says. */
export function multiplexerOf(env: Readonly<Record<string, string | undefined>>): 'tmux' | 'screen' | null {
  return env.TMUX ? 'tmux' : env.STY ? 'screen' : null;
}

/** The terminal comes over SSH, where a lost connection ends what runs in it. */
export function isRemote(env: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(env.SSH_CONNECTION || env.SSH_TTY);
}

/** The person reads by ear or by touch (`ACCESSIBLE`, as other terminal programs know it): nothing may be drawn again. */
export function isAccessible(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.ACCESSIBLE ?? '') !== '' && env.ACCESSIBLE !== '0';
}

/** Columns and rows of a terminal; 80×24 where it does not know (serial consoles say 0×0). */
export function sizeOf({ columns, rows }: StreamFacts): { readonly columns: number; readonly rows: number } {
  return columns && rows ? { columns, rows } : FALLBACK;
}

function isUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}
