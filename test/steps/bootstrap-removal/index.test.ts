import { expect, onTestFinished, test } from 'vitest';
import { steps } from '../../../src/i18n/en/steps/index.ts';
import { MINUTE, SECOND } from '../../../src/platform/clock.ts';
import { bootstrapRemovalStep } from '../../../src/steps/bootstrap-removal.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';
import { createStepFixture } from '../../support/step-fixture.ts';
import { START } from '../../support/wizard-state.ts';

/** Creates a site where nothing answers: the API is down. */
function createUnreachableSite(clock: ManualClock, isComplete: boolean) {
  const done = { startedAt: null, doneAt: START - MINUTE };
  const progress = { stages: { complete: done, etcd: done }, changedAt: START - MINUTE, signature: '' };
  const facts = isComplete ? { 'bootstrap-progress': progress } : {};
  const fixture = createStepFixture({ clock, facts, resolveEndpoint: () => ({ host: '127.0.0.1', port: 1 }) });
  onTestFinished(() => fixture.remove());
  return fixture;
}

test('before bootstrapping is complete, removal is blocked and refused at once', async () => {
  const { context } = createUnreachableSite(manualClock(START), false);
  expect((await bootstrapRemovalStep.probe(context)).state).toBe('blocked');
  const refused = bootstrapRemovalStep.apply(context, () => undefined);
  await expect(refused).rejects.toMatchObject({ userError: { code: 'bootstrap-needed' } });
});

test('after bootstrapping is complete, a short outage of the API is waited for', async () => {
  const clock = manualClock(START);
  const { context } = createUnreachableSite(clock, true);
  expect(await bootstrapRemovalStep.probe(context)).toMatchObject({ state: 'waiting', findings: [] });
  const lines: string[] = [];
  let end: unknown = null;
  bootstrapRemovalStep
    .apply(context, (line) => lines.push(line))
    .catch((error: unknown) => {
      end = error;
    });
  while (lines.length < 3) await clock.advance(SECOND);
  expect(lines[0]).toBe(steps.removal.checkingBootstrap);
  expect(end).toBe(null);
  while (end === null) await clock.advance(SECOND);
  expect(end).toMatchObject({ userError: { code: 'bootstrap-needed' } });
  expect(clock.now() - START).toBeGreaterThan(2 * MINUTE);
});
