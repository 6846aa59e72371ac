import { Box } from 'ink';
import SelectInput from 'ink-select-input';
import { catalogue } from '../../i18n/catalogue.ts';
import { displayWidth, padEnd, truncate, wrapLines } from '../../platform/width.ts';
import { useArea, useTerminalStyle } from '../terminal-style.tsx';
import { getGlyphs } from '../theme.ts';
import { getRangeAround } from '../visible-range.ts';
import { Label, Row } from './label.tsx';

/** An option. `value` identifies it and is not shown. */
export interface SelectItem {
  readonly value: string;
  readonly label: string;
  /** A few dim words at the right. */
  readonly hint?: string;
}

export interface SelectProps {
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
