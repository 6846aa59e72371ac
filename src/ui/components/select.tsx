import { Box } from 'ink';
import SelectInput from 'ink-select-input';
import { cut, pad, widthOf } from '../../text/width.ts';
import { useArea, useLook } from '../look.tsx';
import { glyphs } from '../theme.ts';
import { windowAround } from '../window.ts';
import { Label } from './label.tsx';

/** One of the things to choose between. `value` names it and is not shown. */
export interface SelectItem {
  readonly value: string;
  readonly label: string;
  /** A few dim words at the right. */
  readonly hint?: string;
}

export interface SelectProps {
  readonly items: readonly SelectItem[];
  /** The selected one; held by the store, moved by its reducer. */
  readonly index: number;
  /** Rows it may take; the room around it by default. */
  readonly rows?: number;
}

/**
 * A list with one selected item. It only draws: keys never reach the list inside, which judges them by its last frame.
 *
 *     ▸ Resume ocp45.example.localdomain     waiting for certificates
 *       New install
 */
export function Select({ items, index, rows }: SelectProps) {
  const look = useLook();
  const area = useArea();
  const { first, end } = windowAround(items.length, index, rows ?? area.rows);
  const labelRoom = Math.max(0, ...items.map(({ label }) => widthOf(label)));
  const shown = items.slice(first, end).map(({ value, label, hint }) => ({
    key: value,
    value,
    label: cut(hint ? `${pad(label, labelRoom, '')}   ${hint}` : label, area.columns - 2, glyphs(look).ellipsis),
  }));
  return (
    <Box flexDirection="column" flexShrink={0} height={end - first} overflow="hidden">
      <SelectInput
        key={items[index]?.value ?? ''}
        items={shown}
        initialIndex={index - first}
        isFocused={false}
        indicatorComponent={Indicator}
        itemComponent={Item}
      />
    </Box>
  );
}

function Indicator({ isSelected = false }: { readonly isSelected?: boolean }) {
  const { pointer } = glyphs(useLook());
  return <Label tone="focus">{isSelected ? `${pointer} ` : '  '}</Label>;
}

function Item({ isSelected = false, label }: { readonly isSelected?: boolean; readonly label: string }) {
  return <Label tone={isSelected ? 'focus' : 'text'}>{label}</Label>;
}
