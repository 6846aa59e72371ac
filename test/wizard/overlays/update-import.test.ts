import { expect, onTestFinished, test } from 'vitest';
import { renderExampleDesign } from '../../../src/design/example.ts';
import { importDesign, isImportFailure } from '../../../src/design/imports/index.ts';
import { getAt } from '../../../src/design/paths.ts';
import { readNodeDrafts } from '../../../src/wizard/design/node-table.ts';
import type { ImportOffer } from '../../../src/wizard/overlays/overlay.ts';
import { listImportChanges } from '../../../src/wizard/overlays/update-import.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { mountWizard } from '../../support/wizard-app.tsx';
import { applyInputs, exampleDocument, getEffects, getImport, wizardState } from '../../support/wizard-state.ts';

const TABLE =
  'name\trole\tip\tmac\nw1\tworker\t172.16.0.77\t00:50:56:96:00:01\nw9\tworker\t172.16.0.79\t00:50:56:96:00:09\n';
const CONFIG = 'apiVersion: v1\nbaseDomain: example.org\nmetadata: {name: prod}\npullSecret: "{}"\n';

const nodesPage = () => wizardState({}, { screen: 'nodes' });
const names = (state: WizardState) => readNodeDrafts(state.document).map(({ name }) => name);

function createOffer(text: string, path: string): ImportOffer {
  const read = importDesign(text);
  if (isImportFailure(read)) throw new Error(read.problem);
  const { files, ...rest } = read;
  return { ...rest, path, secrets: files.map(({ name }) => name) };
}

test('a list pasted on the node table is shown before anything changes', () => {
  const state = applyInputs(nodesPage(), { type: 'import/paste', text: TABLE });
  expect(getImport(state)).toMatchObject({ phase: 'offered', choice: 1 });
  expect(state.document).toEqual(exampleDocument());
  const closed = applyInputs(state, { type: 'import/close' });
  expect(closed.overlay).toBeNull();
  expect(closed.document).toEqual(exampleDocument());
});

test('the old and new values of changed nodes are listed, up to a maximum', () => {
  const offered = applyInputs(nodesPage(), { type: 'import/paste', text: TABLE });
  const importState = getImport(offered);
  if (importState?.phase !== 'offered') throw new Error('nothing was offered');
  const { mac } = readNodeDrafts(offered.document).find(({ name }) => name === 'w1') ?? {};
  expect(listImportChanges(offered, importState.offer, 'merge-nodes')).toEqual([
    'w9 is new',
    'w1 > Address 172.16.0.77 (was 172.16.0.31)',
    `w1 > MAC address 00:50:56:96:00:01 (was ${mac})`,
  ]);
  expect(listImportChanges(offered, importState.offer, 'replace-nodes')).toContain('m1 is removed');
  const design = createOffer(CONFIG, 'install-config.yaml');
  expect(listImportChanges(offered, design, 'new-design').at(-1)).toMatch(/^and \d+ more changes$/);
});

test('pasted text is not called a file, and what would be wrong after the import comes before what it changes', async () => {
  const text = `${TABLE}b9\tbootstrap\t172.16.0.80\t00:50:56:96:00:0a\n`;
  const offered = applyInputs(nodesPage(), { type: 'import/paste', text });
  const page = await mountWizard(offered, { cols: 80, rows: 40 });
  onTestFinished(() => page.unmount());
  const screen = page.screen();
  expect(screen).toContain('Import pasted text');
  expect(screen).not.toContain('Import existing files');
  const [errorAt, changeAt] = [screen.indexOf('The control plane has 0 nodes'), screen.indexOf('It changes:')];
  expect(errorAt).toBeGreaterThan(0);
  expect(changeAt).toBeGreaterThan(errorAt);
});

test('another topology and number of nodes are named first; an import that changes neither names none', async () => {
  const readOffer = async (text: string) => {
    const page = await mountWizard(applyInputs(nodesPage(), { type: 'import/paste', text }), { cols: 90, rows: 40 });
    const screen = page.screen().replace(/[\s│▐]+/g, ' ');
    await page.unmount();
    return screen;
  };
  expect(await readOffer(renderExampleDesign({ topology: 'compact' }))).toContain(
    'as a design of upi-wizard. The cluster becomes compact with 4 nodes (was standard with 10 nodes).',
  );
  expect(await readOffer(TABLE)).toContain('The cluster becomes standard with 11 nodes (was standard with 10 nodes).');
  expect(await readOffer('w1\tworker\t172.16.0.77\t00:50:56:96:00:01\n')).not.toContain('The cluster becomes');
});

test('it replaces the table, or is merged into it by name, and can be undone', () => {
  const offered = applyInputs(nodesPage(), { type: 'import/paste', text: TABLE });
  const replaced = applyInputs(offered, { type: 'import/move', by: -1 }, { type: 'import/enter' });
  expect(names(replaced)).toEqual(['w1', 'w9']);
  expect(replaced).toMatchObject({ screen: 'nodes', overlay: null });
  expect(applyInputs(replaced, { type: 'document/undo' }).document).toEqual(exampleDocument());
  // Two nodes are no cluster: a merge is probably intended.
  const merged = applyInputs(offered, { type: 'import/enter' });
  expect(names(merged)).toHaveLength(11);
  expect(readNodeDrafts(merged.document)[4]).toMatchObject({ name: 'w1', ip: '172.16.0.77', vcpu: 2 });
});

test('after an import the first node with an error is selected, and the notice names those to correct', () => {
  const rows = [5, 6, 7, 8].map((number) => `m${number}\tmaster\t172.16.0.2${number}\tx${number}\n`).join('');
  const state = applyInputs(
    nodesPage(),
    { type: 'import/paste', text: `name\trole\tip\tmac\nw9\tworker\t172.16.0.79\t00:50:56:96:00:09\n${rows}` },
    { type: 'import/enter' },
  );
  expect(names(state)[state.nodes.row]).toBe('m5');
  expect(state.notice?.text).toContain('has 5 nodes now. To correct: m5, m6, m7 and 1 more.');
});

test('after a shorter table has replaced the nodes, the last of them is selected', () => {
  const page = wizardState({}, { screen: 'nodes' });
  const state = applyInputs(
    { ...page, nodes: { ...page.nodes, row: 9 } },
    { type: 'import/paste', text: TABLE },
    { type: 'import/move', by: -1 },
    { type: 'import/enter' },
  );
  expect(names(state)).toEqual(['w1', 'w9']);
  expect(state.nodes.row).toBe(1);
});

test('typed lines are collected, Enter ends a line, and text that is no list is refused and stays', () => {
  let state = applyInputs(nodesPage(), { type: 'import/open', from: 'lines' });
  for (const text of 'zeus') state = applyInputs(state, { type: 'import/edit', event: { kind: 'char', text } });
  state = applyInputs(state, { type: 'import/enter' }, { type: 'import/finish' });
  expect(getImport(state)).toMatchObject({
    phase: 'lines',
    lines: 'zeus\n',
    refusal: expect.stringMatching(/^Nothing in it looks like/),
  });
  state = applyInputs(
    state,
    { type: 'import/edit', event: { kind: 'paste', text: 'w1 172.16.0.31 00:50:56:96:6b:da' } },
    { type: 'import/finish' },
  );
  expect(getImport(state)).toMatchObject({ phase: 'offered', offer: { kind: 'table' } });
});

test('a file is asked for by its name, and read by an effect', () => {
  let state = applyInputs(wizardState(), { type: 'import/open', from: 'file' }, { type: 'import/enter' });
  expect(getImport(state)).toMatchObject({ phase: 'file', refusal: 'Type the name of a file first.' });
  for (const text of 'a.yaml') state = applyInputs(state, { type: 'import/edit', event: { kind: 'char', text } });
  expect(getEffects(state, { type: 'import/enter' })).toEqual([{ type: 'import', path: 'a.yaml' }]);
});

test('a whole design replaces the answers or is merged into them, leads to the review, and its secrets go into files', () => {
  const offer = createOffer(CONFIG, 'install-config.yaml');
  const offered = applyInputs(wizardState(), { type: 'import/open', from: 'file' }, { type: 'import/offered', offer });
  const alone = applyInputs(offered, { type: 'import/enter' });
  expect(alone.screen).toBe('review');
  expect(getAt(alone.document, 'cluster')).toEqual({ name: 'prod', baseDomain: 'example.org' });
  expect(getAt(alone.document, 'nodes')).toEqual([]);
  expect(getEffects(offered, { type: 'import/enter' })).toContainEqual({
    type: 'save-imported',
    path: 'install-config.yaml',
  });
  expect(applyInputs(alone, { type: 'document/undo' }).document).toEqual(exampleDocument());
  const merged = applyInputs(offered, { type: 'import/move', by: 1 }, { type: 'import/enter' });
  expect(getAt(merged.document, 'cluster.name')).toBe('prod');
  expect(names(merged)).toHaveLength(10);
});

test('pasted secrets are not saved, and a message names the right place for them', () => {
  const importing = getImport(applyInputs(nodesPage(), { type: 'import/paste', text: CONFIG }));
  expect(importing).toEqual({ phase: 'lines', lines: '', refusal: expect.stringContaining('save it to a file') });
});

test('input after an import is undone before the import, with a notice', () => {
  const state = applyInputs(
    nodesPage(),
    { type: 'import/paste', text: TABLE },
    { type: 'import/move', by: -1 },
    { type: 'import/enter' },
    { type: 'node/edit' },
    { type: 'field/edit', event: { kind: 'key', name: 'end' } },
    { type: 'field/edit', event: { kind: 'char', text: 'x' } },
    { type: 'node/close' },
    { type: 'document/undo' },
  );
  expect(names(state)).toEqual(['w1', 'w9']);
  expect(state.notice?.text).toBe('Undone: Nodes > w1 > Name w1 (was w1x).');
  expect(applyInputs(state, { type: 'document/undo' }).document).toEqual(exampleDocument());
});

test('the lines of a table that ends its lines with CR LF are counted once, pasted or typed', () => {
  const table = ['name,role,ip,mac', 'w1,worker,172.16.0.77,00:50:56:96:00:01', ',,not a node,', ''];
  const getNotes = (text: string) => {
    const offered = getImport(applyInputs(nodesPage(), { type: 'import/paste', text }));
    return offered?.phase === 'offered' ? offered.offer.notes.join('\n') : '';
  };
  expect(getNotes(table.join('\n'))).toContain('3');
  // tmux pastes CR for LF, so that CR LF arrives as two newlines; so does a paste that is typed key by key.
  expect(getNotes(table.join('\n\n'))).toBe(getNotes(table.join('\n')));
});

test('PgDn and PgUp scroll the description of an offer, and the arrows choose', async () => {
  const rows = Array.from(
    { length: 12 },
    (_, n) => `x${n}\tworker\t172.16.0.${60 + n}\t00:50:56:96:00:1${n.toString(16)}`,
  );
  const offered = applyInputs(nodesPage(), { type: 'import/paste', text: `name\trole\tip\tmac\n${rows.join('\n')}\n` });
  const page = await mountWizard(offered, { cols: 80, rows: 24 });
  onTestFinished(() => page.unmount());
  const getOffer = () => getImport(page.store.getState());
  const { choice } = getOffer() as { choice: number };
  await page.press('\u001b[6~');
  expect(getOffer()).toMatchObject({ choice, top: 5 });
  await page.press('\u001b[5~');
  expect(getOffer()).toMatchObject({ choice, top: 0 });
  await page.press('\u001b[A');
  expect(getOffer()).toMatchObject({ choice: choice - 1 });
});
