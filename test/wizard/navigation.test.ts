import { expect, test } from 'vitest';
import { getAt } from '../../src/design/paths.ts';
import type { StepId } from '../../src/steps/contract.ts';
import { getTitleVersion } from '../../src/wizard/bell-and-title.ts';
import type { Event } from '../../src/wizard/intents.ts';
import { getContinueTarget } from '../../src/wizard/navigation.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { update } from '../../src/wizard/update.ts';
import { applyInputs, buildProbe, safePlan, typeText, wizardState } from '../support/wizard-state.ts';

const probeEvent = (step: StepId, state: 'done' | 'needed' | 'waiting'): Event => ({
  type: 'step/probed',
  step,
  probe: buildProbe(state, {}),
  plan: safePlan,
});
/** Returns a session that has reached the certificates and shows the review. */
const review = () => applyInputs(wizardState({}, { screen: 'certificates' }), { type: 'screen/go', screen: 'review' });
const doneEvents = (...steps: readonly StepId[]) => steps.map((step) => probeEvent(step, 'done'));
const getScreen = (state: WizardState) => state.screen;

test('continuing leads through done steps to the furthest screen, and probes each step', () => {
  const begun = update(review(), { type: 'screen/onward' });
  expect(getScreen(begun.state)).toBe('generate');
  expect(begun.effects).toContainEqual({ type: 'probe', step: 'generate' });
  const next = update(begun.state, probeEvent('generate', 'done'));
  expect(getScreen(next.state)).toBe('hosts');
  expect(next.effects).toContainEqual({ type: 'probe', step: 'hosts' });
  const last = applyInputs(next.state, ...doneEvents('hosts', 'prepare', 'boot', 'bootstrap', 'bootstrap-removal'));
  expect(getScreen(last)).toBe('certificates');
  expect(getScreen(applyInputs(last, probeEvent('certificates', 'done')))).toBe('certificates');
});

test('continuing stops at the first step that is not done, also when it is done later', () => {
  const held = applyInputs(
    review(),
    { type: 'screen/onward' },
    ...doneEvents('generate'),
    probeEvent('hosts', 'needed'),
  );
  expect(getScreen(held)).toBe('hosts');
  expect(held.continueTarget).toBeNull();
  expect(getScreen(applyInputs(held, probeEvent('hosts', 'done')))).toBe('hosts');
  expect(getContinueTarget(applyInputs(held, probeEvent('hosts', 'done')))).toBe('certificates');
  const failed: Event = {
    type: 'step/failed',
    step: 'generate',
    during: 'probe',
    userError: { code: 'x', title: 'It broke', cause: 'because', remedy: 'mend it' },
  };
  expect(applyInputs(review(), { type: 'screen/onward' }, failed).continueTarget).toBeNull();
});

test('Enter leads past steps that have nothing to do any more, once the user has been there', () => {
  const atBoot = (reached: StepId) =>
    applyInputs(
      wizardState({}, { screen: reached }),
      { type: 'screen/go', screen: 'boot' },
      {
        type: 'step/probed',
        step: 'boot',
        probe: buildProbe('done', {}, { nextStep: 'certificates' }),
        plan: safePlan,
      },
    );
  const getNext = (reached: StepId) => getScreen(applyInputs(atBoot(reached), { type: 'screen/next' }));
  expect(getNext('infra')).toBe('certificates');
  expect(getNext('certificates')).toBe('certificates');
  // The removal may still be unconfirmed: it is not passed over.
  expect(getNext('bootstrap-removal')).toBe('bootstrap');
  const away = applyInputs(atBoot('infra'), { type: 'screen/go', screen: 'bootstrap' }, ...doneEvents('bootstrap'));
  expect(getScreen(applyInputs(away, { type: 'screen/next' }))).toBe('bootstrap-removal');
});

test('a probe of another step changes no screen, and other navigation ends continuing', () => {
  const begun = applyInputs(review(), { type: 'screen/onward' });
  expect(getScreen(applyInputs(begun, probeEvent('boot', 'done')))).toBe('generate');
  const back = applyInputs(begun, { type: 'screen/back' }, probeEvent('generate', 'done'));
  expect(getScreen(back)).toBe('review');
  expect(back.continueTarget).toBeNull();
});

test('continuing is not offered if no screen beyond the next step was reached', () => {
  const state = wizardState({}, { screen: 'review' });
  expect(getContinueTarget(state)).toBeNull();
  expect(update(state, { type: 'screen/onward' }).state).toBe(state);
  expect(getContinueTarget(applyInputs(state, { type: 'screen/next' }, { type: 'screen/back' }))).toBeNull();
});

test('after a correction that began at a step, the next screen is the review', () => {
  const there = applyInputs(wizardState({}, { screen: 'certificates' }), { type: 'screen/go', screen: 'nodes' });
  expect(getScreen(applyInputs(there, { type: 'screen/next' }))).toBe('review');
  expect(getScreen(applyInputs(there, { type: 'screen/back' }))).toBe('certificates');
  const asked = applyInputs(wizardState({}, { screen: 'review' }), { type: 'screen/go', screen: 'nodes' });
  expect(getScreen(applyInputs(asked, { type: 'screen/next' }))).toBe('services');
});

test('titles name the last valid version while a refused one is typed', () => {
  const typed = applyInputs(
    { ...wizardState(), hasReachedStep: true },
    { type: 'screen/go', screen: 'cluster', field: 'openshift.version' },
    ...typeText(':nodes'),
    { type: 'field/accept' },
  );
  expect(getAt(typed.document, 'openshift.version')).toBe(':nodes');
  expect(getTitleVersion(typed)).toBe('4.18');
  expect(getTitleVersion(wizardState({ 'openshift.version': '4.20.3' }))).toBe('4.20.3');
});
