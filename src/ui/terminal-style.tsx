import { useWindowSize } from 'ink';
import { createContext, type ReactNode, useContext } from 'react';
import type { Background, ColourDepth } from '../platform/theme.ts';

/** Capabilities and current size of the terminal. */
export interface TerminalStyle {
  readonly hasUnicode: boolean;
  readonly hasColour: boolean;
  /** The colours that it can draw; 16 by default. */
  readonly depth?: ColourDepth;
  /** The brightness of its background; dark by default. */
  readonly background?: Background;
  /** Whether a text can be a link (OSC 8). */
  readonly hasLinks?: boolean;
  /** False if each frame is costly (serial lines) or read aloud: spinners do not turn. */
  readonly canAnimate: boolean;
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

/** Provides a fixed style and size of the terminal. */
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
  fixedStyle,
  children,
}: {
  readonly fixedStyle: FixedTerminalStyle;
  readonly children: ReactNode;
}) {
  const { columns, rows } = useWindowSize();
  return <TerminalStyleProvider style={{ ...fixedStyle, columns, rows }}>{children}</TerminalStyleProvider>;
}

/** Returns the style of the terminal. Outside of any provider: no colour, ASCII, 80x24. */
export function useTerminalStyle(): TerminalStyle {
  return useContext(TerminalStyleContext);
}
