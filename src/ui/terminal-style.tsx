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
  look,
  children,
}: {
  readonly look: TerminalStyle;
  readonly children: ReactNode;
}) {
  return <TerminalStyleContext value={look}>{children}</TerminalStyleContext>;
}

export type FixedTerminalStyle = Omit<TerminalStyle, 'columns' | 'rows'>;

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
    <TerminalStyleProvider look={{ hasUnicode, hasColour, canAnimate, columns, rows }}>
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
