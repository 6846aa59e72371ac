/** Meanings of colours; what they look like is decided here alone. */
export type Tone = 'text' | 'dim' | 'accent' | 'ok' | 'warn' | 'error' | 'border' | 'focus';

interface Style {
  readonly color?: string;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
}

const STYLES: Readonly<Record<Tone, Style>> = {
  text: {},
  dim: { dimColor: true },
  accent: { color: 'cyan' },
  ok: { color: 'green' },
  warn: { color: 'yellow' },
  error: { color: 'red' },
  border: { dimColor: true },
  focus: { color: 'cyan', bold: true },
};

/** The style of a tone as properties of Ink's Text; nothing without colour, since meaning never hangs on it. */
export function styleOf(tone: Tone, hasColour: boolean): Style {
  return hasColour ? STYLES[tone] : {};
}

export interface Glyphs {
  readonly ok: string;
  readonly warning: string;
  readonly failed: string;
  readonly pending: string;
  readonly running: string;
  readonly unknown: string;
  readonly skipped: string;
  readonly info: string;
  /** The row or field that has the focus. */
  readonly pointer: string;
  readonly done: string;
  readonly problem: string;
  readonly ellipsis: string;
  readonly mask: string;
  readonly barFull: string;
  readonly barEmpty: string;
  readonly spinner: readonly string[];
}

// Where a terminal draws characters of ambiguous width, such as the ellipsis, in two cells, the ASCII ones are taken.
const UNICODE: Glyphs = {
  ok: '✔',
  warning: '!',
  failed: '✖',
  pending: '◦',
  running: '▸',
  unknown: '?',
  skipped: '-',
  info: 'i',
  pointer: '▸',
  done: '✔',
  problem: '!',
  ellipsis: '…',
  mask: '*',
  barFull: '#',
  barEmpty: '.',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

const ASCII: Glyphs = {
  ok: '[OK]',
  warning: '[!]',
  failed: '[X]',
  pending: '[ ]',
  running: '[>]',
  unknown: '[?]',
  skipped: '[-]',
  info: '[i]',
  pointer: '>',
  done: '+',
  problem: '!',
  ellipsis: '~',
  mask: '*',
  barFull: '#',
  barEmpty: '.',
  spinner: ['|', '/', '-', '\\'],
};

/** The signs that this terminal can draw. */
export function glyphs({ hasUnicode }: { readonly hasUnicode: boolean }): Glyphs {
  return hasUnicode ? UNICODE : ASCII;
}
