import { catalogue } from '../i18n/catalogue.ts';
import { displayWidth, padEnd, truncate, wrapLines } from '../platform/text.ts';
import { createRow, getGlyphs, getRangeAround, type PageRow, type Viewport } from './page-rows.ts';
import { markWindow } from './scroll.ts';

const words = () => catalogue().ui;

/** An option. `value` identifies it and is not shown. */
export interface SelectItem {
  readonly value: string;
  readonly label: string;
  /** A few muted words at the right. */
  readonly hint?: string;
}

const MIN_COUNTED_ROWS = 4;

/**
 * A list with one selected item, in at most `viewport.rows` rows.
 *
 *     ▸ Resume ocp45.example.localdomain     waiting for certificates
 *       New install
 */
export function selectRows(items: readonly SelectItem[], index: number, viewport: Viewport): PageRow[] {
  const { ellipsis, pointer } = getGlyphs(viewport);
  const availableWidth = viewport.columns - 2;
  // A long label leaves the hints of the other items visible.
  const labelWidth = Math.min(
    Math.max(0, ...items.map(({ label }) => displayWidth(label))),
    Math.floor(availableWidth / 2),
  );
  const formatLine = ({ label, hint }: SelectItem) =>
    hint ? `${padEnd(label, labelWidth, ellipsis)}   ${hint}` : label;
  const selectedItem = items[index];
  const isCut = (item: SelectItem) =>
    displayWidth(formatLine(item)) > availableWidth || (item.hint && displayWidth(item.label) > labelWidth);
  // The cut parts of the selected item are shown in full below the list.
  const cutParts =
    selectedItem && isCut(selectedItem)
      ? [selectedItem.label, selectedItem.hint ?? ''].filter((text) => text !== '')
      : [];
  const fullLines = cutParts.flatMap((text) => wrapLines(text, availableWidth));
  const limit = Math.max(1, viewport.rows - fullLines.length);
  // A longer list gets a row with a counter, if enough rows remain for its items.
  const hasCounter = items.length > limit && limit >= MIN_COUNTED_ROWS;
  const { first, end } = getRangeAround(items.length, index, hasCounter ? limit - 1 : limit);
  const itemRows = items.slice(first, end).map((item, offset): PageRow => {
    const isSelected = first + offset === index;
    return {
      segments: [
        { text: isSelected ? `${pointer} ` : '  ', tone: 'focus' },
        { text: truncate(formatLine(item), availableWidth, ellipsis), tone: isSelected ? 'focus' : 'text' },
      ],
      item: { id: item.value, isSelected },
    };
  });
  return [
    ...markWindow(itemRows, { first, end, total: items.length, isCounted: hasCounter }),
    ...fullLines.map((line) => createRow(`  ${line}`, 'muted')),
    ...(hasCounter ? [createRow(`  ${words().moreRows(first + 1, end, items.length)}`, 'muted')] : []),
  ];
}
