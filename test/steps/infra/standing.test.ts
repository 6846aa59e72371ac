import { expect, test } from 'vitest';
import type { MoveName } from '../../../src/moves/table.ts';
import { judgeMoves, type SeenMove } from '../../../src/steps/infra/index.ts';
import { isToUndo, startedWith } from '../../../src/steps/infra/standing.ts';
import { exampleSite } from '../../support/example-design.ts';

const seen = (name: MoveName, state: SeenMove['state']): SeenMove => ({ name, state, why: '', changes: [] });
const STATES = ['done', 'needed', 'blocked', 'absent', 'failed', 'moving'] as const;

test('one yes starts the moves up to the first that stops them', () => {
  for (const state of STATES) {
    const { started, stop } = startedWith([seen('dns', 'needed'), seen('router', state), seen('taint', 'needed')]);
    const isStopped = state === 'blocked' || state === 'failed';
    expect([state, stop?.name]).toEqual([state, isStopped ? 'router' : undefined]);
    const after = isStopped ? [] : state === 'needed' ? ['router', 'taint'] : ['taint'];
    expect([state, started.map(({ name }) => name)]).toEqual([state, ['dns', ...after]]);
  }
});

test('the step waits, acts and is blocked by the same question', () => {
  const of = (...moves: SeenMove[]) => {
    const { state, findings } = judgeMoves(moves, exampleSite());
    return [state, ...findings.map(({ code, subject }) => `${code} ${subject}`)];
  };
  expect(of(seen('dns', 'moving'), seen('registry', 'blocked'))).toEqual(['waiting', 'move-blocked registry']);
  expect(of(seen('router', 'needed'), seen('registry', 'blocked'))).toEqual(['needed', 'move-blocked registry']);
  expect(of(seen('router', 'done'), seen('registry', 'blocked'), seen('monitoring', 'needed'))).toEqual([
    'blocked',
    'move-blocked registry',
  ]);
  expect(of(seen('dns', 'failed'), seen('router', 'needed'))).toEqual(['blocked', 'move-failed dns']);
  expect(of(seen('dns', 'failed'), seen('router', 'moving'))).toEqual(['blocked', 'move-failed dns']);
  expect(of(seen('dns', 'done'), seen('lb-final', 'absent'))).toEqual(['done']);
});

test('in the cluster all that is wanted can be undone, of the files what was made', () => {
  expect(STATES.filter((state) => isToUndo(seen('router', state)))).toEqual(STATES.filter((one) => one !== 'absent'));
  expect(STATES.filter((state) => isToUndo(seen('lb-add', state)))).toEqual(['done', 'failed', 'moving']);
});
