import { expect, test } from 'vitest';
import { MINUTE } from '../../../src/ports/clock.ts';
import { courseOf } from '../../../src/wizard/live/course.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { after, probeOf, START, safePlan, wizardState } from '../../support/wizard-state.ts';

/** On a screen, some minutes after the first machine was powered on. */
const at = (screen: 'boot' | 'operators' | 'infra' | 'report', minutes: number): WizardState =>
  after({ ...wizardState({}, { screen }), begunAt: START }, { type: 'clock/ticked', now: START + minutes * MINUTE });
const minutesOf = (state: WizardState) => {
  const course = courseOf(state);
  return course && { ...course, spent: course.spent / MINUTE, rest: course.rest?.map((ms) => ms / MINUTE) ?? null };
};

test('nothing is known before a machine was powered on, and nothing is left at the report', () => {
  expect(courseOf(wizardState({}, { screen: 'boot' }))).toBeNull();
  expect(courseOf(at('report', 200))).toBeNull();
});

test('the usual rest is that of the steps that are not done, less what the one under way has lasted', () => {
  expect(minutesOf(at('boot', 0))).toEqual({ share: 0, spent: 0, rest: [61, 155] });
  const waiting = after(
    { ...at('operators', 60), now: START + 50 * MINUTE },
    { type: 'step/looked', step: 'operators', probe: probeOf('needed', {}), plan: safePlan },
    { type: 'step/ask', action: 'apply' },
    { type: 'clock/ticked', now: START + 60 * MINUTE },
  );
  expect(minutesOf(waiting)).toMatchObject({ spent: 60, rest: [20, 75] });
  const done = after(
    waiting,
    { type: 'step/applied', step: 'operators' },
    { type: 'step/looked', step: 'operators', probe: probeOf('done', {}), plan: safePlan },
  );
  expect(minutesOf(done)).toMatchObject({ rest: [10, 50] });
});

test('what takes longer than usual has no usual rest, and its bar does not run over', () => {
  const moving = after(
    at('infra', 0),
    { type: 'step/looked', step: 'infra', probe: probeOf('needed', {}), plan: safePlan },
    { type: 'step/ask', action: 'apply' },
    { type: 'clock/ticked', now: START + 500 * MINUTE },
  );
  expect(minutesOf(moving)).toEqual({ share: 1, spent: 500, rest: null });
});

test('of a single node only the time spent is known; a site without infra nodes has no moves', () => {
  const state = at('boot', 7);
  const { design } = state;
  if (design === null) throw new Error('the example is a design');
  expect(minutesOf({ ...state, design: { ...design, topology: 'single-node' } })).toEqual({
    share: null,
    spent: 7,
    rest: null,
  });
  const nodes = design.nodes.filter(({ role }) => role !== 'infra');
  expect(minutesOf({ ...state, design: { ...design, nodes } })).toMatchObject({ rest: [51, 105] });
});
