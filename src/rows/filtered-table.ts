import { catalogue } from '../i18n/catalogue.ts';
import { getDisplayWidth } from '../platform/text.ts';
import { CELL_GAP, type ListFilter, listMatches } from '../wizard/list-filter.ts';
import { createTextFieldRow } from './form.ts';
import type { PageRow, Viewport } from './page-rows.ts';

const words = () => catalogue().ui.filter;

interface RowCells {
  readonly cells: Readonly<Record<string, string>>;
}

/** The parts of a table that a filter changes. */
interface FilterableTable {
  readonly rows: readonly RowCells[];
  readonly selectedIndex: number | null;
  readonly emptyText?: string;
  readonly filter?: ListFilter;
}

/** Returns the texts by which the rows of a table are filtered: what their cells show, the name first. */
export const listRowTexts = (rows: readonly RowCells[]): string[] =>
  rows.map(({ cells }) => Object.values(cells).join(CELL_GAP));

/** Whether a filter hides rows, or is being typed. */
export const isFilterOpen = (filter: ListFilter | undefined): filter is ListFilter =>
  filter !== undefined && (filter.query !== '' || filter.field !== null);

/** Returns a table with the rows that its filter shows. */
export function filterTable<Content extends FilterableTable>(table: Content): Content {
  const { filter, rows, selectedIndex } = table;
  if (!isFilterOpen(filter) || filter.query === '') return table;
  const matches = listMatches(listRowTexts(rows), filter.query);
  const index = selectedIndex === null ? -1 : matches.indexOf(selectedIndex);
  return {
    ...table,
    rows: matches.flatMap((match) => rows[match] ?? []),
    selectedIndex: index < 0 ? null : index,
    ...(rows.length > 0 ? { emptyText: words().none(filter.query) } : {}),
  };
}

/** Formats the state of a filter: `/w1  2 of 10`. */
export function formatFilterCount(filter: ListFilter, shownCount: number, total: number): string {
  return filter.field === null ? words().count(filter.query, shownCount, total) : words().shownCount(shownCount, total);
}

/** Creates the row in which the filter is typed, with the number of matching rows at the right. */
export function createFilterFieldRow(filter: ListFilter, note: string, viewport: Viewport): PageRow | null {
  if (filter.field === null) return null;
  const label = { text: words().prompt, tone: 'accent' as const };
  const width = Math.max(4, viewport.columns - getDisplayWidth(label.text) - getDisplayWidth(note) - 2);
  const row = createTextFieldRow(label, filter.field, viewport, { width });
  const usedWidth = row.segments.reduce((sum, { text }) => sum + getDisplayWidth(text), 0);
  const gap = ' '.repeat(Math.max(2, viewport.columns - usedWidth - getDisplayWidth(note)));
  return { ...row, segments: [...row.segments, { text: gap + note, tone: 'muted' }] };
}
