import { wrapLines, wrapWithin } from '../../src/platform/text.ts';
import { Label, Row } from '../../src/ui/components/select.tsx';
import { getGlyphs, type Tone, useArea, useTerminalStyle } from '../../src/ui/terminal-style.tsx';

export interface ParagraphProps {
  readonly text: string;
  readonly tone?: Tone;
  /** Maximum lines; 2 by default. */
  readonly height?: number;
}

/**
 * Renders a text wrapped to at most `height` lines, with a mark if it is cut off. `countParagraphRows` counts those
 * lines.
 */
export function Paragraph({ text, tone, height = 2 }: ParagraphProps) {
  const { columns } = useArea();
  const { ellipsis } = getGlyphs(useTerminalStyle());
  return (
    <>
      {wrapWithin(text, columns, height, ellipsis).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label {...(tone ? { tone } : {})}>{line}</Label>
        </Row>
      ))}
    </>
  );
}

/** Counts the number of lines of a Paragraph at this width. */
export function countParagraphRows(text: string, columns: number, height = 2): number {
  return Math.min(height, wrapLines(text, columns).length);
}
