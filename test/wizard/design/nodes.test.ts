import { expect, test } from 'vitest';
import { bodyRows } from '../../../screens/app/app.ts';
import { getAt } from '../../../src/design/paths.ts';
import { getRowText } from '../../../src/rows/page-rows.ts';
import { getFocusedField } from '../../../src/wizard/design/active-form.ts';
import { readNodeDrafts } from '../../../src/wizard/design/node-table.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import {
  applyInputs,
  exampleDocument,
  getEffects,
  retypeText,
  typeText,
  wizardState,
} from '../../support/wizard-state.ts';

const table = (changes = {}) => wizardState(changes, { screen: 'nodes' });
const names = (state: WizardState) => readNodeDrafts(state.document).map(({ name }) => name);
const accept: Intent = { type: 'field/accept' };

test('rows are moved within the table', () => {
  const row = (...by: number[]) =>
    applyInputs(table(), ...by.map((n): Intent => ({ type: 'node/move', by: n }))).nodes.row;
  expect([row(1), row(-1), row(100), row(100, -1)]).toEqual([1, 0, 9, 8]);
});

test('editing steps through the fields of one node and returns to its row', () => {
  let state = applyInputs(table(), { type: 'node/move', by: 4 }, { type: 'node/edit' });
  expect(state.nodes.edit).toMatchObject({ index: 4, isNew: false, focus: 0 });
  state = applyInputs(state, ...retypeText('worker1'), accept);
  expect(names(state)[4]).toBe('worker1');
  expect(getFocusedField(state)?.path).toBe('role');
  for (let index = 1; index < 8; index += 1) state = applyInputs(state, accept);
  expect(state.nodes).toMatchObject({ row: 4, edit: null });
  expect(state.screen).toBe('nodes');
});

test.each(['00-50-56-AB-CD-0A', '0050.56ab.cd0a', '00:50:56:AB:CD:0A'])(
  'a MAC address typed as %s is shown as it is saved, once the field is left',
  (typed) => {
    const form = applyInputs(table(), { type: 'screen/go', screen: 'nodes', field: 'nodes.4.mac' });
    expect(getFocusedField(form)?.path).toBe('mac');
    for (const leave of [accept, { type: 'field/move', by: 1 }] as const) {
      const left = applyInputs(form, ...retypeText(typed), leave);
      expect(readNodeDrafts(left.document)[4]?.mac).toBe('00:50:56:ab:cd:0a');
      const back = applyInputs(left, { type: 'field/move', by: -1 });
      expect(back.nodes.edit?.editor.text).toBe('00:50:56:ab:cd:0a');
      expect(back.design?.nodes[4]?.mac).toBe('00:50:56:ab:cd:0a');
    }
  },
);

test.each([
  ['mac', '00:50:56:96:e3:f5', '00:50:56:96:e3:f5 is the MAC address of m1 and of w3'],
  ['ip', '172.16.0.33', '172.16.0.33 is the address of m1 and of w3'],
  ['name', 'w3', 'More than one node has the name w3'],
])('the %s of a later node keeps the form open at the field where it was typed', (key, text, message) => {
  const form = applyInputs(table(), { type: 'screen/go', screen: 'nodes', field: `nodes.1.${key}` });
  expect(getAt(form.document, `nodes.6.${key}`)).toBe(text);
  const wrong = applyInputs(form, ...retypeText(text), accept);
  expect(getFocusedField(wrong)?.path).toBe(key);
  expect(wrong.notice?.text).toContain(message);
  expect(wrong.problems.map(({ path, otherPath }) => [path, otherPath])).toEqual([
    [`nodes.6.${key}`, `nodes.1.${key}`],
  ]);
});

test('a text that is no MAC address stays as it is typed, to be corrected', () => {
  const form = applyInputs(table(), { type: 'screen/go', screen: 'nodes', field: 'nodes.4.mac' });
  expect(readNodeDrafts(applyInputs(form, ...retypeText('00-50-56-AB'), accept).document)[4]?.mac).toBe('00-50-56-AB');
});

test('a wrong answer about a node keeps the form open at it', () => {
  const state = applyInputs(
    table(),
    { type: 'node/edit' },
    { type: 'field/move', by: 3 },
    ...typeText('00:50:56:96:11'),
    accept,
  );
  expect(getFocusedField(state)?.path).toBe('mac');
  expect(state.notice?.kind).toBe('error');
  expect(state.nodes.edit).not.toBeNull();
});

test('closing the form keeps what was being typed', () => {
  const state = applyInputs(table(), { type: 'node/edit' }, ...retypeText('boot'), { type: 'node/close' });
  expect(state.nodes.edit).toBeNull();
  expect(names(state)[0]).toBe('boot');
});

test('an added node is at the end with its form open; left blank it is removed again', () => {
  const added = applyInputs(table(), { type: 'node/add' });
  expect(names(added)).toHaveLength(11);
  expect(added.nodes).toMatchObject({ row: 10, edit: { index: 10, isNew: true } });
  const closed = applyInputs(added, { type: 'node/close' });
  expect(closed.document).toEqual(exampleDocument());
  expect(closed.nodes.row).toBe(9);
  const named = applyInputs(added, ...typeText('w9'), { type: 'node/close' });
  expect(names(named).at(-1)).toContain('w9');
});

test('a duplicate is below its original with the next name and address, and without a MAC', () => {
  const state = applyInputs(table(), { type: 'node/move', by: 4 }, { type: 'node/duplicate' });
  expect(readNodeDrafts(state.document)[5]).toMatchObject({
    name: 'w4',
    ip: '172.16.0.34',
    mac: '',
    role: 'compute',
    vcpu: 2,
  });
  expect(state.nodes).toMatchObject({ row: 5, edit: { index: 5, isNew: true } });
  expect(names(state)[4]).toBe('w1');
  expect(names(state)[6]).toBe('w2');
});

test('deleting takes the selected node, saves, and stays within the table', () => {
  const last = applyInputs(table(), { type: 'node/move', by: 100 });
  expect(getEffects(last, { type: 'node/delete' })).toEqual([{ type: 'save' }]);
  const state = applyInputs(last, { type: 'node/delete' });
  expect(names(state)).not.toContain('i3');
  expect(state.nodes.row).toBe(8);
  const none = applyInputs(table(), ...Array.from({ length: 12 }, (): Intent => ({ type: 'node/delete' })));
  expect(getAt(none.document, 'nodes')).toEqual([]);
  expect(none.nodes.row).toBe(0);
  expect(applyInputs(none, { type: 'node/edit' }).nodes.edit).toBeNull();
});

test('a table with rows that are no nodes is shown and can be corrected', () => {
  const state = table({ nodes: [null, 'm1', { name: 'w1' }] });
  expect(readNodeDrafts(state.document)).toEqual([{}, {}, { name: 'w1' }]);
  const edited = applyInputs(state, { type: 'node/edit' }, ...typeText('m1'), accept);
  expect(getAt(edited.document, 'nodes.0.name')).toBe('m1');
});

test('a deleted node comes back, at its place', () => {
  const deleted = applyInputs(table(), { type: 'node/move', by: 4 }, { type: 'node/delete' });
  expect(names(deleted)).not.toContain('w1');
  expect(deleted.notice?.text).toBe('w1 is deleted. u brings it back.');
  expect(applyInputs(deleted, { type: 'document/undo' }).document).toEqual(exampleDocument());
});

test('all nodes can be deleted and brought back one after the other', () => {
  const presses = (type: 'node/delete' | 'document/undo') => Array.from({ length: 12 }, (): Intent => ({ type }));
  const empty = applyInputs(table(), ...presses('node/delete'));
  expect(names(empty)).toEqual([]);
  expect(applyInputs(empty, ...presses('document/undo')).document).toEqual(exampleDocument());
});

test('sorting cycles through its orders, and the selection stays with its node', () => {
  const sorted = applyInputs(table(), { type: 'node/move', by: 7 }, { type: 'node/sort' }, { type: 'node/sort' });
  expect(names(sorted)).toEqual(['bs', 'i1', 'i2', 'i3', 'm1', 'm2', 'm3', 'w1', 'w2', 'w3']);
  expect(names(sorted)[sorted.nodes.row]).toBe('i1');
});

test('filling down asks for the column, changes it, and can be undone', () => {
  const asked = applyInputs(
    table({ 'nodes.4.ip': '172.16.0.51' }),
    { type: 'node/move', by: 4 },
    { type: 'node/fill-open' },
    { type: 'node/fill-move', by: 1 },
  );
  expect(asked).toMatchObject({ overlay: { kind: 'fill', choice: 1 } });
  const filled = applyInputs(asked, { type: 'node/fill' });
  expect(readNodeDrafts(filled.document).map(({ ip }) => ip)).toEqual(
    expect.arrayContaining(['172.16.0.52', '172.16.0.53']),
  );
  expect(filled).toMatchObject({ overlay: null, notice: { kind: 'info' } });
  expect(readNodeDrafts(applyInputs(filled, { type: 'document/undo' }).document)[5]).toMatchObject({
    ip: '172.16.0.32',
  });
});

test('where nothing can be filled, the overlay gives the reason once', () => {
  const asked = applyInputs(table(), { type: 'node/fill-open' });
  const terminal = { columns: 80, rows: 24, terminalColumns: 80, hasUnicode: true, canAnimate: false };
  const text = (state: WizardState) =>
    bodyRows(state, terminal, '').map(getRowText).join('\n').replaceAll(/ *\n/g, ' ');
  expect(text(asked).split('There is no node below with the same role')).toHaveLength(2);
  expect(text(applyInputs(asked, { type: 'node/fill-across' }))).toContain('Each node gets its own value');
});
