import { Box, type DOMElement, measureElement, Text, useCursor } from 'ink';
import { useLayoutEffect, useRef, useState } from 'react';
import { cut, graphemesOf, pad, widthOf } from '../../text/width.ts';
import type { TextFieldState } from '../../wizard/typing/text-field.ts';
import { useLook } from '../look.tsx';
import { glyphs, styleOf } from '../theme.ts';

export interface TextFieldProps {
  readonly state: TextFieldState;
  /** Cells it takes, always all of them. */
  readonly width: number;
  readonly isFocused: boolean;
  /** Draws a mark for each character instead of the character. */
  readonly isSecret?: boolean;
  /** Drawn dim while the text is empty. */
  readonly placeholder?: string;
}

/**
 * One line of text with its cursor; a long text is moved so that the cursor is in sight. The terminal's own cursor stands
 * there as well: input methods compose at it, and it shows where reverse video is off.
 *
 *     172.16.0.0/2█
 */
export function TextField({ state, width, isFocused, isSecret = false, placeholder = '' }: TextFieldProps) {
  const look = useLook();
  const { before, at, after } = visiblePart(state, width, isSecret ? glyphs(look).mask : null, glyphs(look).ellipsis);
  const isEmpty = state.text === '';
  const hint = isEmpty ? cut(placeholder, width - 1, glyphs(look).ellipsis) : '';
  const style = styleOf('focus', look.hasColour);
  return (
    <Box width={width} height={1} flexShrink={0} overflow="hidden">
      {isFocused ? (
        <Text wrap="truncate">
          <Text {...style}>{before}</Text>
          <Text {...style} inverse>
            {at}
          </Text>
          <Text {...style}>{after}</Text>
          <Text {...styleOf('dim', look.hasColour)}>{hint}</Text>
        </Text>
      ) : (
        <Text wrap="truncate" {...styleOf(isEmpty ? 'dim' : 'text', look.hasColour)}>
          {isEmpty ? hint : cut(masked(state.text, isSecret ? glyphs(look).mask : null), width, glyphs(look).ellipsis)}
        </Text>
      )}
      {isFocused && <RealCursor column={widthOf(before)} />}
    </Box>
  );
}

/**
 * Puts the terminal's cursor `column` cells into the box around it. Ink wants to know the place while it renders, so it is
 * measured by a box without size, and drawn once more when it moved.
 */
function RealCursor({ column }: { readonly column: number }) {
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

function masked(text: string, mask: string | null): string {
  return mask === null ? text : mask.repeat(graphemesOf(text).length);
}

/** What is seen of the text in `width` cells: before the cursor, under it, and after it; `mark` stands where it goes on unseen. */
function visiblePart({ text, cursor }: TextFieldState, width: number, mask: string | null, mark: string) {
  const graphemes = graphemesOf(masked(text, mask));
  const at = graphemes[cursor] ?? ' ';
  let room = width - widthOf(at);
  let first = cursor;
  while (first > 0 && widthOf(graphemes[first - 1] ?? '') <= room) {
    first -= 1;
    room -= widthOf(graphemes[first] ?? '');
  }
  const [head = '', ...rest] = graphemes.slice(first, cursor);
  const isCut = first > 0 && head !== '';
  return {
    before: isCut ? pad(mark, widthOf(head), '') + rest.join('') : head + rest.join(''),
    at,
    after: cut(graphemes.slice(cursor + 1).join(''), room, mark),
  };
}
