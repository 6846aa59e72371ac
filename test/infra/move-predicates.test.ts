import { expect, test } from 'vitest';
import type { MoveName } from '../../src/infra/moves.ts';
import { canUndo, type ObservedMove, selectStartable } from '../../src/infra/moves.ts';
import { summarizeMoves } from '../../src/steps/infra.ts';
import { exampleSite } from '../support/example-design.ts';

const createMove = (name: MoveName, state: ObservedMove['state']): ObservedMove => ({
  name,
  state,
  why: '',
  changes: [],
});
const STATES = ['done', 'needed', 'blocked', 'absent', 'failed', 'moving'] as const;

test('one confirmation starts the moves up to the first that is blocked or failed', () => {
  for (const state of STATES) {
    const { started, stop } = selectStartable([
      createMove('dns', 'needed'),
      createMove('router', state),
      createMove('taint', 'needed'),
    ]);
    const isStopped = state === 'blocked' || state === 'failed';
    expect([state, stop?.name]).toEqual([state, isStopped ? 'router' : undefined]);
    const after = isStopped ? [] : state === 'needed' ? ['router', 'taint'] : ['taint'];
    expect([state, started.map(({ name }) => name)]).toEqual([state, ['dns', ...after]]);
  }
});

test('the state of the step follows from the states of its moves', () => {
  const summarize = (...moves: ObservedMove[]) => {
    const { state, findings } = summarizeMoves(moves, exampleSite());
    return [state, ...findings.map(({ code, subject }) => `${code} ${subject}`)];
  };
  expect(summarize(createMove('dns', 'moving'), createMove('registry', 'blocked'))).toEqual([
    'waiting',
    'move-blocked registry',
  ]);
  expect(summarize(createMove('router', 'needed'), createMove('registry', 'blocked'))).toEqual([
    'needed',
    'move-blocked registry',
  ]);
  expect(
    summarize(createMove('router', 'done'), createMove('registry', 'blocked'), createMove('monitoring', 'needed')),
  ).toEqual(['blocked', 'move-blocked registry']);
  expect(summarize(createMove('dns', 'failed'), createMove('router', 'needed'))).toEqual([
    'blocked',
    'move-failed dns',
  ]);
  expect(summarize(createMove('dns', 'failed'), createMove('router', 'moving'))).toEqual([
    'blocked',
    'move-failed dns',
  ]);
  expect(summarize(createMove('dns', 'done'), createMove('lb-final', 'absent'))).toEqual(['done']);
});

test('cluster moves can be undone unless they are absent, file moves once they were applied', () => {
  expect(STATES.filter((state) => canUndo(createMove('router', state)))).toEqual(
    STATES.filter((one) => one !== 'absent'),
  );
  expect(STATES.filter((state) => canUndo(createMove('lb-add', state)))).toEqual(['done', 'failed', 'moving']);
});
