import { expect, test } from 'vitest';
import type { Probe } from '../../../src/steps/contract.ts';
import { createNotifier } from '../../../src/wizard/live/notifications.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { applyInputs, buildProbe, safePlan, wizardState } from '../../support/wizard-state.ts';

function startNotifier(initial: WizardState) {
  const reported: string[] = [];
  const notifier = createNotifier((text) => reported.push(text));
  let state = initial;
  const move = (next: WizardState) => {
    notifier.notifyOfChanges(state, next);
    state = next;
  };
  return {
    reported,
    input: (...inputs: Parameters<typeof applyInputs> extends [unknown, ...infer Rest] ? Rest : never) =>
      move(applyInputs(state, ...inputs)),
  };
}

const createProbed = (step: 'boot' | 'certificates' | 'infra', probe: Probe<unknown>) =>
  ({ type: 'step/probed', step, probe, plan: safePlan }) as const;
const userError = { code: 'x', title: 'The API is away', cause: 'x', remedy: 'x' };

test('a step that is done after a wait is reported once, and one that was done already is not', () => {
  const { reported, input } = startNotifier(wizardState({}, { screen: 'boot' }));
  input(createProbed('infra', buildProbe('done', {})));
  expect(reported).toEqual([]);
  input(createProbed('boot', buildProbe('waiting', {})), createProbed('boot', buildProbe('waiting', {})));
  input(createProbed('boot', buildProbe('done', {})));
  input(createProbed('boot', buildProbe('waiting', {})));
  input(createProbed('boot', buildProbe('done', {})));
  expect(reported).toEqual(['Boot: done']);
});

test('a step that fails is reported with its reason', () => {
  const { reported, input } = startNotifier(wizardState({}, { screen: 'boot' }));
  input(createProbed('boot', buildProbe('waiting', {})));
  input({ type: 'step/failed', step: 'boot', during: 'probe', userError });
  expect(reported).toEqual(['Boot: failed: The API is away']);
});

test('a question of a job is reported when it begins to wait', () => {
  const { reported, input } = startNotifier(wizardState({}, { screen: 'infra' }));
  const job = { action: 'apply', subject: null, startedAt: 1, isAsking: true, parts: [] } as const;
  const asking = buildProbe('needed', {}, { job });
  input(createProbed('infra', asking));
  input(createProbed('infra', asking));
  expect(reported).toEqual(['Infra nodes: a question waits for your answer']);
});

test('certificate requests that only the user can decide are reported once, and a new one again', () => {
  const request = (name: string, verdict: string) => ({ uid: name, name, verdict, shortName: name, node: null });
  const view = (...requests: readonly object[]) => buildProbe('needed', { requests });
  const { reported, input } = startNotifier(wizardState({}, { screen: 'certificates' }));
  input(createProbed('certificates', view(request('w1', 'decided'))));
  expect(reported).toEqual([]);
  input(createProbed('certificates', view(request('w1', 'expected'), request('w2', 'refused'))));
  input(
    createProbed(
      'certificates',
      buildProbe('needed', { requests: [request('w1', 'expected'), request('w2', 'refused')], again: 1 }),
    ),
  );
  expect(reported).toEqual(['certificate requests wait for you: w1, w2']);
  input(createProbed('certificates', view(request('w3', 'refused'))));
  expect(reported.at(-1)).toBe('certificate requests wait for you: w3');
});
