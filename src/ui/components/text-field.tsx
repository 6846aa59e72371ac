import { Box, type DOMElement, measureElement, Text, useCursor } from 'ink';
import { useLayoutEffect, useRef, useState } from 'react';
import { displayWidth, padEnd, splitGraphemes, truncate } from '../../platform/text.ts';
import type { TextFieldState } from '../../wizard/typing.ts';
import { getGlyphs, getToneStyle, useTerminalStyle } from '../terminal-style.tsx';

export interface TextFieldProps {
  readonly state: TextFieldState;
  /** Width in cells, always fully used. */
  readonly width: number;
  readonly isFocused: boolean;
  /** Draws a mark for each character instead of the character. */
  readonly isSecret?: boolean;
  /** Drawn dim while the text is empty. */
  readonly placeholder?: string;
}

/**
 * One line of text with its cursor; a long text is scrolled so that the cursor is visible. The terminal's own cursor is
 * placed there, too: input methods compose at it, and it is visible if reverse video is off.
 *
 * 172.16.0.0/2█
 */
export function TextField({ state, width, isFocused, isSecret = false, placeholder = '' }: TextFieldProps) {
  const style = useTerminalStyle();
  const { before, at, after } = findVisiblePart(
    state,
    width,
    isSecret ? getGlyphs(style).mask : null,
    getGlyphs(style).ellipsis,
  );
  const isEmpty = state.text === '';
  const hint = isEmpty ? truncate(placeholder, width - 1, getGlyphs(style).ellipsis) : '';
  const focusStyle = getToneStyle('focus', style.hasColour);
  return (
    <Box width={width} height={1} flexShrink={0} overflow="hidden">
      {isFocused ? (
        <Text wrap="truncate">
          <Text {...focusStyle}>{before}</Text>
          <Text {...focusStyle} inverse>
            {at}
          </Text>
          <Text {...focusStyle}>{after}</Text>
          <Text {...getToneStyle('dim', style.hasColour)}>{hint}</Text>
        </Text>
      ) : (
        <Text wrap="truncate" {...getToneStyle(isEmpty ? 'dim' : 'text', style.hasColour)}>
          {isEmpty
            ? hint
            : truncate(maskText(state.text, isSecret ? getGlyphs(style).mask : null), width, getGlyphs(style).ellipsis)}
        </Text>
      )}
      {isFocused && <TerminalCursor column={displayWidth(before)} />}
    </Box>
  );
}

/**
 * Puts the terminal's cursor `column` cells into the surrounding box. Ink needs the position while it renders, so a box
 * without size measures it, and a change of the position causes a second render.
 */
function TerminalCursor({ column }: { readonly column: number }) {
  const mark = useRef<DOMElement>(null);
  const [origin, setOrigin] = useState<{ readonly x: number; readonly y: number } | null>(null);
  const { setCursorPosition } = useCursor();
  useLayoutEffect(() => {
    if (!mark.current) return;
    const { x, y } = measureElement(mark.current);
    setOrigin((known) => (known?.x === x && known.y === y ? known : { x, y }));
  });
  setCursorPosition(origin ? { x: origin.x + column, y: origin.y } : undefined);
  return <Box ref={mark} position="absolute" width={0} height={0} />;
}

function maskText(text: string, mask: string | null): string {
  return mask === null ? text : mask.repeat(splitGraphemes(text).length);
}

/**
 * Finds the visible part of the text in `width` cells: before, under and after the cursor. `mark` replaces an end that
 * is cut.
 */
function findVisiblePart({ text, cursor }: TextFieldState, width: number, mask: string | null, mark: string) {
  const graphemes = splitGraphemes(maskText(text, mask));
  const at = graphemes[cursor] ?? ' ';
  let available = width - displayWidth(at);
  let first = cursor;
  while (first > 0 && displayWidth(graphemes[first - 1] ?? '') <= available) {
    first -= 1;
    available -= displayWidth(graphemes[first] ?? '');
  }
  const [head = '', ...rest] = graphemes.slice(first, cursor);
  const isCut = first > 0 && head !== '';
  return {
    before: isCut ? padEnd(mark, displayWidth(head), '') + rest.join('') : head + rest.join(''),
    at,
    after: truncate(graphemes.slice(cursor + 1).join(''), available, mark),
  };
}
