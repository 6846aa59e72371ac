import { expect, test } from 'vitest';
import { getAt } from '../../../src/design/paths.ts';
import { fillDown, readNodeDrafts } from '../../../src/wizard/design/node-table.ts';
import { applyInputs, exampleDocument, typeText, wizardState } from '../../support/wizard-state.ts';

const table = (changes = {}) => wizardState(changes, { screen: 'nodes' });
const last = (state: ReturnType<typeof table>) => readNodeDrafts(state.document).at(-1);

test('a new node is offered the next name and address beside its peers, and no MAC address', () => {
  const added = applyInputs(table(), { type: 'node/add' });
  expect(last(added)).toMatchObject({ name: 'w4', role: 'compute', ip: '172.16.0.34', mac: '', memoryGiB: 8 });
  const infra = applyInputs(table(), { type: 'node/move', by: 9 }, { type: 'node/add' });
  expect(last(infra)).toMatchObject({ name: 'i4', role: 'infra', ip: '172.16.0.44', mac: '', memoryGiB: 32 });
});

test('suggested values follow the chosen role, typed values stay', () => {
  const offered = applyInputs(table(), { type: 'node/add' }, { type: 'field/move', by: 1 });
  const infra = applyInputs(offered, { type: 'choice/move', by: 1 }, { type: 'field/accept' });
  expect(last(infra)).toMatchObject({ name: 'i4', role: 'infra', ip: '172.16.0.44', memoryGiB: 32 });
  const named = applyInputs(table(), { type: 'node/add' }, ...typeText('gpu'), { type: 'field/accept' });
  const both = applyInputs(named, { type: 'choice/move', by: 1 }, { type: 'field/accept' });
  expect(last(both)).toMatchObject({ role: 'infra', ip: '172.16.0.44' });
  expect(String(last(both)?.name)).toContain('gpu');
});

test('an untouched suggestion is removed with its form', () => {
  expect(applyInputs(table(), { type: 'node/add' }, { type: 'node/close' }).document).toEqual(exampleDocument());
  const copied = applyInputs(table(), { type: 'node/move', by: 4 }, { type: 'node/duplicate' });
  expect(getAt(copied.document, 'nodes.5')).toMatchObject({ name: 'w4', ip: '172.16.0.34', mac: '' });
  expect(applyInputs(copied, { type: 'node/close' }).document).toEqual(exampleDocument());
});

test('a new node of which only the size was typed stays', () => {
  const focused = applyInputs(table(), { type: 'node/add' }, { type: 'field/move', by: 5 });
  const sized = applyInputs(focused, ...typeText('48'), { type: 'field/accept' });
  expect(last(sized)).toMatchObject({ name: 'w4', memoryGiB: 48 });
  expect(last(applyInputs(sized, { type: 'node/close' }))).toMatchObject({ name: 'w4', memoryGiB: 48 });
});

test('without peers, or where they have nothing to count from, nothing is offered', () => {
  expect(last(applyInputs(table({ nodes: [] }), { type: 'node/add' }))).toMatchObject({ name: '', ip: '', mac: '' });
  expect(
    last(applyInputs(table({ nodes: [{ name: 'worker', role: 'compute' }] }), { type: 'node/add' })),
  ).toMatchObject({
    name: '',
    ip: '',
  });
});

test('filling down stays in the role unless other roles are wanted too', () => {
  expect(fillDown(exampleDocument(), 4, 'ip')?.count).toBe(2);
  const across = fillDown(exampleDocument(), 4, 'ip', true);
  expect(across?.nodes.slice(5).map(({ ip }) => ip)).toEqual([32, 33, 34, 35, 36].map((host) => `172.16.0.${host}`));
  const filled = applyInputs(
    table(),
    { type: 'node/move', by: 4 },
    { type: 'node/fill-open' },
    { type: 'node/fill-move', by: 1 },
  );
  const done = applyInputs(filled, { type: 'node/fill-across' }, { type: 'node/fill' });
  expect(last(done)).toMatchObject({ name: 'i3', ip: '172.16.0.36' });
  expect(applyInputs(done, { type: 'document/undo' }).document).toEqual(exampleDocument());
});
