import { afterEach, expect, test } from 'vitest';
import { appRows } from '../../screens/app/app.ts';
import { renderDesign } from '../../screens/shared/design/design-lines.ts';
import { renderBalancerStages, renderNetworkDiagram } from '../../src/design/network-diagram.ts';
import { buildPartialDesign, checkDocument } from '../../src/design/parse.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';
import { applyInputs, exampleDocument, wizardState } from '../support/wizard-state.ts';

let app: WizardApp | null = null;
afterEach(async () => {
  await app?.unmount();
  app = null;
});

function renderDiagram(changes: Readonly<Record<string, unknown>> = {}, hasUnicode = false): string[] {
  const design = buildPartialDesign(wizardState(changes).document);
  if (!design) throw new Error('no draft');
  return renderNetworkDiagram(design, 62, hasUnicode).map(({ text }) => text);
}

test('the picture of the networks is ASCII where it has to be, and the example fits into 62 columns', () => {
  const lines = renderDiagram();
  expect(lines.join('\n')).toMatch(/^[\x20-\x7e\n]*$/);
  expect(Math.max(...lines.filter((line) => !/keepalived/.test(line)).map(({ length }) => length))).toBeLessThanOrEqual(
    62,
  );
  expect(lines).toContain(" '-- 3 infra          172.16.0.41 .. .43  i1 i2 i3");
  expect(lines.length).toBeLessThanOrEqual(19);
});

test('the members of the load balancer stand below the networks, aligned under their ports', () => {
  const design = buildPartialDesign(wizardState().document);
  const lines = renderBalancerStages(design!, false).map(({ text }) => text);
  expect(lines).toEqual([
    'load balancer members         :6443 :22623          :80 :443',
    ' |-- during the installation  bs (backup) m1 m2 m3  w1 w2 w3',
    ' |-- without the bootstrap    m1 m2 m3              w1 w2 w3',
    ' |-- with infra nodes         m1 m2 m3              w1 w2 w3 i1 i2 i3',
    " '-- after the infra moves    m1 m2 m3              i1 i2 i3",
  ]);
});

test('hundreds of nodes are one line per role, under their own network', () => {
  const nodes = Array.from({ length: 250 }, (_, index) => ({
    name: `w${index + 1}`,
    role: 'compute',
    ip: `10.1.${Math.floor(index / 200)}.${(index % 200) + 10}`,
    mac: `02:00:00:00:${Math.floor(index / 200)}0:${(index % 200) + 10}`,
  }));
  const lines = renderDiagram({ nodes, 'networks.machine.1': { cidr: '10.1.0.0/16', gateway: '10.1.0.1' } });
  expect(lines).toContain('router 192.168.124.254, 172.16.0.254, 10.1.0.1');
  const second = lines.findIndex((line) => line.startsWith('machine network 10.1.0.0/16'));
  expect(lines[second + 1]).toMatch(/'-- 250 compute +10\.1\.0\.10 \.\. 10\.1\.1\.59 +w1 \.\. w250/);
  expect(lines.findIndex((line) => line.includes('bastion'))).toBeLessThan(second);
});

test('a node on no network is listed as such', () => {
  const lines = renderDiagram({ 'nodes.1.ip': '10.9.9.9' });
  const heading = lines.findIndex((line) => line.startsWith('in none of these networks'));
  expect(lines[heading + 1]).toContain('10.9.9.9');
});

test('a design with errors is shown all the same, with a hyphen for what is missing', async () => {
  const changes = { 'endpoints.api': '', 'nodes.0.mac': '', 'cluster.baseDomain': undefined };
  app = await mountWizard(wizardState(changes, { screen: 'review' }), { cols: 100, rows: 60 });
  const screen = app.screen();
  expect(screen).toContain('-, OpenShift 4.18 x86_64, standard');
  expect(screen).toMatch(/[├└]─ api +- /);
  expect(screen).toMatch(/bs +bootstrap +172\.16\.0\.11 +- /);
  expect(screen).toContain('Base domain: There is no answer yet.');
});

test('missing fields of an import are listed with the labels of the pages, and Enter leads there', async () => {
  const { openshift: _openshift, services: _services, ...rest } = exampleDocument() as Record<string, unknown>;
  const state = wizardState();
  const { problems, design } = checkDocument(rest);
  const imported = { ...state, document: rest, problems, design };
  app = await mountWizard(applyInputs(imported, { type: 'screen/go', screen: 'review' }), { rows: 40 });
  const screen = app.screen();
  expect(screen).not.toMatch(/block of keys|is missing - |""/);
  expect(screen).toContain('OpenShift version: There is no answer yet.');
  await app.press('\r');
  expect(app.screen()).toMatch(/▸ OpenShift version/);
});

test('Review names the file with the logins of the BMCs for two nodes with fencing only', () => {
  const list = (topology: 'fencing' | 'compact') => {
    const design = buildPartialDesign(exampleDocument(topology));
    return design === null ? [] : renderDesign(design, 100, true).map(({ text }) => text.trim());
  };
  expect(list('fencing').filter((line) => line.startsWith('Fencing'))).toEqual([
    expect.stringMatching(/^Fencing credentials +\.\/fencing\.yaml$/),
  ]);
  expect(list('compact').join('\n')).not.toContain('Fencing');
});

test('/ searches the design: the hit is scrolled into view, n goes on, and Esc ends the search before it leaves', async () => {
  app = await mountWizard(wizardState({}, { screen: 'review' }), { cols: 80, rows: 24 });
  expect(app.screen()).not.toContain('00:50:56:96:ae:4c');
  const lastNode = exampleDocument();
  const mac = String((lastNode as { nodes: { mac: string }[] }).nodes.at(-1)?.mac);
  await app.press('/');
  for (const letter of 'infra') await app.press(letter);
  expect(app.lines()[1]).toContain('Search: infra');
  // Letters are text: none of them is a key of the page.
  expect(app.store.getState()).toMatchObject({ screen: 'review', overlay: null });
  await app.press('\r');
  expect(app.lines()[1]).toMatch(/"infra" in line \d+, 1 of \d+/);
  for (let hit = 0; hit < 9 && !app.screen().includes(mac); hit += 1) await app.press('n');
  expect(app.screen()).toContain(mac);
  await app.press('/');
  for (const letter of 'zzz') await app.press(letter);
  await app.press('\r');
  expect(app.lines()[1]).toContain('was not found');
  await app.escape();
  expect(app.store.getState()).toMatchObject({ screen: 'review', reviewSearch: { query: '' } });
  expect(app.lines()[1]).not.toContain('was not found');
});

test('the selected problem has the bar of other lists and keeps the tone of its severity', () => {
  const state = wizardState({ 'endpoints.api': 'x' }, { screen: 'review' });
  const terminal = { columns: 80, rows: 24, hasUnicode: true, canAnimate: false };
  const selected = appRows(state, terminal, { resumeCommand: '' }).filter(({ segments }) =>
    segments.some(({ isSelected }) => isSelected),
  );
  expect(selected).toHaveLength(1);
  expect(selected[0]?.segments).toContainEqual(expect.objectContaining({ tone: 'error', isSelected: true }));
});

test('with problems, the range of the design and the footer name the key that scrolls it', async () => {
  const state = wizardState({ 'endpoints.api': 'x' }, { screen: 'review' });
  app = await mountWizard(state, { cols: 80, rows: 24 });
  expect(app.screen()).toMatch(/1–\d+ of \d+ \(PgDn\)/);
  expect(app.lines().at(-1)).toContain('PgDn read on');
  await app.unmount();
  app = await mountWizard(wizardState({}, { screen: 'review' }), { cols: 80, rows: 24 });
  expect(app.screen()).toMatch(/1–\d+ of \d+ \(Down\)/);
});

test('Page Down shows the next page of the design, with one row of the last; also below problems', async () => {
  for (const answers of [{}, { 'network.gateway': 'x', 'nodes.1.ip': 'y' }]) {
    app = await mountWizard(wizardState(answers, { screen: 'review' }), { cols: 80, rows: 24 });
    const readRange = () => (/(\d+)–(\d+) of \d+ \(/.exec(app?.screen() ?? '') ?? []).slice(1, 3).map(Number);
    const [first, last] = readRange();
    expect(first).toBe(1);
    await app.press('\u001b[6~');
    expect(readRange()[0]).toBe(last);
    await app.press('\u001b[5~');
    expect(readRange()[0]).toBe(1);
    await app.unmount();
    app = null;
  }
});

test('a wide terminal shows nodes and answers beside the networks, and all of the design at once', async () => {
  app = await mountWizard(wizardState({}, { screen: 'review' }), { cols: 200, rows: 60 });
  expect(app.screen()).toMatch(/company 192\.168\.124\.0\/24 +Nodes\n.* bs {2}bootstrap {6}172\.16\.0\.11 /);
  expect(app.screen()).not.toMatch(/\d+–\d+ of \d+/);
});

test('the sizes of the nodes are aligned in the review, and the table of nodes names their units where it is wide', async () => {
  const design = buildPartialDesign(wizardState({ 'nodes.1.vcpu': 16, 'nodes.1.memoryGiB': 128 }).document);
  if (!design) throw new Error('no draft');
  const lines = renderDesign(design, 76, true).map(({ text }) => text);
  const sizes = ['bs', 'm1', 'w1'].map((name) => lines.find((line) => line.startsWith(`  ${name} `))?.slice(-17));
  expect(sizes).toEqual(['   4 vCPU  16 GiB', '  16 vCPU 128 GiB', '   2 vCPU   8 GiB']);
  for (const [cols, titles] of [
    [110, 'vCPU  RAM  Disk  Install disk'],
    [120, 'vCPU  RAM GiB  Disk GiB  Install disk'],
  ] as const) {
    await app?.unmount();
    app = await mountWizard(wizardState({}, { screen: 'nodes' }), { cols, rows: 40 });
    expect((app.lines().find((line) => line.includes('vCPU')) ?? '').replaceAll(/ {3,}/g, '  ')).toContain(titles);
  }
});
