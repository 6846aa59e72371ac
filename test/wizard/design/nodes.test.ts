import { expect, test } from 'vitest';
import { getAt } from '../../../src/wizard/design/document.ts';
import { focusedField } from '../../../src/wizard/design/editing.ts';
import { documentNodes } from '../../../src/wizard/design/update-nodes.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { after, effectsOf, exampleDocument, retyped, typed, wizardState } from '../../support/wizard-state.ts';

const table = (changes = {}) => wizardState(changes, { screen: 'nodes' });
const names = (state: WizardState) => documentNodes(state).map(({ name }) => name);
const accept: Intent = { type: 'field/accept' };

test('rows are moved within the table', () => {
  const row = (...by: number[]) => after(table(), ...by.map((n): Intent => ({ type: 'node/move', by: n }))).nodes.row;
  expect([row(1), row(-1), row(100), row(100, -1)]).toEqual([1, 0, 9, 8]);
});

test('editing goes through the fields of one node and back to its row', () => {
  let state = after(table(), { type: 'node/move', by: 4 }, { type: 'node/edit' });
  expect(state.nodes.edit).toMatchObject({ index: 4, isNew: false, focus: 0 });
  state = after(state, ...retyped('worker1'), accept);
  expect(names(state)[4]).toBe('worker1');
  expect(focusedField(state)?.path).toBe('role');
  for (let index = 1; index < 8; index += 1) state = after(state, accept);
  expect(state.nodes).toMatchObject({ row: 4, edit: null });
  expect(state.screen).toBe('nodes');
});

test('a wrong answer about a node keeps the form open at it', () => {
  const state = after(
    table(),
    { type: 'node/edit' },
    { type: 'field/move', by: 3 },
    ...typed('00:50:56:96:11'),
    accept,
  );
  expect(focusedField(state)?.path).toBe('mac');
  expect(state.notice?.kind).toBe('error');
  expect(state.nodes.edit).not.toBeNull();
});

test('closing the form keeps what was being typed', () => {
  const state = after(table(), { type: 'node/edit' }, ...retyped('boot'), { type: 'node/close' });
  expect(state.nodes.edit).toBeNull();
  expect(names(state)[0]).toBe('boot');
});

test('an added node is at the end with its form open; left blank it goes again', () => {
  const added = after(table(), { type: 'node/add' });
  expect(names(added)).toHaveLength(11);
  expect(added.nodes).toMatchObject({ row: 10, edit: { index: 10, isNew: true } });
  const left = after(added, { type: 'node/close' });
  expect(left.document).toEqual(exampleDocument());
  expect(left.nodes.row).toBe(9);
  const named = after(added, ...typed('w9'), { type: 'node/close' });
  expect(names(named).at(-1)).toContain('w9');
});

test('a duplicate stands under its original with the next name and address, and the MAC left to be typed', () => {
  const state = after(table(), { type: 'node/move', by: 4 }, { type: 'node/duplicate' });
  expect(documentNodes(state)[5]).toMatchObject({ name: 'w4', ip: '172.16.0.34', mac: '', role: 'compute', vcpu: 2 });
  expect(state.nodes).toMatchObject({ row: 5, edit: { index: 5, isNew: true } });
  expect(names(state)[4]).toBe('w1');
  expect(names(state)[6]).toBe('w2');
});

test('deleting takes the selected node, saves, and stays within the table', () => {
  const last = after(table(), { type: 'node/move', by: 100 });
  expect(effectsOf(last, { type: 'node/delete' })).toEqual([{ type: 'save' }]);
  const state = after(last, { type: 'node/delete' });
  expect(names(state)).not.toContain('i3');
  expect(state.nodes.row).toBe(8);
  const none = after(table(), ...Array.from({ length: 12 }, (): Intent => ({ type: 'node/delete' })));
  expect(getAt(none.document, 'nodes')).toEqual([]);
  expect(none.nodes.row).toBe(0);
  expect(after(none, { type: 'node/edit' }).nodes.edit).toBeNull();
});

test('a table with rows that are no nodes is shown and can be put right', () => {
  const state = table({ nodes: [null, 'm1', { name: 'w1' }] });
  expect(documentNodes(state)).toEqual([{}, {}, { name: 'w1' }]);
  const edited = after(state, { type: 'node/edit' }, ...typed('m1'), accept);
  expect(getAt(edited.document, 'nodes.0.name')).toBe('m1');
});

test('a deleted node comes back, at its place', () => {
  const deleted = after(table(), { type: 'node/move', by: 4 }, { type: 'node/delete' });
  expect(names(deleted)).not.toContain('w1');
  expect(deleted.notice?.text).toBe('w1 is deleted. u brings it back.');
  expect(after(deleted, { type: 'document/undo' }).document).toEqual(exampleDocument());
});

test('all nodes can be deleted and brought back one after the other', () => {
  const presses = (type: 'node/delete' | 'document/undo') => Array.from({ length: 12 }, (): Intent => ({ type }));
  const empty = after(table(), ...presses('node/delete'));
  expect(names(empty)).toEqual([]);
  expect(after(empty, ...presses('document/undo')).document).toEqual(exampleDocument());
});

test('sorting goes through its orders and the selection stays with its node', () => {
  const sorted = after(table(), { type: 'node/move', by: 7 }, { type: 'node/sort' }, { type: 'node/sort' });
  expect(names(sorted)).toEqual(['bs', 'i1', 'i2', 'i3', 'm1', 'm2', 'm3', 'w1', 'w2', 'w3']);
  expect(names(sorted)[sorted.nodes.row]).toBe('i1');
});

test('filling down asks what, changes what it says, and can be taken back', () => {
  const asked = after(
    table({ 'nodes.4.ip': '172.16.0.51' }),
    { type: 'node/move', by: 4 },
    { type: 'node/fill-open' },
    { type: 'node/fill-move', by: 1 },
  );
  expect(asked).toMatchObject({ overlay: { kind: 'fill', choice: 1 } });
  const filled = after(asked, { type: 'node/fill' });
  expect(documentNodes(filled).map(({ ip }) => ip)).toEqual(expect.arrayContaining(['172.16.0.52', '172.16.0.53']));
  expect(filled).toMatchObject({ overlay: null, notice: { kind: 'info' } });
  expect(documentNodes(after(filled, { type: 'document/undo' }))[5]).toMatchObject({ ip: '172.16.0.32' });
});
