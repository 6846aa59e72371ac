import { expect, test } from 'vitest';
import { MINUTE } from '../../src/platform/clock.ts';
import { type Attention, deriveAttention, formatWindowTitle, NO_ATTENTION } from '../../src/wizard/attention.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { applyInputs, buildProbe, safePlan, wizardState } from '../support/wizard-state.ts';

const afterProbe = (state: WizardState, found: 'waiting' | 'done') =>
  applyInputs(state, { type: 'step/probed', step: 'boot', probe: buildProbe(found, {}), plan: safePlan });
const waiting = afterProbe(wizardState({}, { screen: 'boot' }), 'waiting');
const initialAttention: Attention = deriveAttention(NO_ATTENTION, waiting, 0).attention;

test('the end of a long wait alerts, also while another screen is shown; the end of a short one does not', () => {
  expect(deriveAttention(initialAttention, waiting, 10 * MINUTE)).toEqual({
    attention: initialAttention,
    shouldRing: false,
  });
  const done = afterProbe(applyInputs(waiting, { type: 'screen/go', screen: 'review' }), 'done');
  const { attention, shouldRing } = deriveAttention(initialAttention, done, 10 * MINUTE);
  expect([attention.finishedStep, shouldRing]).toEqual(['boot', true]);
  expect(formatWindowTitle(done, attention)).toBe('ocp45 Boot: done - upi-wizard');
  expect(deriveAttention(attention, done, 11 * MINUTE).shouldRing).toBe(false);
  expect(deriveAttention(initialAttention, done, MINUTE).shouldRing).toBe(false);
});

test('a failure after a long time alerts, too', () => {
  const userError = { code: 'x', title: 'x', cause: 'x', remedy: 'x' };
  const failed = applyInputs(waiting, { type: 'step/failed', step: 'boot', during: 'probe', userError });
  const { attention, shouldRing } = deriveAttention(initialAttention, failed, 2 * MINUTE);
  expect([shouldRing, formatWindowTitle(failed, attention)]).toEqual([true, 'ocp45 Boot: FAILED - upi-wizard']);
});

test('the window title names the screen, and a rehearsal', () => {
  expect(formatWindowTitle(waiting, NO_ATTENTION)).toBe('ocp45 Boot: waiting - upi-wizard');
  const rehearsal = { speed: 60, isPaused: false };
  const rehearsing = { ...wizardState(), welcome: { ...waiting.welcome, rehearsal } };
  expect(formatWindowTitle(rehearsing, NO_ATTENTION)).toBe('REHEARSAL ocp45 Welcome - upi-wizard');
});

test('a title names no cluster that was refused', () => {
  expect(formatWindowTitle(wizardState({ 'cluster.name': 'prod7' }), NO_ATTENTION)).toMatch(/^prod7 /);
  expect(formatWindowTitle(wizardState({ 'cluster.name': 'Prod 7!' }), NO_ATTENTION)).not.toContain('Prod');
});
