import { expect, test } from 'vitest';
import { createRestorePromptIntents, toSavedQuestion } from '../../src/cli/session/session-holder.ts';
import type { Event, Intent } from '../../src/wizard/intents.ts';
import { isApprovingCertificates } from '../../src/wizard/live/update-step.ts';
import { applyInputs, buildProbe, dangerousPlan, getEffects, safePlan, wizardState } from '../support/wizard-state.ts';

const ask: Intent = { type: 'step/ask', action: 'apply' };
const boot = () => wizardState({}, { screen: 'boot' });
const probeEvent = (state: 'done' | 'needed' | 'waiting', plan = dangerousPlan): Event => ({
  type: 'step/probed',
  step: 'boot',
  probe: buildProbe(state, { nodes: [], refusedMacs: [] }),
  plan,
});
const createPromptState = () => applyInputs(boot(), probeEvent('needed'), ask);

test('a question is saved when it is asked, and removed before its action begins', () => {
  expect(getEffects(applyInputs(boot(), probeEvent('needed')), ask)).toEqual([{ type: 'save' }]);
  expect(toSavedQuestion(createPromptState())).toMatchObject({
    step: 'boot',
    action: 'apply',
    subject: null,
    words: null,
  });
  const yes: Intent = { type: 'step/answer', isYes: true };
  expect(getEffects(createPromptState(), yes)).toEqual([
    { type: 'save' },
    { type: 'run', step: 'boot', action: 'apply', subject: null },
  ]);
  expect(toSavedQuestion(applyInputs(createPromptState(), yes))).toBeNull();
  const no: Intent = { type: 'step/answer', isYes: false };
  expect(getEffects(createPromptState(), no)).toEqual([{ type: 'save' }]);
  expect(toSavedQuestion(applyInputs(createPromptState(), no))).toBeNull();
});

test('agreeing to changes that may lose data needs a typed word, after the list of changes', () => {
  const typedConfirmation = { word: 'emptyDir', reason: 'The images are lost.' };
  const listPrompt = applyInputs(boot(), probeEvent('needed', { ...dangerousPlan, typedConfirmation }), ask);
  expect(toSavedQuestion(listPrompt)).toMatchObject({ action: 'apply', words: null });
  const yes: Intent = { type: 'step/answer', isYes: true };
  expect(getEffects(listPrompt, yes)).toEqual([{ type: 'save' }]);
  const wordPrompt = applyInputs(listPrompt, yes);
  expect(toSavedQuestion(wordPrompt)).toMatchObject({ action: 'apply', words: ['emptyDir'] });
  expect(getEffects(wordPrompt, yes)).toEqual([]);
  const withWord = applyInputs(wordPrompt, { type: 'step/type', event: { kind: 'paste', text: 'emptydir' } });
  expect(getEffects(withWord, yes)).toContainEqual({ type: 'run', step: 'boot', action: 'apply', subject: null });
  expect(applyInputs(wordPrompt, { type: 'step/answer', isYes: false }).runs.boot.phase).toBe('ready');
});

test('an unanswered question is asked again by the next run, after its first probe', () => {
  const saved = toSavedQuestion(createPromptState());
  const resumed = applyInputs(boot(), ...(saved ? createRestorePromptIntents(saved) : []));
  expect(toSavedQuestion(resumed), 'cut once more before the look').toMatchObject({ step: 'boot', action: 'apply' });
  const again = applyInputs(resumed, probeEvent('needed'));
  expect(again.runs.boot.phase).toBe('asking');
  expect(toSavedQuestion(again)).toEqual(saved);
});

test('no action starts on its own, even if its plan no longer needs a question', () => {
  const saved = toSavedQuestion(createPromptState());
  const resumed = applyInputs(boot(), ...(saved ? createRestorePromptIntents(saved) : []));
  expect(getEffects(resumed, probeEvent('needed', safePlan))).toEqual([]);
  expect(applyInputs(resumed, probeEvent('needed', safePlan)).runs.boot.phase).toBe('asking');
});

test('a step that is done by now asks no question', () => {
  const saved = toSavedQuestion(createPromptState());
  const state = applyInputs(boot(), ...(saved ? createRestorePromptIntents(saved) : []), probeEvent('done'));
  expect(state.runs.boot.phase).toBe('done');
  expect(toSavedQuestion(state)).toBeNull();
});

test('a question that needs a typed word needs it again', () => {
  const typed: Intent = { type: 'step/ask', action: 'apply-one', subject: 'csr-1', words: ['w1'] };
  const before = applyInputs(boot(), probeEvent('waiting'), typed, {
    type: 'step/type',
    event: { kind: 'paste', text: 'w1' },
  });
  const saved = toSavedQuestion(before);
  expect(saved).toEqual({ step: 'boot', action: 'apply-one', subject: 'csr-1', words: ['w1'], plan: null });
  const again = applyInputs(boot(), ...(saved ? createRestorePromptIntents(saved) : []), probeEvent('waiting'));
  expect(getEffects(again, { type: 'step/answer', isYes: true })).toEqual([]);
});

test('a question of a later program is left alone', () => {
  expect(createRestorePromptIntents({ step: 'moon', action: 'apply', subject: null, words: null, plan: null })).toEqual(
    [],
  );
});

test('following certificates resumes in the next run with a notice, only if it was on', () => {
  const certificatesEvent = (state: 'done' | 'needed'): Event => ({
    type: 'step/probed',
    step: 'certificates',
    probe: buildProbe(state, { nodes: [], requests: [], missingNodes: [] }),
    plan: dangerousPlan,
  });
  const createCertificatesState = () => wizardState({}, { screen: 'certificates' });
  const promptState = applyInputs(createCertificatesState(), certificatesEvent('needed'), ask);
  expect(isApprovingCertificates(promptState)).toBe(false);
  const following = applyInputs(promptState, { type: 'step/answer', isYes: true });
  expect(isApprovingCertificates(following)).toBe(true);
  expect(isApprovingCertificates(applyInputs(following, { type: 'step/cancel' }))).toBe(false);

  const again = applyInputs(createCertificatesState(), { type: 'step/follow-again' });
  expect(isApprovingCertificates(again), 'cut once more before the look').toBe(true);
  const run = { type: 'run', step: 'certificates', action: 'apply', subject: null };
  expect(getEffects(again, certificatesEvent('needed'))).toEqual([run]);
  const resumed = applyInputs(again, certificatesEvent('needed'));
  expect(resumed.notice?.text).toContain('Automatic approval was on');
  const ended: Event = { type: 'step/applied', step: 'certificates' };
  expect(applyInputs(resumed, ended).notice, 'nothing is left for Esc to stop').toBeNull();
  expect(getEffects(again, certificatesEvent('done'))).toEqual([]);
  expect(isApprovingCertificates(applyInputs(again, certificatesEvent('done')))).toBe(false);
});
