import { afterEach, expect, test } from 'vitest';
import type { Binding } from '../../src/rows/bindings.ts';
import { createFrameRows, type Frame } from '../../src/rows/frame.ts';
import { createRow, type Viewport } from '../../src/rows/page-rows.ts';
import { DrawnRows } from '../../src/ui/rows.tsx';
import { SizedTerminalStyleProvider, type TerminalStyle, TerminalStyleProvider } from '../../src/ui/terminal-style.tsx';
import { type MountedApp, mount } from '../support/mount.tsx';

const bindings: Binding<string>[] = [
  { keys: ['enter'], label: 'next', intent: 'next' },
  { keys: ['tab'], label: 'field', intent: 'field' },
  { keys: ['escape'], label: 'back', intent: 'back' },
  { keys: ['ctrl-g', '?'], label: 'help', intent: 'help' },
  { keys: ['ctrl-s'], label: 'save and quit', intent: 'quit' },
];
const frame: Frame = {
  cluster: 'ocp45.example.localdomain',
  version: '4.18',
  breadcrumb: 'Design > Networks',
  position: '3/17',
  sidebar: [
    { label: 'Cluster', state: 'done', group: 'Design' },
    { label: 'Networks', state: 'current', group: 'Build' },
    { label: 'Nodes', state: 'open', group: 'Build' },
  ],
  bindings,
  footerNote: 'saved 10:41',
  body: () => [createRow('the screen')],
};

let mounted: MountedApp | undefined;
afterEach(async () => {
  await mounted?.unmount();
  mounted = undefined;
});

function createStyle(columns: number, rows: number, changes: Partial<TerminalStyle> = {}): TerminalStyle {
  return { hasUnicode: true, hasColour: true, canAnimate: false, columns, rows, ...changes };
}

async function show(size: readonly [number, number], props: Partial<Frame>, changes?: Partial<TerminalStyle>) {
  mounted = await mount(
    <TerminalStyleProvider style={createStyle(size[0], size[1], changes)}>
      <DrawnRows draw={(terminal) => createFrameRows({ ...frame, ...props }, terminal)} />
    </TerminalStyleProvider>,
    { cols: size[0], rows: size[1] },
  );
  return mounted;
}

const fillBody = ({ columns, rows }: Viewport) => Array.from({ length: rows }, () => createRow('x'.repeat(columns)));

test.each([
  [80, 24],
  [100, 30],
  [140, 45],
] as const)('the frame fills %d×%d exactly, title on top and keys at the bottom', async (columns, rows) => {
  const { lines } = await show([columns, rows], {});
  const all = lines();
  expect(all).toHaveLength(rows);
  expect(all[0]).toMatch(
    /^ upi-wizard {2,3}ocp45\.example\.localdomain {2,3}OpenShift 4\.18 {2,}Design > Networks {2,3}3\/17$/,
  );
  expect(all[1]).toMatch(/^┌ Design ────┬─+┐$/);
  expect(all[2]).toMatch(/^│ ✔ Cluster {2}│ the screen +│$/);
  expect(all[3]).toBe('├ Build ─────┤'.padEnd(columns - 1).concat('│'));
  expect(all[4]).toMatch(/^│ ▸ Networks │ +│$/);
  expect(all[rows - 2]).toMatch(/^└─{12}┴─+┘$/);
  for (const line of all.slice(1, -1)) expect(line).toHaveLength(columns);
  expect(all[rows - 1]).toMatch(/^ Enter next {2}Tab field {2}Esc back {2}Ctrl-G help .* saved 10:41$/);
  expect(all[0]).toHaveLength(columns - 1);
  expect(all[rows - 1]).toHaveLength(columns - 1);
});

test('the version gives way to the name of the cluster: shortened first, then left out', async () => {
  const showTitle = async (cluster: string) => {
    const { lines } = await show([80, 24], { cluster, rehearsal: 'REHEARSAL 60x' });
    const [title = ''] = lines();
    await mounted?.unmount();
    return title;
  };
  expect(await showTitle('ocp45.example.org')).toBe(
    ' upi-wizard  REHEARSAL 60x  ocp45.example.org  4.18     Design > Networks  3/17',
  );
  expect(await showTitle('ocp45.example.localdomain')).toBe(
    ' upi-wizard  REHEARSAL 60x  ocp45.example.localdomain   Design > Networks  3/17',
  );
  expect(await showTitle('ocp45.prod.example.localdomain')).toBe(
    ' upi-wizard  REHEARSAL 60x  ocp45.prod.example.locald…  Design > Networks  3/17',
  );
});

test('the area given to the screen is the area it has', async () => {
  const { lines } = await show([80, 24], { body: fillBody });
  for (const line of lines().slice(2, 22)) expect(line).toMatch(/[│┤] x{64}│$/);
  expect(lines()[22]).toMatch(/^└─+┴─+┘$/);
});

test('without steps the screen has the whole width', async () => {
  const { lines } = await show([80, 24], { sidebar: [], body: fillBody });
  expect(lines()[1]).toBe(`┌${'─'.repeat(78)}┐`);
  expect(lines()[2]).toBe(`│ ${'x'.repeat(77)}│`);
});

test('without a sidebar the groups of steps are in the upper edge; beside the progress only the present one, whatever its length', async () => {
  const groups = [
    { label: 'Design', state: 'done' },
    { label: 'Build', state: 'problem' },
    { label: 'Install', state: 'current' },
    { label: 'Finish', state: 'open' },
  ] as const;
  const showEdge = async (props: Partial<Frame>, changes?: Partial<TerminalStyle>) => {
    const { lines } = await show([80, 24], { sidebar: [], groups, ...props }, changes);
    const [, edge = ''] = lines();
    await mounted?.unmount();
    return edge;
  };
  expect(await showEdge({ sidebar: frame.sidebar ?? [] })).toMatch(/^┌ Design ────┬─+┐$/);
  expect(await showEdge({})).toBe(`┌ ✔ Design ─ ! Build ─ • Install ─ ◦ Finish ${'─'.repeat(35)}┐`);
  const label = '35 min since power-on';
  expect(await showEdge({ progress: { share: null, label } })).toMatch(/^┌ • Install ─+ 35 min since power-on ─┐$/);
  expect(await showEdge({ progress: { share: 0.5, label: `${label}, usually 40–95 min more` } })).toMatch(
    /^┌ • Install ─+ ━+·+ {2}35 min since power-on, usually 40–95 min more ─┐$/,
  );
  expect(await showEdge({ progress: { share: 0.5, label: 'x'.repeat(72) } })).toBe(`┌─── ${'x'.repeat(72)} ─┐`);
  expect(await showEdge({ body: () => [{ ...createRow('the screen'), prompt: createRow('/ m') }] })).toMatch(
    /^┌ \/ m ─+┐$/,
  );
  expect(await showEdge({}, { hasUnicode: false })).toMatch(
    /^\+ \[OK\] Design - \[!\] Build - \[\*\] Install - \[ \] Finish -+\+$/,
  );
});

test('a body that is too tall or too wide cuts and moves nothing', async () => {
  const { lines } = await show([80, 24], {
    body: () => Array.from({ length: 60 }, (_, row) => createRow(`row ${row} ${'y'.repeat(300)}`)),
  });
  expect(lines()[0]).toContain('upi-wizard');
  expect(lines()[22]).toMatch(/^└─+┴─+┘$/);
  expect(lines()[23]).toContain('Enter next');
});

test('an ASCII terminal gets ASCII alone, and no colour means no colour codes', async () => {
  const shown = await show([80, 24], { cluster: 'a'.repeat(90) }, { hasUnicode: false, hasColour: false });
  expect(shown.screen()).toMatch(/^[\x20-\x7e\n]*$/);
  expect(shown.lines()[1]).toMatch(/^\+ Design -------\+-+\+$/);
  // The same signs as on the pages.
  expect(shown.lines()[2]).toMatch(/^\| \[OK\] Cluster/);
  expect(shown.rawOutput()).not.toMatch(/\u001b\[(?:3[0-9]|9[0-7])m/);
});

test('Japanese words keep the columns in place', async () => {
  const { lines } = await show([80, 24], {
    cluster: 'クラスター名がとても長い場合でも折り返さない.example.localdomain',
    breadcrumb: '設計 > ネットワーク',
    sidebar: [
      { label: 'クラスター', state: 'done' },
      { label: 'ネットワーク', state: 'current' },
    ],
  });
  expect(lines()[2]).toMatch(/^│ ✔ クラスター {3}│ the screen +│$/);
  expect(lines()[3]).toMatch(/^│ ▸ ネットワーク │ +│$/);
  expect(lines()[0]).toMatch(/設計 > ネットワーク {2}3\/17$/);
  expect(lines()[1]).toMatch(/^┌─{16}┬─+┐$/);
});

test('more steps than rows: the current one is visible', async () => {
  const sidebar = Array.from({ length: 40 }, (_, index) => ({
    label: `Step ${index}`,
    state: index === 35 ? ('current' as const) : ('open' as const),
  }));
  expect((await show([80, 24], { sidebar })).screen()).toContain('▸ Step 35');
});

test('while keys move in the sidebar, one pointer marks the selected step, and another sign the current one', async () => {
  const select = (selected: number) => ({
    sidebar: frame.sidebar?.map((item, index) => ({ ...item, isSelected: index === selected })) ?? [],
  });
  const onOther = await show([80, 24], select(0));
  expect(onOther.lines()[2]).toMatch(/^│▸✔ Cluster {2}│/);
  expect(onOther.lines()[4]).toMatch(/^│ • Networks │/);
  const onCurrent = await show([80, 24], select(1));
  expect(onCurrent.lines()[4]).toMatch(/^│▸ {2}Networks │/);
});

test('below 60×15 it asks for a larger window', async () => {
  const { screen } = await show([50, 10], {});
  expect(screen()).toContain('too small');
  expect(screen()).not.toContain('Enter next');
});

test('after many resizes the frame fits the last size', async () => {
  mounted = await mount(
    <SizedTerminalStyleProvider fixedStyle={{ hasUnicode: true, hasColour: true, canAnimate: false }}>
      <DrawnRows draw={(terminal) => createFrameRows({ ...frame, body: fillBody }, terminal)} />
    </SizedTerminalStyleProvider>,
    { cols: 100, rows: 30 },
  );
  for (const [columns, rows] of [
    [80, 24],
    [40, 10],
    [120, 40],
    [20, 5],
    [61, 16],
    [80, 24],
  ] as const) {
    await mounted.resize(columns, rows);
    expect(mounted.lines()).toHaveLength(rows);
    if (columns < 60) expect(mounted.lines().join(' ')).toMatch(/^ The window is too +small\. +Make it 60 by 15 or/);
    else {
      expect(mounted.lines()[0]).toContain('upi-wizard');
      expect(mounted.lines()[1]).toMatch(/^┌.*┐$/);
      expect(mounted.lines()[rows - 2]).toMatch(/^└.*┘$/);
      expect(mounted.lines()[rows - 2]).toHaveLength(columns);
      expect(mounted.lines()[rows - 1]).toContain('saved 10:41');
    }
  }
});
