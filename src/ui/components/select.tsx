import { Box } from 'ink';
import SelectInput from 'ink-select-input';
import { catalogue } from '../../text/catalogue.ts';
import { cut, pad, widthOf, wrapLines } from '../../text/width.ts';
import { useArea, useLook } from '../look.tsx';
import { glyphs } from '../theme.ts';
import { windowAround } from '../window.ts';
import { Label, Row } from './label.tsx';

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
  const { ellipsis } = glyphs(look);
  const room = area.columns - 2;
  // A long label leaves the hints of the others in sight.
  const labelRoom = Math.min(Math.max(0, ...items.map(({ label }) => widthOf(label))), Math.floor(room / 2));
  const lineOf = ({ label, hint }: SelectItem) => (hint ? `${pad(label, labelRoom, ellipsis)}   ${hint}` : label);
  const selected = items[index];
  const isCut = (item: SelectItem) => widthOf(lineOf(item)) > room || (item.hint && widthOf(item.label) > labelRoom);
  // What is cut of the selected one stands below the list in full.
  const whole = selected && isCut(selected) ? [selected.label, selected.hint ?? ''].filter((text) => text !== '') : [];
  const full = whole.flatMap((text) => wrapLines(text, room));
  const most = Math.max(1, (rows ?? area.rows) - full.length);
  // A list that goes on says so, where a row for that leaves enough of them.
  const hasCounter = items.length > most && most >= LEAST_COUNTED;
  const { first, end } = windowAround(items.length, index, hasCounter ? most - 1 : most);
  const shown = items
    .slice(first, end)
    .map((item) => ({ key: item.value, value: item.value, label: cut(lineOf(item), room, ellipsis) }));
  return (
    <Box
      flexDirection="column"
      flexShrink={0}
      height={end - first + full.length + (hasCounter ? 1 : 0)}
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
      {full.map((line, row) => (
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

const LEAST_COUNTED = 4;

function Indicator({ isSelected = false }: { readonly isSelected?: boolean }) {
  const { pointer } = glyphs(useLook());
  return <Label tone="focus">{isSelected ? `${pointer} ` : '  '}</Label>;
}

function Item({ isSelected = false, label }: { readonly isSelected?: boolean; readonly label: string }) {
  return <Label tone={isSelected ? 'focus' : 'text'}>{label}</Label>;
}
