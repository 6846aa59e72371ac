import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import type { Binding } from '../../src/rows/bindings.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import { getRowDistance, type ListFilter, listMatches } from '../../src/wizard/list-filter.ts';
import { createMoveBindings } from './bindings.ts';

const keys = () => catalogue().screens.keys;

/** Rows from which the footer offers the filter. */
const MIN_FILTERED_ROWS = 8;

/** The list that the keys move in and filter. */
interface FilteredList {
  readonly filter: ListFilter;
  /** The selected row, counted among all rows. */
  readonly row: number;
  /** The texts of all rows. */
  readonly texts: readonly string[];
  /** @param by distance in rows, hidden ones included */
  readonly toIntent: (by: number) => Intent;
}

/** Returns the keys that move in a list and filter it; none for a list without rows. */
export function createFilterBindings({ filter, row, texts, toIntent }: FilteredList): Binding<Intent>[] {
  if (texts.length === 0) return [];
  const openBinding: Binding<Intent> = {
    keys: [SHORTCUTS.search],
    label: keys().filter,
    intent: { type: 'filter/open' },
    // A short list is seen at a glance.
    isHidden: texts.length < MIN_FILTERED_ROWS,
  };
  if (filter.query === '') return [...createMoveBindings(keys().row, toIntent, 10), openBinding];
  const matches = listMatches(texts, filter.query);
  const move = (by: number, wraps = false) => toIntent(getRowDistance(row, by, matches, wraps));
  return [
    { keys: ['escape'], label: keys().showAll, intent: { type: 'filter/close', isApplied: false } },
    ...(matches.length === 0
      ? []
      : [
          { keys: [SHORTCUTS.nextMatch], label: keys().nextFound, intent: move(1, true) },
          { keys: [SHORTCUTS.previousMatch], label: keys().previousFound, intent: move(-1, true), isHidden: true },
          ...createMoveBindings(keys().row, move, 10),
        ]),
    openBinding,
  ];
}

/** Returns the keys while the filter is typed: all others are text. */
export function createFilterTypingBindings({ filter, row, texts, toIntent }: FilteredList): Binding<Intent>[] {
  const matches = listMatches(texts, filter.query);
  const move = (by: number) => toIntent(getRowDistance(row, by, matches));
  return [
    { keys: ['enter'], label: keys().filterDone, intent: { type: 'filter/close', isApplied: true } },
    { keys: ['escape'], label: keys().showAll, intent: { type: 'filter/close', isApplied: false } },
    ...(matches.length === 0 ? [] : createMoveBindings(keys().row, move, 10)).filter(
      ({ keys: names }) => !names.includes('home') && !names.includes('end'),
    ),
  ];
}
