import { expect, test } from 'vitest';
import { update } from '../../src/wizard/update.ts';
import { after, effectsOf, retyped, wizardState } from '../support/wizard-state.ts';

const start = () => after(wizardState(), { type: 'screen/go', screen: 'cluster', field: 'cluster.name' });

test('what is being typed is accepted and saved before another session goes on', () => {
  const state = after(start(), ...retyped('prod'));
  const yielded = update(state, { type: 'session/yield', how: 'taken-over' });
  expect(yielded.state.document).toMatchObject({ cluster: { name: 'prod' } });
  expect(yielded.effects.slice(-2)).toEqual([{ type: 'save' }, { type: 'leave', how: 'taken-over' }]);
});

test('a session that cannot save stays, and is not asked whether to lose its answers', () => {
  const yielding = after(start(), { type: 'session/yield', how: 'detached' });
  const trouble = { code: 'session-unwritable', title: '', cause: 'the disk is full', whatToDo: '' };
  const stayed = after(yielding, { type: 'session/save-failed', trouble });
  expect(stayed).toMatchObject({ isLeaving: null, overlay: null, saveTrouble: trouble });
});

test('a session that was overrun leaves without saving', () => {
  expect(effectsOf(start(), { type: 'session/lose' })).toEqual([{ type: 'leave', how: 'lost' }]);
});
