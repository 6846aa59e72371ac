import { expect, test } from 'vitest';
import type { StepId } from '../../src/steps/contract.ts';
import type { Event } from '../../src/wizard/intents.ts';
import { onwardGoal } from '../../src/wizard/navigate.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { update } from '../../src/wizard/update.ts';
import { after, probeOf, safePlan, wizardState } from '../support/wizard-state.ts';

const looked = (step: StepId, state: 'done' | 'needed' | 'waiting'): Event => ({
  type: 'step/looked',
  step,
  probe: probeOf(state, {}),
  plan: safePlan,
});
/** Somebody who has been at the certificates and stands on the review. */
const review = () => after(wizardState({}, { screen: 'certificates' }), { type: 'screen/go', screen: 'review' });
const done = (...steps: readonly StepId[]) => steps.map((step) => looked(step, 'done'));
const screenOf = (state: WizardState) => state.screen;

test('the way back leads through what is done to where the person was, and looks at each step', () => {
  const begun = update(review(), { type: 'screen/onward' });
  expect(screenOf(begun.state)).toBe('generate');
  expect(begun.effects).toContainEqual({ type: 'look', step: 'generate' });
  const next = update(begun.state, looked('generate', 'done'));
  expect(screenOf(next.state)).toBe('hosts');
  expect(next.effects).toContainEqual({ type: 'look', step: 'hosts' });
  const last = after(next.state, ...done('hosts', 'prepare', 'boot', 'bootstrap', 'bootstrap-removal'));
  expect(screenOf(last)).toBe('certificates');
  expect(screenOf(after(last, looked('certificates', 'done')))).toBe('certificates');
});

test('the first step that is not done holds, also when it is done later', () => {
  const held = after(review(), { type: 'screen/onward' }, ...done('generate'), looked('hosts', 'needed'));
  expect(screenOf(held)).toBe('hosts');
  expect(held.onward).toBeNull();
  expect(screenOf(after(held, looked('hosts', 'done')))).toBe('hosts');
  expect(onwardGoal(after(held, looked('hosts', 'done')))).toBe('certificates');
  const failed: Event = {
    type: 'step/failed',
    step: 'generate',
    during: 'look',
    trouble: { code: 'x', title: 'It broke', cause: 'because', whatToDo: 'mend it' },
  };
  expect(after(review(), { type: 'screen/onward' }, failed).onward).toBeNull();
});

test('a look at another step moves nobody, and who goes another way goes by hand', () => {
  const begun = after(review(), { type: 'screen/onward' });
  expect(screenOf(after(begun, looked('boot', 'done')))).toBe('generate');
  const back = after(begun, { type: 'screen/back' }, looked('generate', 'done'));
  expect(screenOf(back)).toBe('review');
  expect(back.onward).toBeNull();
});

test('there is no way onward for who was no further than the next step', () => {
  const state = wizardState({}, { screen: 'review' });
  expect(onwardGoal(state)).toBeNull();
  expect(update(state, { type: 'screen/onward' }).state).toBe(state);
  expect(onwardGoal(after(state, { type: 'screen/next' }, { type: 'screen/back' }))).toBeNull();
});

test('who comes from a step to correct an answer is led to the review from there', () => {
  const there = after(wizardState({}, { screen: 'certificates' }), { type: 'screen/go', screen: 'nodes' });
  expect(screenOf(after(there, { type: 'screen/next' }))).toBe('review');
  expect(screenOf(after(there, { type: 'screen/back' }))).toBe('certificates');
  const asked = after(wizardState({}, { screen: 'review' }), { type: 'screen/go', screen: 'nodes' });
  expect(screenOf(after(asked, { type: 'screen/next' }))).toBe('services');
});
