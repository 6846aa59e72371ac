import { expect, test } from 'vitest';
import { MINUTE } from '../../src/platform/clock.ts';
import { formatWindowTitle, type LongWaits, NO_LONG_WAITS, updateLongWaits } from '../../src/wizard/bell-and-title.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { applyInputs, buildProbe, safePlan, wizardState } from '../support/wizard-state.ts';

const afterProbe = (state: WizardState, found: 'waiting' | 'done') =>
  applyInputs(state, { type: 'step/probed', step: 'boot', probe: buildProbe(found, {}), plan: safePlan });
const waiting = afterProbe(wizardState({}, { screen: 'boot' }), 'waiting');
const initialWaits: LongWaits = updateLongWaits(NO_LONG_WAITS, waiting, 0).longWaits;

test('the end of a long wait alerts, also while another screen is shown; the end of a short one does not', () => {
  expect(updateLongWaits(initialWaits, waiting, 10 * MINUTE)).toEqual({
    longWaits: initialWaits,
    shouldRing: false,
  });
  const done = afterProbe(applyInputs(waiting, { type: 'screen/go', screen: 'review' }), 'done');
  const { longWaits, shouldRing } = updateLongWaits(initialWaits, done, 10 * MINUTE);
  expect([longWaits.finishedStep, shouldRing]).toEqual(['boot', true]);
  expect(formatWindowTitle(done, longWaits)).toBe('ocp45 Boot: done - upi-wizard');
  expect(updateLongWaits(longWaits, done, 11 * MINUTE).shouldRing).toBe(false);
  expect(updateLongWaits(initialWaits, done, MINUTE).shouldRing).toBe(false);
});

test('a failure after a long time alerts, too', () => {
  const userError = { code: 'x', title: 'x', cause: 'x', remedy: 'x' };
  const failed = applyInputs(waiting, { type: 'step/failed', step: 'boot', during: 'probe', userError });
  const { longWaits, shouldRing } = updateLongWaits(initialWaits, failed, 2 * MINUTE);
  expect([shouldRing, formatWindowTitle(failed, longWaits)]).toEqual([true, 'ocp45 Boot: FAILED - upi-wizard']);
});

test('the window title names the screen, and a rehearsal', () => {
  expect(formatWindowTitle(waiting, NO_LONG_WAITS)).toBe('ocp45 Boot: waiting - upi-wizard');
  const rehearsal = { speed: 60, isPaused: false };
  const rehearsing = { ...wizardState(), welcome: { ...waiting.welcome, rehearsal } };
  expect(formatWindowTitle(rehearsing, NO_LONG_WAITS)).toBe('REHEARSAL ocp45 Welcome - upi-wizard');
});

test('a title names no cluster that was refused', () => {
  expect(formatWindowTitle(wizardState({ 'cluster.name': 'prod7' }), NO_LONG_WAITS)).toMatch(/^prod7 /);
  expect(formatWindowTitle(wizardState({ 'cluster.name': 'Prod 7!' }), NO_LONG_WAITS)).not.toContain('Prod');
});
