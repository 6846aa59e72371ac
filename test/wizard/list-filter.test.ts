import { expect, test } from 'vitest';
import { listRowTexts } from '../../src/rows/filtered-table.ts';
import { NO_FILTER, updateListFilter } from '../../src/wizard/list-filter.ts';

const ROWS = [
  ['dns', 'to do', 'let cluster DNS tolerate the taint'],
  ['monitoring', 'to do', 'move Prometheus'],
  ['taint', 'to do', 'keep other pods off'],
  ['user-workload', 'not needed', 'Monitoring for user-defined projects is not turned on'],
].map(([name = '', state = '', why = '']) => ({ cells: { name, state, why } }));

/** Types a filter with this row selected. @returns the name of the row that is then selected */
function typeFilter(name: string, query: string): string | undefined {
  const texts = listRowTexts(ROWS);
  const start = { row: ROWS.findIndex(({ cells }) => cells.name === name), filter: NO_FILTER };
  const typed = [...query].reduce(
    (list, text) => updateListFilter(list, { type: 'filter/type', event: { kind: 'char', text }, texts }),
    updateListFilter(start, { type: 'filter/open' }),
  );
  return ROWS[typed.row]?.cells.name;
}

test('while a filter is typed, rows whose name matches are selected before others', () => {
  expect(typeFilter('taint', 'monit')).toBe('monitoring');
  expect(typeFilter('dns', 'taint')).toBe('taint');
  // Without a name that matches, the selection stays on a shown row.
  expect(typeFilter('monitoring', 'to do')).toBe('monitoring');
  expect(typeFilter('dns', 'prometheus')).toBe('monitoring');
  expect(typeFilter('dns', 'zz')).toBe('dns');
});
