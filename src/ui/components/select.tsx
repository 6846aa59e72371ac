import { Box, Text } from 'ink';
import SelectInput from 'ink-select-input';
import type { ReactNode } from 'react';
import { catalogue } from '../../i18n/catalogue.ts';
import { displayWidth, padEnd, truncate, wrapLines } from '../../platform/text.ts';
import { getRangeAround } from '../table-layout.ts';
import { getGlyphs, getToneStyle, type Tone, useArea, useTerminalStyle } from '../terminal-style.tsx';

interface LabelProps {
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

interface RowProps {
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

/** An option. `value` identifies it and is not shown. */
export interface SelectItem {
  readonly value: string;
  readonly label: string;
  /** A few dim words at the right. */
  readonly hint?: string;
}

interface SelectProps {
  readonly items: readonly SelectItem[];
  /** The selected item; the store holds it and its reducer moves it. */
  readonly index: number;
  /** Maximum rows; by default those of the surrounding area. */
  readonly rows?: number;
}

/**
 * A list with one selected item. It only draws: keys never reach the list inside, which would interpret them by its last frame.
 *
 *     ▸ Resume ocp45.example.localdomain     waiting for certificates
 *       New install
 */
export function Select({ items, index, rows }: SelectProps) {
  const style = useTerminalStyle();
  const area = useArea();
  const { ellipsis } = getGlyphs(style);
  const available = area.columns - 2;
  // A long label leaves the hints of the other items visible.
  const labelWidth = Math.min(Math.max(0, ...items.map(({ label }) => displayWidth(label))), Math.floor(available / 2));
  const formatLine = ({ label, hint }: SelectItem) =>
    hint ? `${padEnd(label, labelWidth, ellipsis)}   ${hint}` : label;
  const selected = items[index];
  const isCut = (item: SelectItem) =>
    displayWidth(formatLine(item)) > available || (item.hint && displayWidth(item.label) > labelWidth);
  // The cut parts of the selected item are shown in full below the list.
  const cutParts =
    selected && isCut(selected) ? [selected.label, selected.hint ?? ''].filter((text) => text !== '') : [];
  const fullLines = cutParts.flatMap((text) => wrapLines(text, available));
  const limit = Math.max(1, (rows ?? area.rows) - fullLines.length);
  // A longer list gets a row with a counter, if enough rows remain for its items.
  const hasCounter = items.length > limit && limit >= MIN_COUNTED_ROWS;
  const { first, end } = getRangeAround(items.length, index, hasCounter ? limit - 1 : limit);
  const shown = items
    .slice(first, end)
    .map((item) => ({ key: item.value, value: item.value, label: truncate(formatLine(item), available, ellipsis) }));
  return (
    <Box
      flexDirection="column"
      flexShrink={0}
      height={end - first + fullLines.length + (hasCounter ? 1 : 0)}
      overflow="hidden"
    >
      <SelectInput
        key={items[index]?.value ?? ''}
        items={shown}
        initialIndex={index - first}
        isFocused={false}
        indicatorComponent={Indicator}
        itemComponent={Item}
      />
      {fullLines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={row}>
          <Label tone="dim">{`  ${line}`}</Label>
        </Row>
      ))}
      {hasCounter && (
        <Row>
          <Label tone="dim">{`  ${catalogue().ui.moreRows(first + 1, end, items.length)}`}</Label>
        </Row>
      )}
    </Box>
  );
}

const MIN_COUNTED_ROWS = 4;

function Indicator({ isSelected = false }: { readonly isSelected?: boolean }) {
  const { pointer } = getGlyphs(useTerminalStyle());
  return <Label tone="focus">{isSelected ? `${pointer} ` : '  '}</Label>;
}

function Item({ isSelected = false, label }: { readonly isSelected?: boolean; readonly label: string }) {
  return <Label tone={isSelected ? 'focus' : 'text'}>{label}</Label>;
}
