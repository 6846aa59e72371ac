import { expect, onTestFinished, test } from 'vitest';
import { MINUTE, SECOND } from '../../../src/ports/clock.ts';
import { bootstrapRemovalStep } from '../../../src/steps/bootstrap-removal/index.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';
import { stepWorld } from '../../support/step-world.ts';
import { START } from '../../support/wizard-state.ts';

/** Nothing answers: the API is away. */
function away(clock: ManualClock, isOver: boolean) {
  const done = { startedAt: null, doneAt: START - MINUTE };
  const progress = { stages: { complete: done, etcd: done }, changedAt: START - MINUTE, signature: '' };
  const facts = isOver ? { 'bootstrap-progress': progress } : {};
  const world = stepWorld({ clock, facts, reach: () => ({ host: '127.0.0.1', port: 1 }) });
  onTestFinished(() => world.remove());
  return world;
}

test('before the bootstrap was ever over, its removal is blocked, and refused at once', async () => {
  const { context } = away(manualClock(START), false);
  expect((await bootstrapRemovalStep.probe(context)).state).toBe('blocked');
  const refused = bootstrapRemovalStep.apply(context, () => undefined);
  await expect(refused).rejects.toMatchObject({ trouble: { code: 'bootstrap-needed' } });
});

test('an API that is away for a moment, when the bootstrap was over already, is waited for', async () => {
  const clock = manualClock(START);
  const { context } = away(clock, true);
  expect(await bootstrapRemovalStep.probe(context)).toMatchObject({ state: 'waiting', findings: [] });
  const said: string[] = [];
  let end: unknown = null;
  bootstrapRemovalStep
    .apply(context, (line) => said.push(line))
    .catch((error: unknown) => {
      end = error;
    });
  while (said.length < 3) await clock.advance(SECOND);
  expect(end).toBe(null);
  while (end === null) await clock.advance(SECOND);
  expect(end).toMatchObject({ trouble: { code: 'bootstrap-needed' } });
  expect(clock.now() - START).toBeGreaterThan(2 * MINUTE);
});
