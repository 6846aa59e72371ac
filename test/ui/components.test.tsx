import type { ReactNode } from 'react';
import { afterEach, describe, expect, test } from 'vitest';
import { diffLines } from '../../src/platform/diff.ts';
import { getDisplayWidth } from '../../src/platform/text.ts';
import { createConfirmationRows } from '../../src/rows/confirmation.ts';
import { createFormRows, type FormContent, type FormField } from '../../src/rows/form.ts';
import { createFrameRows } from '../../src/rows/frame.ts';
import { createRow, getRowText, type PageRow, type Viewport } from '../../src/rows/page-rows.ts';
import { createProgressRow, createSpinnerRow } from '../../src/rows/progress.ts';
import { createSelectRows } from '../../src/rows/select.ts';
import { formatStatusText } from '../../src/rows/status.ts';
import { type Column, layOutTable, type TableContent, type TableRow } from '../../src/rows/table.ts';
import { createTextRows } from '../../src/rows/text.ts';
import { DrawnRows } from '../../src/ui/rows.tsx';
import { type TerminalStyle, TerminalStyleProvider } from '../../src/ui/terminal-style.tsx';
import { createTextField } from '../../src/wizard/text-input.ts';
import { type MountedApp, mount } from '../support/mount.tsx';

const mounts: MountedApp[] = [];
afterEach(async () => {
  for (const mounted of mounts.splice(0)) await mounted.unmount();
});

const rich: TerminalStyle = { hasUnicode: true, hasColour: true, canAnimate: false, columns: 80, rows: 24 };
const variants: readonly TerminalStyle[] = [
  rich,
  { ...rich, columns: 100, rows: 30 },
  { ...rich, columns: 140, rows: 45 },
  { ...rich, hasColour: false },
  { ...rich, hasUnicode: false },
  { ...rich, columns: 60, rows: 15 },
];

type DrawRows = (viewport: Viewport) => readonly PageRow[];

const withStyle = (style: TerminalStyle, draw: DrawRows) => (
  <TerminalStyleProvider style={style}>
    <DrawnRows draw={(terminal) => draw({ ...terminal, terminalColumns: terminal.columns })} />
  </TerminalStyleProvider>
);

const inFrame = (style: TerminalStyle, body: DrawRows, footerNote = 'saved 10:41') =>
  withStyle(style, (terminal) =>
    createFrameRows(
      {
        cluster: 'ocp45.example.localdomain',
        version: '4.18',
        breadcrumb: 'Design > Networks',
        position: '3/17',
        sidebar: [{ label: 'ネットワーク', state: 'current' }],
        bindings: [{ keys: ['enter'], label: 'next', intent: null }],
        footerNote,
        body,
      },
      terminal,
    ),
  );

const drawTable =
  (content: TableContent, height?: number): DrawRows =>
  (viewport) =>
    layOutTable(content, viewport).draw(height ?? viewport.rows);
const drawForm =
  (content: FormContent): DrawRows =>
  (viewport) =>
    createFormRows(content, viewport);

async function show(content: ReactNode, style: TerminalStyle = rich): Promise<MountedApp> {
  const mounted = await mount(content, { cols: style.columns, rows: style.rows });
  mounts.push(mounted);
  return mounted;
}

const fields: FormField[] = [
  { id: 'machine', label: 'Machine network', value: '172.16.0.0/24', fact: '254 addresses' },
  { id: 'gateway', label: 'Gateway', value: '172.16.1.254', error: 'is not in 172.16.0.0/24: take an address of it' },
  { id: 'note', label: '備考', value: 'ノードの説明がとても長いので切られる必要がある文字列' },
  { id: 'secret', label: 'Password', value: 'hunter2', isSecret: true },
  {
    id: 'type',
    label: 'Network type',
    value: 'OVNKubernetes',
    choices: ['OVNKubernetes', 'OpenShiftSDN'].map((value) => ({ value, label: value })),
  },
  { id: 'empty', label: 'Proxy', value: '', placeholder: 'none' },
];
const reason = 'Pods get addresses from the cluster network. Nothing outside the cluster routes to it.';

const columns: Column[] = [
  { id: 'name', title: 'NAME', minWidth: 6 },
  { id: 'role', title: 'ROLE', minWidth: 8, maxWidth: 14, priority: 1 },
  { id: 'ip', title: 'ADDRESS', minWidth: 12, priority: 1 },
  { id: 'mac', title: 'MAC', minWidth: 17, priority: 3 },
  { id: 'state', title: 'STATE', minWidth: 9 },
];
function createNodeRows(count: number, state = '◦ not yet'): TableRow[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    cells: {
      name: index % 3 === 2 ? `ノード${index}` : `node${index}`,
      role: 'control-plane',
      ip: `172.16.0.${index}`,
      mac: '00:50:56:96:11:c2',
      state: index === 7 ? state : '✔ Ready',
    },
    tones: { state: 'ok' as const },
  }));
}

const drawLog =
  (lines: readonly string[], top: number | null): DrawRows =>
  (viewport) =>
    createTextRows({ lines, top }, viewport);
const choices = Array.from({ length: 60 }, (_, i) => ({ value: `v${i}`, label: `選択肢 ${i}`, hint: 'x'.repeat(200) }));
const longLines = Array.from({ length: 5000 }, (_, i) => `行 ${i} ${'長い'.repeat(80)}`);
const details = Array.from({ length: 50 }, (_, i) => `line ${i}`);

const gallery: readonly (readonly [string, DrawRows])[] = [
  ['form', drawForm({ fields, focus: 1, editor: createTextField('172.16.1.254'), reason })],
  ['table', drawTable({ columns, rows: createNodeRows(100), selectedIndex: 50 })],
  ['select', (viewport) => createSelectRows(choices, 1, viewport)],
  ['log', drawLog(longLines, null)],
  ['confirm', (viewport) => createConfirmationRows({ question: `${reason.repeat(2)}?`, details }, viewport)],
];

describe.each(gallery)('%s', (_name, content) => {
  test.each(
    variants.map(
      (style) =>
        [
          `${style.columns}×${style.rows}${style.hasColour ? '' : ' mono'}${style.hasUnicode ? '' : ' ascii'}`,
          style,
        ] as const,
    ),
  )('stays inside its frame at %s', async (_variant, style) => {
    const { lines, rawOutput } = await show(inFrame(style, content), style);
    const all = lines();
    expect(all).toHaveLength(style.rows);
    expect(all[1]).toMatch(style.hasUnicode ? /^┌─+┬─+┐$/ : /^\+-+\+-+\+$/);
    expect(all[style.rows - 2]).toMatch(style.hasUnicode ? /^└─+┴─+(?: \d.* ─)?┘$/ : /^\+-+\+-+(?: \d.* -)?\+$/);
    expect(all[style.rows - 1]).toMatch(/^ Enter next .*saved 10:41$/);
    for (const line of all.slice(2, -2)) {
      expect(line).toMatch(style.hasUnicode ? /^│.*│.*[│▐]$/ : /^\|.*\|.*[|#]$/);
      expect(getDisplayWidth(line)).toBe(style.columns);
    }
    if (!style.hasColour) expect(rawOutput()).not.toMatch(/\u001b\[[349][0-7]m/);
    if (!style.hasUnicode) expect(all.join('')).not.toMatch(/[▸✖…▪]/u);
  });
});

test('a form shows values, facts, the error beside its field and in full below, and masks secrets', async () => {
  const { lines, screen, cursor } = await show(
    withStyle(rich, drawForm({ fields, focus: 1, editor: createTextField('172.16.1.254'), reason })),
  );
  expect(lines().slice(0, 10)).toEqual([
    '  Machine network  172.16.0.0/24                         254 addresses',
    '▸ Gateway          172.16.1.254                          ! is not in 172.16.0.0…',
    '  備考             ノードの説明がとても長いので切られ…',
    '  Password         *******',
    '  Network type     OVNKubernetes',
    '  Proxy            none',
    '',
    'Error  is not in 172.16.0.0/24: take an address of it',
    'Why    Pods get addresses from the cluster network. Nothing outside the cluster',
    '       routes to it.',
  ]);
  expect(screen()).not.toContain('hunter2');
  expect(cursor()).toEqual({ x: 19 + 12, y: 1 });
});

test('the terminal’s cursor follows the focus down and up, and is hidden on a choice', async () => {
  const form = (focus: number, text: string) =>
    inFrame(rich, drawForm({ fields, focus, editor: createTextField(text) }));
  const { rerender, cursor } = await show(form(0, 'abc'));
  const first = cursor();
  await rerender(form(2, '日本'));
  expect(cursor()).toEqual({ x: (first?.x ?? 0) + 1, y: (first?.y ?? 0) + 2 });
  await rerender(form(0, 'abc'));
  expect(cursor()).toEqual(first);
  await rerender(form(4, 'OVNKubernetes'));
  expect(cursor()).toBeNull();
});

test('a focused choice shows how it is changed', async () => {
  const { screen } = await show(
    withStyle(rich, drawForm({ fields, focus: 4, editor: createTextField('OpenShiftSDN') })),
  );
  expect(screen()).toContain('< OpenShiftSDN >  2/2');
});

test('the longest choice is not cut beside derived values, and choosing it moves nothing', () => {
  const choices = ['standard', 'single-node-bootstrap'].map((value) => ({ value, label: value }));
  const own: FormField[] = [
    { id: 'version', label: 'OpenShift version', value: '4.18', fact: 'Kubernetes 1.31' },
    { id: 'topology', label: 'Topology', value: 'standard', choices },
  ];
  const drawTexts = (text: string) =>
    createFormRows(
      { fields: own, focus: 1, editor: createTextField(text) },
      { ...rich, columns: 61, terminalColumns: 80 },
    ).map(({ segments }) => segments.map((segment) => segment.text).join(''));
  const [before, after] = ['standard', 'single-node-bootstrap'].map(drawTexts);
  expect(after?.[1]).toContain('single-node-bootstrap');
  expect(after?.[0]).toContain('Kubernetes 1.31');
  expect(after?.[0]).toBe(before?.[0]);
});

test('a colon ends no row: the name of an example stands without it where its value follows in the next row', () => {
  const fact = 'example: api.ocp45.example.localdomain';
  const draw = (columns: number) =>
    createFormRows(
      {
        fields: [{ id: 'n', label: 'Name', value: 'ocp45', fact, isExample: true }],
        focus: 0,
        editor: createTextField('ocp45'),
      },
      { ...rich, columns, terminalColumns: columns },
    )
      .slice(0, 2)
      .map((row) => getRowText(row).replaceAll(/ {2,}/g, ' ').trim());
  expect(draw(60)).toEqual(['▸ Name ocp45 example', 'api.ocp45.example.localdomain']);
  expect(draw(90)).toEqual([`▸ Name ocp45 ${fact}`, '']);
});

test('a long text scrolls so that its cursor is visible', async () => {
  const long = { id: 'l', label: 'L', value: '' };
  const text = `${'x'.repeat(100)}END`;
  const form = (cursor: number) => withStyle(rich, drawForm({ fields: [long], focus: 0, editor: { text, cursor } }));
  const { lines, rerender } = await show(form(103));
  expect(lines()[0]).toMatch(/^▸ L {2}…x{68}END$/);
  await rerender(form(0));
  expect(lines()[0]).toMatch(/^▸ L {2}x{72}…$/);
  const ascii = drawForm({ fields: [long], focus: 0, editor: { text, cursor: 103 } });
  await rerender(withStyle({ ...rich, hasUnicode: false }, ascii));
  expect(lines()[0]).toMatch(/^> L {2}\.{3}x{66}END$/);
});

test('a table drops columns by priority, keeps them aligned, and shows which part is visible', async () => {
  const table = drawTable({ columns, rows: createNodeRows(100), selectedIndex: 50 }, 6);
  const wide = await show(withStyle(rich, table));
  expect(wide.lines()[0]).toMatch(/^ {2}NAME {7}ROLE {11}ADDRESS {7}MAC {16}STATE +\d+–\d+ of 100$|of 100$/);
  expect(wide.screen()).toContain('▸ ノード50');
  const starts = wide
    .lines()
    .slice(1, 6)
    .map((line) => getDisplayWidth(line.slice(0, line.indexOf('172.16'))));
  expect(new Set(starts).size).toBe(1);
  const small = { ...rich, columns: 34 };
  const narrow = await show(withStyle(small, table), small);
  expect(narrow.screen()).not.toContain('00:50');
  expect(narrow.screen()).toContain('✔ Ready');
});

test('cells that are cut in the selected row are shown in full below the rows, and cuts have one sign', async () => {
  const long = 'a-node-with-a-name-of-many-letters';
  const rows = createNodeRows(9).map((row, index) =>
    index === 1 ? { ...row, cells: { ...row.cells, name: long, ip: long } } : row,
  );
  const small = { ...rich, columns: 40 };
  const table = (selectedIndex: number, style: TerminalStyle) =>
    withStyle(style, drawTable({ columns, rows, selectedIndex }, 8));
  const { lines, rerender } = await show(table(1, small), small);
  expect(lines()[2]).toMatch(/^▸ a-node-.*… {2}\S+… {2}✔ Ready$/);
  expect(lines().slice(4, 8)).toEqual([
    '  node3              control…  ✔ Ready',
    `  NAME: ${long.slice(0, 32)}`,
    `        ${long.slice(32)}`,
    '  ROLE: control-plane',
  ]);
  await rerender(table(0, { ...small, hasUnicode: false }));
  expect(lines()[2]).toMatch(/^ {2}a-node-.*\.{3} {2}\S+\.{3} {2}✔ Ready$/);
  expect(lines().join('\n')).not.toContain('NAME:');
});

test('a table without rows shows a message', async () => {
  const { lines } = await show(withStyle(rich, drawTable({ columns, rows: [], selectedIndex: null })));
  expect(lines()[1]).toBe('  Nothing here yet.');
  const why = 'No requests. They appear when nodes have installed themselves and ask the cluster for certificates.';
  const narrow = { ...rich, columns: 40 };
  const rendered = await show(withStyle(narrow, drawTable({ columns, rows: [], selectedIndex: null, emptyText: why })));
  expect(rendered.lines().join(' ').replace(/\s+/g, ' ')).toContain(why);
});

test('one changed row of a 30-row table costs at most 120 bytes', async () => {
  const style = { ...rich, columns: 120, rows: 40 };
  const table = (state: string) =>
    inFrame(style, drawTable({ columns, rows: createNodeRows(30, state), selectedIndex: 3 }));
  const { bytes, rerender, screen } = await show(table('◦ not yet'), style);
  const before = bytes();
  await rerender(table('✔ Ready'));
  expect(screen()).not.toContain('not yet');
  expect(bytes() - before).toBeGreaterThan(0);
  expect(bytes() - before).toBeLessThanOrEqual(120);
});

test('a log of a hundred thousand lines follows its end, or stays at a given line', async () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index}`);
  const followed = await show(withStyle(rich, drawLog(lines, null)));
  expect(followed.lines()[23]).toBe('line 99999');
  const scrolled = await show(withStyle(rich, drawLog(lines, 500)));
  expect(scrolled.lines()[0]).toBe('line 500');
});

test('a select draws the item that the store selected', async () => {
  const items = ['a', 'b', 'c'].map((value) => ({ value, label: `item ${value}` }));
  const { lines, rerender, press } = await show(withStyle(rich, (viewport) => createSelectRows(items, 0, viewport)));
  expect(lines().slice(0, 3)).toEqual(['▸ item a', '  item b', '  item c']);
  await press('\u001b[B\r');
  expect(lines()[0]).toBe('▸ item a');
  await rerender(withStyle(rich, (viewport) => createSelectRows(items, 2, viewport)));
  expect(lines().slice(0, 3)).toEqual(['  item a', '  item b', '▸ item c']);
});

test('the selection of a select moves no other row: the full text of a cut item has its own rows', async () => {
  const items = [
    { value: 'a', label: 'Resume', hint: 'prod' },
    { value: 'b', label: 'Start from what you have', hint: 'install-config.yaml, vars.yaml, CSV, hosts file' },
    { value: 'c', label: 'Rehearse', hint: 'in minutes' },
  ];
  const draw = (index: number) =>
    createSelectRows(items, index, { ...rich, columns: 60, terminalColumns: 60, rows: 10 });
  expect(draw(0).map(getRowText)[1]).toMatch(/^ {2}Start from what you have {3}install-config\.yaml, .*…$/);
  expect(getRowText(draw(1)[3] ?? createRow(''))).toBe('  install-config.yaml, vars.yaml, CSV, hosts file');
  for (const index of [0, 1, 2]) {
    expect(draw(index)).toHaveLength(4);
    expect(
      draw(index)
        .slice(0, 3)
        .map((row) => getRowText(row).slice(2, 8)),
    ).toEqual(['Resume', 'Start ', 'Rehear']);
  }
});

test('a state is sign and word', () => {
  const mono = { ...rich, hasColour: false, hasUnicode: false };
  expect(formatStatusText('ok', rich, 'Ready')).toBe('✔ Ready');
  expect(formatStatusText('failed', mono)).toBe('[X] failed');
});

test('progress and spinner are static without animation', async () => {
  const drawBar: DrawRows = (viewport) => [createProgressRow({ done: 4, total: 10, width: 10 }, viewport)];
  expect((await show(withStyle(rich, drawBar))).lines()[0]).toBe('━━━━──────  40 %');
  const drawSpinner: DrawRows = (viewport) => [createSpinnerRow('Looking', viewport)];
  const still = await show(withStyle(rich, drawSpinner));
  expect(still.lines()[0]).toBe('▸ Looking');
  const moving = await show(withStyle({ ...rich, canAnimate: true }, drawSpinner));
  const first = moving.lines()[0];
  await expect.poll(() => moving.lines()[0]).not.toBe(first);
});

test('a diff has the changed lines with what is around them', () => {
  const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
  expect(diffLines(before, before.replace('four', '4'), 1)).toEqual([
    { kind: 'same', text: 'three' },
    { kind: 'removed', text: 'four' },
    { kind: 'added', text: '4' },
    { kind: 'same', text: 'five' },
  ]);
  expect(diffLines(null, 'a\nb\n')).toEqual([
    { kind: 'added', text: 'a' },
    { kind: 'added', text: 'b' },
  ]);
  expect(diffLines(before, before)).toEqual([]);
});
