import { useWindowSize } from 'ink';
import { createContext, type ReactNode, useContext } from 'react';

/** Capabilities and current size of the terminal. */
export interface TerminalStyle {
  readonly hasUnicode: boolean;
  readonly hasColour: boolean;
  /** False if each frame is costly (serial lines) or read aloud: spinners do not turn. */
  readonly canAnimate: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** The size of the area that a component may fill, in cells. */
export interface Area {
  readonly columns: number;
  readonly rows: number;
}

const TerminalStyleContext = createContext<TerminalStyle>({
  hasUnicode: false,
  hasColour: false,
  canAnimate: false,
  columns: 80,
  rows: 24,
});
const AreaContext = createContext<Area | null>(null);

export function TerminalStyleProvider({
  style,
  children,
}: {
  readonly style: TerminalStyle;
  readonly children: ReactNode;
}) {
  return <TerminalStyleContext value={style}>{children}</TerminalStyleContext>;
}

type FixedTerminalStyle = Omit<TerminalStyle, 'columns' | 'rows'>;

/** Provides the style with the current size of the terminal, and redraws the tree when the size changes. */
export function SizedTerminalStyleProvider({
  look,
  children,
}: {
  readonly look: FixedTerminalStyle;
  readonly children: ReactNode;
}) {
  const { columns, rows } = useWindowSize();
  const { hasUnicode, hasColour, canAnimate } = look;
  return (
    <TerminalStyleProvider style={{ hasUnicode, hasColour, canAnimate, columns, rows }}>
      {children}
    </TerminalStyleProvider>
  );
}

/** Sets the area of the components inside; frames and boxes use it for their body. */
export function AreaProvider({ area, children }: { readonly area: Area; readonly children: ReactNode }) {
  return <AreaContext value={area}>{children}</AreaContext>;
}

/** Provides the style of the terminal. Outside of any provider: no colour, ASCII, 80x24. */
export function useTerminalStyle(): TerminalStyle {
  return useContext(TerminalStyleContext);
}

/** Provides the area inside the nearest frame or box; the whole terminal outside of any. */
export function useArea(): Area {
  const style = useTerminalStyle();
  return useContext(AreaContext) ?? { columns: style.columns, rows: style.rows };
}

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

interface Glyphs {
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
