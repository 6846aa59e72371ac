import { Box, useAnimation } from 'ink';
import { catalogue } from '../../text/catalogue.ts';
import { type Look, useLook } from '../look.tsx';
import { glyphs } from '../theme.ts';
import { Label, Row } from './label.tsx';

const words = () => catalogue().ui;

export interface ProgressBarProps {
  readonly done: number;
  readonly total: number;
  /** Cells of the bar itself; 20 by default. */
  readonly width?: number;
  /** Said after it instead of the percentage. */
  readonly label?: string;
}

/**
 * How much of something is done.
 *
 *     [########............]  40 %
 */
export function ProgressBar({ done, total, width = 20, label }: ProgressBarProps) {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const bar = barText(share, width, useLook());
  return (
    <Row>
      <Box flexShrink={0}>
        <Label tone="accent">{bar}</Label>
      </Box>
      <Label>{`  ${label ?? words().percent(share * 100)}`}</Label>
    </Row>
  );
}

/** A bar of so many cells and its brackets, `share` (0 to 1) of it full. */
export function barText(share: number, cells: number, look: Look): string {
  const signs = glyphs(look);
  const full = Math.floor(share * cells);
  return `[${signs.barFull.repeat(full)}${signs.barEmpty.repeat(cells - full)}]`;
}

/** Every turn costs a frame: what takes minutes turns once a second, and after the first minute every five seconds. */
const TURN = { quick: 120, calm: 1000, slow: 5000 };

/** The sign that something runs. Stands still where a frame is costly. */
export function useTurningSign(pace: keyof typeof TURN, isActive = true): string {
  const look = useLook();
  const signs = glyphs(look);
  const { frame } = useAnimation({ interval: TURN[pace], isActive: isActive && look.canAnimate });
  return look.canAnimate ? (signs.spinner[frame % signs.spinner.length] ?? signs.running) : signs.running;
}

/**
 * A sign that something runs, with what it is.
 *
 *     ⠹ Looking at the cluster
 */
export function Spinner({ label }: { readonly label: string }) {
  return <Label tone="accent">{`${useTurningSign('quick')} ${label}`}</Label>;
}
