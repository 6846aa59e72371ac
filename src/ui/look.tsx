import { useWindowSize } from 'ink';
import { createContext, type ReactNode, useContext } from 'react';

/** What the terminal can show, and how large it is now. */
export interface Look {
  readonly hasUnicode: boolean;
  readonly hasColour: boolean;
  /** False where each frame is costly (serial lines) or read aloud: spinners stand still. */
  readonly canAnimate: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** The room a component may fill, in cells. */
export interface Area {
  readonly columns: number;
  readonly rows: number;
}

const LookContext = createContext<Look>({
  hasUnicode: false,
  hasColour: false,
  canAnimate: false,
  columns: 80,
  rows: 24,
});
const AreaContext = createContext<Area | null>(null);

export function LookProvider({ look, children }: { readonly look: Look; readonly children: ReactNode }) {
  return <LookContext value={look}>{children}</LookContext>;
}

export type FixedLook = Omit<Look, 'columns' | 'rows'>;

/** Provides the look with the current size of the terminal, and redraws the tree when the size changes. */
export function TerminalLook({ look, children }: { readonly look: FixedLook; readonly children: ReactNode }) {
  const { columns, rows } = useWindowSize();
  const { hasUnicode, hasColour, canAnimate } = look;
  return <LookProvider look={{ hasUnicode, hasColour, canAnimate, columns, rows }}>{children}</LookProvider>;
}

/** Tells what is inside how many cells are its own; frames and boxes do so for their body. */
export function AreaProvider({ area, children }: { readonly area: Area; readonly children: ReactNode }) {
  return <AreaContext value={area}>{children}</AreaContext>;
}

/** What the terminal can show. Outside of any provider: no colour, ASCII, 80x24. */
export function useLook(): Look {
  return useContext(LookContext);
}

/** The room inside the nearest frame or box; the whole terminal outside of any. */
export function useArea(): Area {
  const look = useLook();
  return useContext(AreaContext) ?? { columns: look.columns, rows: look.rows };
}
