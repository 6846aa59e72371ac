import { expect, test } from 'vitest';
import { droppedFacts, type Facts, memoryOver, parseFacts } from '../../src/steps/facts.ts';

test('every fact that is set is saved at once', () => {
  const facts: Facts = { served: ['w1'] };
  const saves: string[] = [];
  const memory = memoryOver(facts, () => saves.push(JSON.stringify(facts)));
  expect(memory.get('served')).toEqual(['w1']);
  expect(memory.get('stage')).toBeUndefined();
  memory.set('stage', 'install');
  memory.set('served', ['w2']);
  expect(saves).toEqual(['{"served":["w1"],"stage":"install"}', '{"served":["w2"],"stage":"install"}']);
});

test('what was saved comes back', () => {
  const facts: Facts = {
    stage: 'infra-only',
    'powered-on': { bs: 1 },
    proven: [],
    'bootstrap-progress': { stages: { api: { startedAt: null, doneAt: 5 } }, changedAt: 7, signature: 'x' },
  };
  expect(parseFacts(JSON.parse(JSON.stringify(facts)))).toEqual({ facts, dropped: [] });
  expect(parseFacts({ 'bootstrap-progress': null }).facts).toEqual({ 'bootstrap-progress': null });
});

test('a fact of another shape and one that nobody knows are dropped and said; the others stay', () => {
  const saved = JSON.parse(
    '{ "stage": "later", "served": ["w1", 2], "put-at": { "ns1": "1" }, "seen-ready": ["m1"], "old": 1, "__proto__": 1 }',
  );
  const { facts, dropped } = parseFacts(saved);
  expect(facts).toEqual({ 'seen-ready': ['m1'] });
  expect(Object.keys(facts)).toEqual(['seen-ready']);
  expect([...dropped].sort()).toEqual(['__proto__', 'old', 'put-at', 'served', 'stage']);
  expect(droppedFacts(dropped)).toMatchObject([
    { code: 'facts-dropped', cause: expect.stringMatching(/^these were left out: .*served/) },
  ]);
  expect(droppedFacts([])).toEqual([]);
});

test.each([
  { stages: { later: { startedAt: 1, doneAt: 1 } }, changedAt: 1, signature: '' },
  { stages: { api: { startedAt: '1', doneAt: 1 } }, changedAt: 1, signature: '' },
  { stages: {}, changedAt: null, signature: '' },
])('a bootstrap that is told in another way is begun anew (%j)', (progress) => {
  expect(parseFacts({ 'bootstrap-progress': progress, stage: 'install' })).toEqual({
    facts: { stage: 'install' },
    dropped: ['bootstrap-progress'],
  });
});
