import { expect, test } from 'vitest';
import { createStepState, describeDroppedFacts, parseFacts, type StepFacts } from '../../src/steps/step-state.ts';

test('every fact that is set is saved at once', () => {
  const facts: StepFacts = { served: ['w1'] };
  const saves: string[] = [];
  const memory = createStepState(facts, () => saves.push(JSON.stringify(facts)));
  expect(memory.get('served')).toEqual(['w1']);
  expect(memory.get('stage')).toBeUndefined();
  memory.set('stage', 'install');
  memory.set('served', ['w2']);
  expect(saves).toEqual(['{"served":["w1"],"stage":"install"}', '{"served":["w2"],"stage":"install"}']);
});

test('saved facts are restored', () => {
  const facts: StepFacts = {
    stage: 'infra-only',
    'powered-on': { bs: 1 },
    proven: [],
    'bootstrap-progress': { stages: { api: { startedAt: null, doneAt: 5 } }, changedAt: 7, signature: 'x' },
  };
  expect(parseFacts(JSON.parse(JSON.stringify(facts)))).toEqual({ facts, droppedKeys: [] });
  expect(parseFacts({ 'bootstrap-progress': null }).facts).toEqual({ 'bootstrap-progress': null });
});

test('malformed and unknown facts are dropped and reported; the others stay', () => {
  const saved = JSON.parse(
    '{ "stage": "later", "served": ["w1", 2], "put-at": { "ns1": "1" }, "seen-ready": ["m1"], "old": 1, "__proto__": 1 }',
  );
  const { facts, droppedKeys } = parseFacts(saved);
  expect(facts).toEqual({ 'seen-ready': ['m1'] });
  expect(Object.keys(facts)).toEqual(['seen-ready']);
  expect([...droppedKeys].sort()).toEqual(['__proto__', 'old', 'put-at', 'served', 'stage']);
  expect(describeDroppedFacts(droppedKeys)).toMatchObject([
    { code: 'facts-dropped', cause: expect.stringMatching(/^These were left out: .*served/) },
  ]);
  expect(describeDroppedFacts([])).toEqual([]);
});

test.each([
  { stages: { later: { startedAt: 1, doneAt: 1 } }, changedAt: 1, signature: '' },
  { stages: { api: { startedAt: '1', doneAt: 1 } }, changedAt: 1, signature: '' },
  { stages: {}, changedAt: null, signature: '' },
])('malformed bootstrap progress is dropped (%j)', (progress) => {
  expect(parseFacts({ 'bootstrap-progress': progress, stage: 'install' })).toEqual({
    facts: { stage: 'install' },
    droppedKeys: ['bootstrap-progress'],
  });
});
