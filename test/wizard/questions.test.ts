import { expect, test } from 'vitest';
import { recallOf, savedQuestion } from '../../src/cli/session/pending-question.ts';
import type { Event, Intent } from '../../src/wizard/intents.ts';
import { isFollowing } from '../../src/wizard/live/update-step.ts';
import { after, dangerousPlan, effectsOf, probeOf, safePlan, wizardState } from '../support/wizard-state.ts';

const ask: Intent = { type: 'step/ask', action: 'apply' };
const boot = () => wizardState({}, { screen: 'boot' });
const looked = (state: 'done' | 'needed' | 'waiting', plan = dangerousPlan): Event => ({
  type: 'step/looked',
  step: 'boot',
  probe: probeOf(state, { nodes: [], refusedMacs: [] }),
  plan,
});
const asked = () => after(boot(), looked('needed'), ask);

test('a question is saved when it is asked, and gone before the act that it is about begins', () => {
  expect(effectsOf(after(boot(), looked('needed')), ask)).toEqual([{ type: 'save' }]);
  expect(savedQuestion(asked())).toMatchObject({ step: 'boot', action: 'apply', subject: null, words: null });
  const yes: Intent = { type: 'step/answer', isYes: true };
  expect(effectsOf(asked(), yes)).toEqual([
    { type: 'save' },
    { type: 'run', step: 'boot', action: 'apply', subject: null },
  ]);
  expect(savedQuestion(after(asked(), yes))).toBeNull();
  const no: Intent = { type: 'step/answer', isYes: false };
  expect(effectsOf(asked(), no)).toEqual([{ type: 'save' }]);
  expect(savedQuestion(after(asked(), no))).toBeNull();
});

test('who agrees to changes that may lose something types a word for it, once all of them were read', () => {
  const typed = { word: 'emptyDir', why: 'The images are lost.' };
  const agreed = after(boot(), looked('needed', { ...dangerousPlan, typed }), ask);
  expect(savedQuestion(agreed)).toMatchObject({ action: 'apply', words: null });
  const yes: Intent = { type: 'step/answer', isYes: true };
  expect(effectsOf(agreed, yes)).toEqual([{ type: 'save' }]);
  const asked = after(agreed, yes);
  expect(savedQuestion(asked)).toMatchObject({ action: 'apply', words: ['emptyDir'] });
  expect(effectsOf(asked, yes)).toEqual([]);
  const written = after(asked, { type: 'step/type', event: { kind: 'paste', text: 'emptydir' } });
  expect(effectsOf(written, yes)).toContainEqual({ type: 'run', step: 'boot', action: 'apply', subject: null });
  expect(after(asked, { type: 'step/answer', isYes: false }).runs.boot.phase).toBe('ready');
});

test('an unanswered question is asked again by the next sitting, once it has looked', () => {
  const saved = savedQuestion(asked());
  const resumed = after(boot(), ...(saved ? recallOf(saved) : []));
  expect(savedQuestion(resumed), 'cut once more before the look').toMatchObject({ step: 'boot', action: 'apply' });
  const again = after(resumed, looked('needed'));
  expect(again.runs.boot.phase).toBe('asking');
  expect(savedQuestion(again)).toEqual(saved);
});

test('nothing begins by itself, also where nobody would be asked today', () => {
  const saved = savedQuestion(asked());
  const resumed = after(boot(), ...(saved ? recallOf(saved) : []));
  expect(effectsOf(resumed, looked('needed', safePlan))).toEqual([]);
  expect(after(resumed, looked('needed', safePlan)).runs.boot.phase).toBe('asking');
});

test('what is done by now is not asked about', () => {
  const saved = savedQuestion(asked());
  const state = after(boot(), ...(saved ? recallOf(saved) : []), looked('done'));
  expect(state.runs.boot.phase).toBe('done');
  expect(savedQuestion(state)).toBeNull();
});

test('a question that wants a word typed wants it again, typed anew', () => {
  const typed: Intent = { type: 'step/ask', action: 'apply-one', subject: 'csr-1', words: ['w1'] };
  const before = after(boot(), looked('waiting'), typed, {
    type: 'step/type',
    event: { kind: 'paste', text: 'w1' },
  });
  const saved = savedQuestion(before);
  expect(saved).toEqual({ step: 'boot', action: 'apply-one', subject: 'csr-1', words: ['w1'], plan: null });
  const again = after(boot(), ...(saved ? recallOf(saved) : []), looked('waiting'));
  expect(effectsOf(again, { type: 'step/answer', isYes: true })).toEqual([]);
});

test('a question of a later program is left alone', () => {
  expect(recallOf({ step: 'moon', action: 'apply', subject: null, words: null, plan: null })).toEqual([]);
});

test('who followed certificates follows again in the next sitting, said in one line; nobody else does', () => {
  const seen = (state: 'done' | 'needed'): Event => ({
    type: 'step/looked',
    step: 'certificates',
    probe: probeOf(state, { nodes: [], requests: [], missing: [] }),
    plan: dangerousPlan,
  });
  const there = () => wizardState({}, { screen: 'certificates' });
  const asked = after(there(), seen('needed'), ask);
  expect(isFollowing(asked)).toBe(false);
  const following = after(asked, { type: 'step/answer', isYes: true });
  expect(isFollowing(following)).toBe(true);
  expect(isFollowing(after(following, { type: 'step/cancel' }))).toBe(false);

  const again = after(there(), { type: 'step/follow-again' });
  expect(isFollowing(again), 'cut once more before the look').toBe(true);
  const run = { type: 'run', step: 'certificates', action: 'apply', subject: null };
  expect(effectsOf(again, seen('needed'))).toEqual([run]);
  const resumed = after(again, seen('needed'));
  expect(resumed.notice?.text).toContain('follows again');
  const ended: Event = { type: 'step/applied', step: 'certificates' };
  expect(after(resumed, ended).notice, 'nothing is left for Esc to stop').toBeNull();
  expect(effectsOf(again, seen('done'))).toEqual([]);
  expect(isFollowing(after(again, seen('done')))).toBe(false);
});
