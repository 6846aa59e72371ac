import { expect, test } from 'vitest';
import { MINUTE } from '../../src/ports/clock.ts';
import { type Attention, attentionAfter, CALM, titleOf } from '../../src/wizard/attention.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { after, probeOf, safePlan, wizardState } from '../support/wizard-state.ts';

const looked = (state: WizardState, found: 'waiting' | 'done') =>
  after(state, { type: 'step/looked', step: 'boot', probe: probeOf(found, {}), plan: safePlan });
const waiting = looked(wizardState({}, { screen: 'boot' }), 'waiting');
const began: Attention = attentionAfter(CALM, waiting, 0).attention;

test('the end of a long wait calls, also where another screen is shown; the end of a short one does not', () => {
  expect(attentionAfter(began, waiting, 10 * MINUTE)).toEqual({ attention: began, isNew: false });
  const done = looked(after(waiting, { type: 'screen/go', screen: 'review' }), 'done');
  const { attention, isNew } = attentionAfter(began, done, 10 * MINUTE);
  expect([attention.called, isNew]).toEqual(['boot', true]);
  expect(titleOf(done, attention)).toBe('ocp45 Boot: done - upi-wizard');
  expect(attentionAfter(attention, done, 11 * MINUTE).isNew).toBe(false);
  expect(attentionAfter(began, done, MINUTE).isNew).toBe(false);
});

test('so does a failure after a long time', () => {
  const trouble = { code: 'x', title: 'x', cause: 'x', whatToDo: 'x' };
  const failed = after(waiting, { type: 'step/failed', step: 'boot', during: 'look', trouble });
  const { attention, isNew } = attentionAfter(began, failed, 2 * MINUTE);
  expect([isNew, titleOf(failed, attention)]).toEqual([true, 'ocp45 Boot: FAILED - upi-wizard']);
});

test('the title says where a person is, and that it is a rehearsal', () => {
  expect(titleOf(waiting, CALM)).toBe('ocp45 Boot: waiting - upi-wizard');
  const rehearsal = { speed: 60, isPaused: false };
  const rehearsing = { ...wizardState(), welcome: { ...waiting.welcome, rehearsal } };
  expect(titleOf(rehearsing, CALM)).toBe('REHEARSAL ocp45 Welcome - upi-wizard');
});
