import { Box, Text } from 'ink';
import { catalogue } from '../../i18n/catalogue.ts';
import { displayWidth, truncate } from '../../platform/text.ts';
import { getRangeFrom, type ToneSpan } from '../table-layout.ts';
import { getGlyphs, getToneStyle, type Tone, useArea, useTerminalStyle } from '../terminal-style.tsx';
import { Label, Row } from './select.tsx';

const words = () => catalogue().ui;

/** A line of text, in one tone or in several. It is sanitised already. */
export interface TextLine {
  readonly text: string;
  readonly tone?: Tone;
  /** The same text in several tones; `tone` is then ignored. */
  readonly spans?: readonly ToneSpan[];
}

/**
 * The first line of the last page of a text, as drawn most recently. Scrolling back from beyond the end starts there.
 */
export const scrollLimit = { top: 0 };

export interface LogViewProps {
  /** The known lines, oldest first. Only the visible ones are drawn, so there may be many. */
  readonly lines: readonly (string | TextLine)[];
  /** Index of the first visible line; null follows the end. */
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
  const style = useTerminalStyle();
  const visibleRows = height ?? area.rows;
  const { first, end } = getRangeFrom(lines.length, top, visibleRows);
  scrollLimit.top = Math.max(0, lines.length - visibleRows);
  return (
    <Box flexDirection="column" flexShrink={0} width={area.columns} height={visibleRows} overflow="hidden">
      {lines.length === 0 && (
        <Row>
          <Label tone="dim">{empty}</Label>
        </Row>
      )}
      {lines.slice(first, end).map((line, index) => {
        const { text, tone = 'text', spans } = typeof line === 'string' ? { text: line } : line;
        const shown = truncate(text.replaceAll('\t', '  '), area.columns, getGlyphs(style).ellipsis);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place among all lines is what a line is
          <Row key={first + index}>
            {spans && style.hasColour ? (
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

/** Renders a line in several tones, cut at the right edge. */
function Spans({ spans, width }: { readonly spans: readonly ToneSpan[]; readonly width: number }) {
  const style = useTerminalStyle();
  let available = width;
  return (
    <Text wrap="truncate">
      {spans.map(({ text, tone }, index) => {
        const plain = text.replaceAll('\t', '  ');
        const shown = truncate(plain, available, getGlyphs(style).ellipsis);
        available = Math.max(0, available - displayWidth(plain));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line
          <Text key={index} {...getToneStyle(tone, style.hasColour)}>
            {shown}
          </Text>
        );
      })}
    </Text>
  );
}
