/** The meaning of a colour; only this module decides how it looks. */
export type Tone = 'text' | 'dim' | 'accent' | 'ok' | 'warn' | 'error' | 'border' | 'focus';

interface ToneStyle {
  readonly color?: string;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
}

const TONE_STYLES: Readonly<Record<Tone, ToneStyle>> = {
  text: {},
  dim: { dimColor: true },
  accent: { color: 'cyan' },
  ok: { color: 'green' },
  warn: { color: 'yellow' },
  error: { color: 'red' },
  border: { dimColor: true },
  focus: { color: 'cyan', bold: true },
};

/** Returns the style of a tone as properties of Ink's Text; empty without colour, since no meaning depends on it. */
export function getToneStyle(tone: Tone, hasColour: boolean): ToneStyle {
  return hasColour ? TONE_STYLES[tone] : {};
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

// Terminals that draw characters of ambiguous width, such as the ellipsis, in two cells get the ASCII glyphs.
const UNICODE_GLYPHS: Glyphs = {
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

const ASCII_GLYPHS: Glyphs = {
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

/** Returns the glyphs that this terminal can draw. */
export function getGlyphs({ hasUnicode }: { readonly hasUnicode: boolean }): Glyphs {
  return hasUnicode ? UNICODE_GLYPHS : ASCII_GLYPHS;
}
