import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { truncate } from '../../platform/width.ts';
import { useTerminalStyle } from '../terminal-style.tsx';
import { getGlyphs, getToneStyle, type Tone } from '../theme.ts';

export interface LabelProps {
  readonly children: string;
  readonly tone?: Tone;
  readonly isBold?: boolean;
  readonly isInverse?: boolean;
  /** Maximum width in cells; without it, the surrounding box cuts the text. */
  readonly width?: number;
}

/** Text on one line in a tone of the theme; cut, never wrapped. */
export function Label({ children, tone = 'text', isBold, isInverse, width }: LabelProps) {
  const style = useTerminalStyle();
  const { bold, ...textProps } = getToneStyle(tone, style.hasColour);
  return (
    <Text {...textProps} bold={isBold ?? bold ?? false} inverse={isInverse ?? false} wrap="truncate">
      {width === undefined ? children : truncate(children, width, getGlyphs(style).ellipsis)}
    </Text>
  );
}

export interface RowProps {
  readonly children: ReactNode;
  /** Cells; by default the width of the surrounding box. */
  readonly width?: number | string;
}

/** Renders one line of the screen: exactly one row high, whatever it holds. Lines are always stacked as Rows. */
export function Row({ children, width = '100%' }: RowProps) {
  return (
    <Box height={1} flexShrink={0} width={width} overflow="hidden">
      {children}
    </Box>
  );
}

/** Renders an empty line. */
export function Gap() {
  return <Box height={1} flexShrink={0} />;
}
