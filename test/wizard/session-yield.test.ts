import { expect, test } from 'vitest';
import { update } from '../../src/wizard/update.ts';
import { applyInputs, getEffects, retypeText, wizardState } from '../support/wizard-state.ts';

const start = () => applyInputs(wizardState(), { type: 'screen/go', screen: 'cluster', field: 'cluster.name' });

test('what is being typed is accepted and saved before another session takes over', () => {
  const state = applyInputs(start(), ...retypeText('prod'));
  const result = update(state, { type: 'session/yield', reason: 'taken-over' });
  expect(result.state.document).toMatchObject({ cluster: { name: 'prod' } });
  expect(result.effects.slice(-2)).toEqual([{ type: 'save' }, { type: 'leave', reason: 'taken-over' }]);
});

test('a session that cannot save stays open, and does not ask whether to discard its answers', () => {
  const leaving = applyInputs(start(), { type: 'session/yield', reason: 'detached' });
  const userError = { code: 'session-unwritable', title: '', cause: 'the disk is full', remedy: '' };
  const stayed = applyInputs(leaving, { type: 'session/save-failed', userError });
  expect(stayed).toMatchObject({ leaveReason: null, overlay: null, saveError: userError });
});

test('a session whose lock was taken by force exits without saving', () => {
  expect(getEffects(start(), { type: 'session/lose' })).toEqual([{ type: 'leave', reason: 'lost' }]);
});
