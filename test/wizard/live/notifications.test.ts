import { expect, test } from 'vitest';
import type { Probe } from '../../../src/steps/contract.ts';
import { createNotifier } from '../../../src/wizard/live/notifications.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { applyInputs, buildProbe, safePlan, wizardState } from '../../support/wizard-state.ts';

function startNotifier(initial: WizardState) {
  const told: string[] = [];
  const notifier = createNotifier((text) => told.push(text));
  let state = initial;
  const move = (next: WizardState) => {
    notifier.update(state, next);
    state = next;
  };
  return {
    told,
    input: (...inputs: Parameters<typeof applyInputs> extends [unknown, ...infer Rest] ? Rest : never) =>
      move(applyInputs(state, ...inputs)),
  };
}

const probed = (step: 'boot' | 'certificates' | 'infra', probe: Probe<unknown>) =>
  ({ type: 'step/probed', step, probe, plan: safePlan }) as const;
const userError = { code: 'x', title: 'The API is away', cause: 'x', remedy: 'x' };

test('a step that is done after a wait is told once, and one that was done already is not', () => {
  const { told, input } = startNotifier(wizardState({}, { screen: 'boot' }));
  input(probed('infra', buildProbe('done', {})));
  expect(told).toEqual([]);
  input(probed('boot', buildProbe('waiting', {})), probed('boot', buildProbe('waiting', {})));
  input(probed('boot', buildProbe('done', {})));
  input(probed('boot', buildProbe('waiting', {})));
  input(probed('boot', buildProbe('done', {})));
  expect(told).toEqual(['Boot: done']);
});

test('a step that fails is told with its reason', () => {
  const { told, input } = startNotifier(wizardState({}, { screen: 'boot' }));
  input(probed('boot', buildProbe('waiting', {})));
  input({ type: 'step/failed', step: 'boot', during: 'probe', userError });
  expect(told).toEqual(['Boot: failed: The API is away']);
});

test('a question of a job is told when it begins to wait', () => {
  const { told, input } = startNotifier(wizardState({}, { screen: 'infra' }));
  const job = { action: 'apply', subject: null, startedAt: 1, isAsking: true, parts: [] } as const;
  const asking = buildProbe('needed', {}, { job });
  input(probed('infra', asking));
  input(probed('infra', asking));
  expect(told).toEqual(['Infra nodes: a question waits for your answer']);
});

test('certificate requests that only the user can decide are told once, and a new one again', () => {
  const request = (name: string, verdict: string) => ({ uid: name, name, verdict, shortName: name, node: null });
  const view = (...requests: readonly object[]) => buildProbe('needed', { requests });
  const { told, input } = startNotifier(wizardState({}, { screen: 'certificates' }));
  input(probed('certificates', view(request('w1', 'decided'))));
  expect(told).toEqual([]);
  input(probed('certificates', view(request('w1', 'expected'), request('w2', 'refused'))));
  input(
    probed(
      'certificates',
      buildProbe('needed', { requests: [request('w1', 'expected'), request('w2', 'refused')], again: 1 }),
    ),
  );
  expect(told).toEqual(['certificate requests wait for you: w1, w2']);
  input(probed('certificates', view(request('w3', 'refused'))));
  expect(told.at(-1)).toBe('certificate requests wait for you: w3');
});
