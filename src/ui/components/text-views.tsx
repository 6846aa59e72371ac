import { Box, Text } from 'ink';
import { catalogue } from '../../text/catalogue.ts';
import { cut, widthOf } from '../../text/width.ts';
import type { Span } from '../highlight.ts';
import { useArea, useLook } from '../look.tsx';
import { glyphs, styleOf, type Tone } from '../theme.ts';
import { windowFrom } from '../window.ts';
import { Label, Row } from './label.tsx';

const words = () => catalogue().ui;

/** A line of text, in one tone or in several. It is sanitised already. */
export interface TextLine {
  readonly text: string;
  readonly tone?: Tone;
  /** The same text in tones; `tone` is then not looked at. */
  readonly spans?: readonly Span[];
}

/** The first line that the last page of a text begins with, as it was drawn last: who turns back from beyond it turns back from there. */
export const drawnText = { last: 0 };

export interface LogViewProps {
  /** The lines known, oldest first; only those in sight are drawn, so there may be many. */
  readonly lines: readonly (string | TextLine)[];
  /** Index of the first line seen; null follows the end. */
  readonly top: number | null;
  readonly height?: number;
  /** The text shown while there are no lines. */
  readonly empty?: string;
}

/**
 * Lines of a log, a file or a page, cut at the right edge.
 *
 *     level=info msg="Waiting up to 20m0s for the Kubernetes API"
 *     level=info msg="API v1.31.6 up"
 */
export function LogView({ lines, top, height, empty = words().emptyLog }: LogViewProps) {
  const area = useArea();
  const look = useLook();
  const room = height ?? area.rows;
  const { first, end } = windowFrom(lines.length, top, room);
  drawnText.last = Math.max(0, lines.length - room);
  return (
    <Box flexDirection="column" flexShrink={0} width={area.columns} height={room} overflow="hidden">
      {lines.length === 0 && (
        <Row>
          <Label tone="dim">{empty}</Label>
        </Row>
      )}
      {lines.slice(first, end).map((line, index) => {
        const { text, tone = 'text', spans } = typeof line === 'string' ? { text: line } : line;
        const shown = cut(text.replaceAll('\t', '  '), area.columns, glyphs(look).ellipsis);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place among all lines is what a line is
          <Row key={first + index}>
            {spans && look.hasColour ? (
              <Spans spans={spans} width={area.columns} />
            ) : (
              <Label tone={tone}>{shown}</Label>
            )}
          </Row>
        );
      })}
    </Box>
  );
}

/** A line in several tones, cut at the right edge. */
function Spans({ spans, width }: { readonly spans: readonly Span[]; readonly width: number }) {
  const look = useLook();
  let room = width;
  return (
    <Text wrap="truncate">
      {spans.map(({ text, tone }, index) => {
        const plain = text.replaceAll('\t', '  ');
        const shown = cut(plain, room, glyphs(look).ellipsis);
        room = Math.max(0, room - widthOf(plain));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line
          <Text key={index} {...styleOf(tone, look.hasColour)}>
            {shown}
          </Text>
        );
      })}
    </Text>
  );
}
