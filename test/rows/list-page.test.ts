import { expect, test } from 'vitest';
import { wrapLines } from '../../src/platform/text.ts';
import { type Detail, drawListPage } from '../../src/rows/list-page.ts';
import { getRowText } from '../../src/rows/page-rows.ts';

const ROWS = ['m1', 'm2', 'm3'].map((name) => ({ id: name, cells: { name, why: `the reason of ${name}` } }));
const COLUMNS = [
  { id: 'name', title: 'Name', minWidth: 4 },
  { id: 'why', title: 'Why', minWidth: 6, detailRepeats: 'if-cut' as const },
];
const createDetail = (word: string, isFixed = false): Detail => ({
  renderLines: (columns) => wrapLines(`${word} `.repeat(80), columns).map((text) => ({ text })),
  top: 0,
  isFixed,
});

const draw = (
  columns: number,
  rows: number,
  { isFixed = false, selectedIndex = 0, terminalColumns = columns + 22 } = {},
) =>
  drawListPage(
    {
      table: { columns: COLUMNS, rows: ROWS, selectedIndex },
      details: [createDetail('first', isFixed), ...(terminalColumns < 110 ? [] : [createDetail('second')])],
    },
    { columns, rows, terminalColumns, hasUnicode: true, canAnimate: false },
  ).rows.map(getRowText);

test('a detail stands below the list, beside it from 110 columns, and two beside each other from 160', () => {
  const narrow = draw(78, 15);
  expect(narrow).toHaveLength(15);
  expect(narrow[5]).toMatch(/^first/);
  expect(narrow.join('\n')).not.toContain('│');
  const wide = draw(88, 30);
  expect(wide[1]).toMatch(/^▸ m1 {4}the reason of m1 +│ first/);
  expect(wide.join('\n')).toMatch(/│ second/);
  expect(wide.filter((line) => /│ first.*│ second/.test(line))).toEqual([]);
  expect(draw(140, 30)[1]).toMatch(/▸ m1 {4}the reason of m1 +│ first.* │ second/);
});

test.each([
  [78, 15],
  [88, 30],
  [140, 40],
])('at %i columns the selection changes only its own rows', (columns, rows) => {
  const [first, second] = [0, 2].map((selectedIndex) => draw(columns, rows, { selectedIndex }));
  const changed = first?.flatMap((line, index) => (line === second?.[index] ? [] : [index]));
  expect(changed).toEqual([1, 3]);
});

test('what is cut in the selected row stands in its detail, and a text that no key scrolls ends with a mark', () => {
  const cut = draw(20, 12, { terminalColumns: 80, selectedIndex: 1 });
  expect(cut.slice(0, 4).join('\n')).toContain('the reas');
  expect(cut.slice(4).join(' ').replaceAll(/\s+/g, ' ')).toContain('Why: the reason of m2');
  expect(draw(60, 10, { terminalColumns: 80, isFixed: true }).at(-1)).toMatch(/first.*…$/);
  expect(draw(60, 10, { terminalColumns: 80 }).at(-1)).not.toContain('…');
});

test('a list that is wider than a medium terminal keeps the width, if a detail has room below it', () => {
  const columns = [
    { id: 'name', title: 'Name', minWidth: 4 },
    { id: 'why', title: 'Why', minWidth: 6, maxWidth: 100, detailRepeats: 'always' as const },
  ];
  const rows = ROWS.map((row) => ({ ...row, cells: { ...row.cells, why: 'long '.repeat(30).trim() } }));
  const drawLong = (terminalColumns: number, height: number) =>
    drawListPage(
      { table: { columns, rows, selectedIndex: 0 }, details: [createDetail('first')] },
      { columns: terminalColumns - 20, rows: height, terminalColumns, hasUnicode: true, canAnimate: false },
    ).rows.map(getRowText);
  expect(drawLong(110, 20).join('\n')).not.toContain('│');
  expect(drawLong(110, 20)[5]).toMatch(/^first/);
  // There is no room below it, or half of the width is enough.
  expect(drawLong(110, 10)[1]).toMatch(/long.*… *│ first/);
  expect(drawLong(180, 20)[1]).toMatch(/long.*… *│ first/);
});

test('the title of a detail is whole, unless the range of a long text stands beside it', () => {
  const title = 'label: label the nodes by their role, so that the selectors match';
  const drawTitled = (detail: Detail) =>
    drawListPage(
      { table: { columns: COLUMNS, rows: ROWS, selectedIndex: 0 }, details: [{ ...detail, title }] },
      { columns: 50, rows: 12, terminalColumns: 80, hasUnicode: true, canAnimate: false },
    ).rows.map(getRowText);
  const short = drawTitled({ renderLines: () => [{ text: 'short' }], top: 0 });
  expect(short.slice(5, 8).join(' ').replaceAll(/\s+/g, ' ')).toContain(`${title} short`);
  expect(drawTitled(createDetail('first'))[5]).toMatch(/^label: label the nodes by…/);
});
