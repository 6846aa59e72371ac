import { expect, test } from 'vitest';
import { appRows } from '../../screens/app/app.ts';
import { createFrameRows } from '../../src/rows/frame.ts';
import { joinColumns } from '../../src/rows/list-page.ts';
import { createRow, EMPTY_ROW, getGlyphs, getRowText, type PageRow, type Viewport } from '../../src/rows/page-rows.ts';
import { drawEdges, markWindow, writeRanges } from '../../src/rows/scroll.ts';
import { createTextRows } from '../../src/rows/text.ts';
import { STATES } from '../screens/views.ts';
import { applyInputs } from '../support/wizard-state.ts';

const TERMINAL = { columns: 80, rows: 24, hasUnicode: true, canAnimate: false };
const LINES = Array.from({ length: 34 }, (_, index) => `line ${index + 1}`);

const drawPage = (head: readonly PageRow[], top: number, style = TERMINAL) =>
  createFrameRows(
    {
      cluster: 'c',
      version: '',
      breadcrumb: 'Place',
      position: '1/17',
      bindings: [],
      body: (viewport: Viewport) => [
        ...head,
        ...createTextRows({ lines: LINES, top, key: 'down' }, { ...viewport, rows: viewport.rows - head.length }),
      ],
    },
    style,
  ).map(getRowText);

test('a text that scrolls has a bar in the right edge, and its range above it', () => {
  const lines = drawPage([createRow('A heading'), EMPTY_ROW], 2);
  expect(lines[3]).toMatch(/^│ {50,}3–20 of 34 \(Down\) │$/);
  const bar = lines.slice(4, -2).map((line) => line.at(-1));
  expect(bar.join('')).toMatch(/^│▐+│+$/);
  // At both ends of the text, and only there, the bar is at its end.
  expect(drawPage([EMPTY_ROW], 0)[3]).toMatch(/▐$/);
  expect(drawPage([EMPTY_ROW], 1)[3]).toMatch(/│$/);
  expect(drawPage([EMPTY_ROW], 99).at(-3)).toMatch(/▐$/);
  expect(drawPage([EMPTY_ROW], 99)[2]).toContain('16–34 of 34 │');
  const ascii = drawPage([EMPTY_ROW], 0, { ...TERMINAL, hasUnicode: false });
  expect(ascii[3]).toMatch(/#$/);
  expect(ascii.join('')).not.toContain('▐');
});

test('a text without a row for its range has it in the lower edge; a heading that is too long is not cut', () => {
  expect(drawPage([], 0).at(-2)).toMatch(/^└─+ 1–20 of 34 \(Down\) ─┘$/);
  const heading = 'A heading that needs the whole width of the page, so that nothing else fits there';
  const lines = drawPage([createRow(heading.slice(0, 70))], 0);
  expect(lines[2]).toContain(heading.slice(0, 70));
  expect(lines.at(-2)).toContain(' 1–19 of 34 (Down) ');
});

test('a text with help beside it has its range above it, at the end of its column, or in the lower edge', () => {
  const report = STATES['report done']?.() ?? expect.fail('it has this state');
  const lines = appRows(report, { ...TERMINAL, columns: 120 }, { resumeCommand: '' }).map(getRowText);
  expect(lines[4]).toMatch(/^│ ✔ Nodes {8}│ {30,}1–\d+ of \d+ \(Down\) {30,}│$/);
  const area = { ...TERMINAL, columns: 40, rows: 9, terminalColumns: 80 };
  const left = createTextRows({ lines: LINES, top: 0 }, area);
  const columns = joinColumns(left, area, []);
  expect(writeRanges(columns, 76).remainingLabels).toEqual(['1–9 of 34']);
  expect(writeRanges([EMPTY_ROW, ...columns], 76).rows.map(getRowText)[0]).toMatch(/^ {30}1–9 of 34$/);
});

test('a list below titles that have no room has its range in the blank row below it, and else in the edge', () => {
  const window = { first: 0, end: 1, total: 9, isRangeShown: false };
  const titles = createRow('Titles that leave no room for 1–1 of 9');
  const list = [titles, ...markWindow([createRow('a')], window)];
  const detail = [EMPTY_ROW, ...markWindow([createRow('b')], { first: 0, end: 1, total: 5 })];
  expect(writeRanges([...list, EMPTY_ROW, createRow('note')], 40).rows.map(getRowText)[2]).toMatch(/^ {31}1–1 of 9$/);
  const { rows, remainingLabels } = writeRanges([...list, ...detail], 40);
  expect(rows.map(getRowText)[2]).toMatch(/^ {31}1–1 of 5$/);
  expect(remainingLabels).toEqual(['1–1 of 9']);
});

test('what fits has neither a bar nor a range', () => {
  const rows = markWindow([createRow('a'), createRow('b')], { first: 0, end: 2, total: 2 });
  expect(rows).toEqual([createRow('a'), createRow('b')]);
  expect(drawEdges(rows, TERMINAL).map(({ text }) => text)).toEqual(['│', '│']);
  expect(writeRanges([EMPTY_ROW, ...rows], 40)).toEqual({ rows: [EMPTY_ROW, ...rows], remainingLabels: [] });
});

test.each([10, 24, 60])('in any window of a text of 1000 lines the bar is whole, at %i rows', (rows) => {
  let before = -1;
  for (let first = 0; first <= 1000 - rows; first += 7) {
    const window = { first, end: first + rows, total: 1000 };
    const edges = drawEdges(
      markWindow(
        Array.from({ length: rows }, () => EMPTY_ROW),
        window,
      ),
      TERMINAL,
    ).map(({ text }) => text);
    const start = edges.indexOf(getGlyphs(TERMINAL).scrollBar);
    expect(start).toBeGreaterThanOrEqual(Math.max(before, first > 0 ? 1 : 0));
    before = start;
  }
});

test('help, lists, files, diffs and questions have a bar wherever they scroll', () => {
  const open = (name: string) => STATES[name]?.() ?? expect.fail(name);
  const pages = {
    help: applyInputs(open('networks'), { type: 'overlay/open', overlay: 'help' }),
    review: open('review'),
    services: open('services'),
    report: open('report done'),
    files: applyInputs(open('generate needed'), { type: 'row/move', by: 1, count: 9 }),
    log: applyInputs(open('bootstrap waiting'), { type: 'log/whole' }),
    operators: open('operators waiting'),
    hosts: open('hosts needed'),
  };
  for (const [name, state] of Object.entries(pages)) {
    const lines = appRows(state, { ...TERMINAL, rows: 18 }, { resumeCommand: '' }).map(getRowText);
    expect(lines.filter((line) => line.endsWith('▐')).length, `${name}\n${lines.join('\n')}`).toBeGreaterThan(0);
    expect(lines.join('\n'), name).toMatch(/\d+–\d+ of \d+/);
  }
});

test('in the sidebar only the sign of a step that is done has a colour, and the current step stands out', () => {
  const sidebar = [
    { label: 'Cluster', state: 'done' },
    { label: 'Networks', state: 'current' },
    { label: 'Nodes', state: 'open' },
  ] as const;
  const frame = {
    cluster: 'c',
    version: '',
    breadcrumb: 'Place',
    position: '2/3',
    bindings: [],
    sidebar,
    body: () => [],
  };
  const rows = createFrameRows(frame, TERMINAL).slice(2, 5);
  const listTones = ({ segments }: PageRow) =>
    segments.slice(1, 3).map(({ text, tone }) => `${text.trim()} ${tone}`.trim());
  expect(rows.map(listTones)).toEqual([
    ['✔ ok', 'Cluster muted'],
    ['▸ focus', 'Networks focus'],
    ['muted', 'Nodes muted'],
  ]);
});
