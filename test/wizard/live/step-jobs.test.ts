import { expect, test } from 'vitest';
import type { Event, Intent } from '../../../src/wizard/intents.ts';
import { applyInputs, buildProbe, dangerousPlan, getEffects, START, wizardState } from '../../support/wizard-state.ts';

const infra = () => wizardState({}, { screen: 'infra' });
const JOB = { action: 'undo', subject: 'router', startedAt: START - 1000, isAsking: false, parts: ['router'] } as const;
const probeEvent = (job: { readonly isAsking: boolean } | null): Event => ({
  type: 'step/probed',
  step: 'infra',
  probe: buildProbe('needed', { moves: [], traffic: null }, job === null ? {} : { job: { ...JOB, ...job } }),
  plan: dangerousPlan,
});

test('the action of a job that runs already is followed, from its own beginning, and not begun again', () => {
  const event = probeEvent({ isAsking: false });
  const run = { type: 'run', step: 'infra', action: 'undo', subject: 'router' };
  expect(getEffects(infra(), event)).toEqual([{ ...run, isFollowed: true }]);
  // The job may have ended while the user was away: what it did is still news.
  const text = 'Since you left (5 min): taint was applied.';
  const returned = applyInputs(infra(), { type: 'session/absence', text }, event);
  expect([returned.runs.infra.phase, returned.absenceSummary]).toEqual(['applying', text]);
  const state = applyInputs(infra(), event);
  expect(state.runs.infra).toMatchObject({ phase: 'applying', appliedAt: JOB.startedAt });
  // The probes meanwhile change nothing about it.
  expect(getEffects(state, event)).toEqual([]);
});

test('a question on the screen is not replaced by a job', () => {
  const asking = applyInputs(infra(), probeEvent(null), { type: 'step/ask', action: 'apply' });
  expect(getEffects(asking, probeEvent({ isAsking: false }))).toEqual([]);
});

test('a job that asks is answered like any plan: no key that was typed ahead can agree, and no is an answer', () => {
  const state = applyInputs(infra(), probeEvent({ isAsking: true }));
  expect(state.runs.infra.phase).toBe('ready');
  const asked = applyInputs(state, { type: 'step/ask', action: 'apply' });
  const answer = (isYes: boolean): Intent => ({ type: 'step/answer', isYes });
  expect(getEffects(asked, answer(false))).toEqual([{ type: 'save' }, { type: 'decline', step: 'infra' }]);
  expect(getEffects(asked, answer(true))).toEqual([
    { type: 'save' },
    { type: 'run', step: 'infra', action: 'apply', subject: null },
  ]);
  // A no to another question says nothing to the job.
  const undo = applyInputs(state, { type: 'step/ask', action: 'undo', subject: 'router' });
  expect(getEffects(undo, answer(false))).toEqual([{ type: 'save' }]);
});
