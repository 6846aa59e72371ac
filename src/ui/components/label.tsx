import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { cut } from '../../text/width.ts';
import { useLook } from '../look.tsx';
import { glyphs, styleOf, type Tone } from '../theme.ts';

export interface LabelProps {
  readonly children: string;
  readonly tone?: Tone;
  readonly isBold?: boolean;
  readonly isInverse?: boolean;
  /** Cells it may take at most; without it the box around it cuts. */
  readonly width?: number;
}

/** Text on one line, in a tone of the theme, cut and never wrapped. */
export function Label({ children, tone = 'text', isBold, isInverse, width }: LabelProps) {
  const look = useLook();
  const { bold, ...style } = styleOf(tone, look.hasColour);
  return (
    <Text {...style} bold={isBold ?? bold ?? false} inverse={isInverse ?? false} wrap="truncate">
      {width === undefined ? children : cut(children, width, glyphs(look).ellipsis)}
    </Text>
  );
}

export interface RowProps {
  readonly children: ReactNode;
  /** Cells; the width of the box around it by default. */
  readonly width?: number | string;
}

/** One line of the screen: exactly one row high, whatever is in it. Lines are only ever stacked as Rows. */
export function Row({ children, width = '100%' }: RowProps) {
  return (
    <Box height={1} flexShrink={0} width={width} overflow="hidden">
      {children}
    </Box>
  );
}

/** An empty line. */
export function Gap() {
  return <Box height={1} flexShrink={0} />;
}
