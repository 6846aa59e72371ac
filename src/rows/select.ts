import { catalogue } from '../i18n/catalogue.ts';
import { fitToWidth, getDisplayWidth, truncate, wrapLines } from '../platform/text.ts';
import { createRow, fitRows, getGlyphs, getRangeAround, type PageRow, type Viewport } from './page-rows.ts';
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
 * Creates a list with one selected item, in at most `viewport.rows` rows.
 *
 *     ▸ Resume ocp45.example.localdomain     waiting for certificates
 *       New install
 */
export function createSelectRows(items: readonly SelectItem[], index: number, viewport: Viewport): PageRow[] {
  const { ellipsis, pointer } = getGlyphs(viewport);
  const availableWidth = viewport.columns - 2;
  // A long label leaves a part of the hints of the other items visible.
  const labelWidth = Math.min(
    Math.max(0, ...items.map(({ label }) => getDisplayWidth(label))),
    Math.floor((availableWidth * 2) / 3),
  );
  const formatLine = ({ label, hint }: SelectItem) =>
    hint ? `${fitToWidth(label, labelWidth, ellipsis)}   ${hint}` : label;
  const wrapCutParts = (item: SelectItem) => {
    const isLabelCut = getDisplayWidth(item.label) > (item.hint ? labelWidth : availableWidth);
    const isHintCut = getDisplayWidth(formatLine(item)) > availableWidth;
    const parts = [isLabelCut ? item.label : '', isLabelCut || isHintCut ? (item.hint ?? '') : ''];
    return parts.filter((text) => text !== '').flatMap((text) => wrapLines(text, availableWidth));
  };
  // The cut parts of the selected item are shown in full below the list, in rows that stay free for every other item.
  const selectedItem = items[index];
  const fullLines = selectedItem === undefined ? [] : wrapCutParts(selectedItem);
  const fullRows = Math.max(0, ...items.map((item) => wrapCutParts(item).length));
  const limit = Math.max(1, viewport.rows - fullRows);
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
    ...markWindow(itemRows, { first, end, total: items.length, isRangeShown: hasCounter }),
    ...(hasCounter ? [createRow(`  ${words().moreRows(first + 1, end, items.length)}`, 'muted')] : []),
    ...fitRows(
      fullLines.map((line) => createRow(`  ${line}`, 'muted')),
      fullRows,
    ),
  ];
}
