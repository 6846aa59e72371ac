import { Box, useAnimation } from 'ink';
import { catalogue } from '../../i18n/catalogue.ts';
import { type TerminalStyle, useTerminalStyle } from '../terminal-style.tsx';
import { getGlyphs } from '../theme.ts';
import { Label, Row } from './label.tsx';

const words = () => catalogue().ui;

export interface ProgressBarProps {
  readonly done: number;
  readonly total: number;
  /** Cells of the bar itself; 20 by default. */
  readonly width?: number;
  /** Shown after the bar instead of the percentage. */
  readonly label?: string;
}

/**
 * The completed share of a task.
 *
 *     [########............]  40 %
 */
export function ProgressBar({ done, total, width = 20, label }: ProgressBarProps) {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const bar = formatBar(share, width, useTerminalStyle());
  return (
    <Row>
      <Box flexShrink={0}>
        <Label tone="accent">{bar}</Label>
      </Box>
      <Label>{`  ${label ?? words().percent(share * 100)}`}</Label>
    </Row>
  );
}

/**
 * Formats a bar in brackets.
 * @param share the full part, 0 to 1
 * @param cells width without the brackets
 */
export function formatBar(share: number, cells: number, style: TerminalStyle): string {
  const signs = getGlyphs(style);
  const full = Math.floor(share * cells);
  return `[${signs.barFull.repeat(full)}${signs.barEmpty.repeat(cells - full)}]`;
}

/** Every frame has a cost: a wait of minutes advances once a second, and after its first minute every five seconds. */
const FRAME_INTERVALS_MS = { quick: 120, calm: 1000, slow: 5000 };

/** Provides the current glyph of a spinner. It does not turn where frames are costly. */
export function useSpinnerGlyph(pace: keyof typeof FRAME_INTERVALS_MS, isActive = true): string {
  const style = useTerminalStyle();
  const signs = getGlyphs(style);
  const { frame } = useAnimation({ interval: FRAME_INTERVALS_MS[pace], isActive: isActive && style.canAnimate });
  return style.canAnimate ? (signs.spinner[frame % signs.spinner.length] ?? signs.running) : signs.running;
}

/**
 * A spinner with the name of the running task.
 *
 *     ⠹ Probing the cluster
 */
export function Spinner({ label }: { readonly label: string }) {
  return <Label tone="accent">{`${useSpinnerGlyph('quick')} ${label}`}</Label>;
}
