import { wrapLines, wrapWithin } from '../../src/text/width.ts';
import { Label, Row } from '../../src/ui/components/label.tsx';
import { useArea, useLook } from '../../src/ui/look.tsx';
import { glyphs, type Tone } from '../../src/ui/theme.ts';

export interface ParagraphProps {
  readonly text: string;
  readonly tone?: Tone;
  /** Lines it may take; 2 by default. */
  readonly height?: number;
}

/** Text on as many lines as it needs, up to `height`; marks what does not fit. `paragraphRows` counts those lines. */
export function Paragraph({ text, tone, height = 2 }: ParagraphProps) {
  const { columns } = useArea();
  const { ellipsis } = glyphs(useLook());
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

/** The number of lines of a Paragraph at this width. */
export function paragraphRows(text: string, columns: number, height = 2): number {
  return Math.min(height, wrapLines(text, columns).length);
}
