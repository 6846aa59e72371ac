import { expect, test } from 'vitest';
import { getAt } from '../../src/wizard/document.ts';
import { focusedField } from '../../src/wizard/editing.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { documentNodes } from '../../src/wizard/update-nodes.ts';
import { after, effectsOf, exampleDocument, typed, wizardState } from '../support/wizard-state.ts';

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
  state = after(state, ...typed('worker1'), accept);
  expect(names(state)[4]).toBe('worker1');
  expect(focusedField(state)?.path).toBe('role');
  for (let index = 1; index < 8; index += 1) state = after(state, accept);
  expect(state.nodes).toEqual({ row: 4, edit: null, before: [] });
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
  const state = after(table(), { type: 'node/edit' }, ...typed('boot'), { type: 'node/close' });
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
  const named = after(added, ...typed('w4'), { type: 'node/close' });
  expect(names(named).at(-1)).toBe('w4');
});

test('a duplicate stands under its original with what must be unique left to be typed', () => {
  const state = after(table(), { type: 'node/move', by: 4 }, { type: 'node/duplicate' });
  expect(documentNodes(state)[5]).toMatchObject({ name: '', ip: '', mac: '', role: 'compute', vcpu: 2 });
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

test('what was deleted comes back, one after the other, in its place', () => {
  const del: Intent = { type: 'node/delete' };
  const undo: Intent = { type: 'node/undo' };
  const emptied = after(table(), ...Array.from({ length: 10 }, () => del));
  expect(names(emptied)).toEqual([]);
  expect(emptied.notice?.text).toContain('i3 is deleted');
  expect(names(after(emptied, undo))).toEqual(['i3']);
  expect(effectsOf(emptied, undo)).toEqual([{ type: 'save' }]);
  const back = after(emptied, ...Array.from({ length: 12 }, () => undo));
  expect(back.document).toEqual(exampleDocument());
  expect(back.nodes.before).toEqual([]);
});

test('going back never takes away what was entered after the deletion', () => {
  const state = after(
    table(),
    { type: 'node/delete' },
    { type: 'node/edit' },
    ...typed('cp1'),
    { type: 'node/close' },
    { type: 'node/undo' },
  );
  expect(names(state)[0]).toBe('cp1');
  expect(names(state)).toHaveLength(9);
});

test('a node that was added and never filled in goes without a word, and what was deleted before is gone for good', () => {
  const state = after(table(), { type: 'node/add' }, { type: 'node/close' });
  expect(state.notice).toBeNull();
  expect(names(state)).toHaveLength(10);
});

test('a pasted table changes nodes of the same name, adds the others, and can be taken back', () => {
  const text = 'name\trole\tip\tmac\nw1\tworker\t172.16.0.36\t00:50:56:00:00:36\nw4\tworker\t172.16.0.34\t\n';
  const state = after(table(), { type: 'node/paste', text });
  expect(names(state)).toHaveLength(11);
  expect(documentNodes(state)[4]).toMatchObject({ name: 'w1', ip: '172.16.0.36', mac: '00:50:56:00:00:36', vcpu: 2 });
  expect(documentNodes(state)[10]).toEqual({
    name: 'w4',
    role: 'compute',
    ip: '172.16.0.34',
    mac: '',
    vcpu: 2,
    memoryGiB: 8,
    diskGiB: 120,
    installDisk: '/dev/sda',
  });
  expect(state.nodes.row).toBe(10);
  expect(state.notice?.text).toContain('1 new, 1 changed');
  expect(after(state, { type: 'node/undo' }).document).toEqual(exampleDocument());
});

test('a paste without a node in it changes nothing and says how one is written', () => {
  const state = after(table(), { type: 'node/paste', text: '???\n' });
  expect(state.document).toEqual(exampleDocument());
  expect(state.notice).toMatchObject({ kind: 'warning', text: expect.stringContaining('one node a line') });
});
