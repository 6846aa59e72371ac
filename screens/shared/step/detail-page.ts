import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import { wrapLines } from '../../../src/platform/text.ts';
import type { Binding } from '../../../src/rows/bindings.ts';
import { addCutCells, type ListContent } from '../../../src/rows/list-page.ts';
import { createRow, EMPTY_ROW, type PageRow, type Viewport } from '../../../src/rows/page-rows.ts';
import { layOutTable } from '../../../src/rows/table.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { LogPosition, LogWindow } from '../../../src/wizard/live/log-position.ts';
import { createCommonBindings, createQuitBindings } from '../bindings.ts';
import { createSearchableTextBindings, createSearchTypingBindings, layOutText } from '../log-pane.ts';

/**
 * Lays out the details of the selected row on the whole page, below the head of the page, as a text that can be
 * searched. The cells that the list cuts come first.
 * @returns null if the list has no details
 */
export function layOutDetailPage(
  { table, details: [detail] }: ListContent,
  head: readonly PageRow[],
  position: LogPosition,
  viewport: Viewport,
): { readonly rows: readonly PageRow[]; readonly text: LogWindow } | null {
  if (detail === undefined) return null;
  const { title, renderLines, decorate } = addCutCells(detail, layOutTable(table, viewport, { hasDetail: true }));
  const { columns } = viewport;
  const titleRows = title === undefined ? [] : wrapLines(title, columns).map((line) => createRow(line, 'accent'));
  const rows = Math.max(1, viewport.rows - head.length - 1 - titleRows.length);
  const text = layOutText(renderLines(columns, rows), position, { ...viewport, rows }, decorate ? { decorate } : {});
  return { ...text, rows: [...head, EMPTY_ROW, ...titleRows, ...text.rows] };
}

/** Returns the keys while the details fill the page. Esc ends a search first, then it shows the list again. */
export function createDetailPageBindings(text: LogWindow, position: LogPosition): Binding<Intent>[] {
  if (position.searchField !== null) return [...createSearchTypingBindings(text, true), ...createQuitBindings()];
  const closeKeys = position.query === '' ? ['enter', 'escape', SHORTCUTS.details] : ['enter', SHORTCUTS.details];
  return [
    { keys: closeKeys, label: catalogue().screens.keys.close, intent: { type: 'log/details' } },
    ...createSearchableTextBindings(text, position),
    ...createCommonBindings({ isTyping: false }).filter(({ keys }) => !keys.includes('escape')),
  ];
}
