// A silent service does not block forever: the user can override it, and the reason is recorded.
import { expect, onTestFinished, test } from 'vitest';
import { hostsStep } from '../../../src/steps/hosts/index.ts';
import { createFrozenClock } from '../../support/frozen-clock.ts';
import { createStepFixture } from '../../support/step-fixture.ts';

test('services that do not answer are overridden with a reason, and no others; an invalid reason is refused', async () => {
  // Port 1 of loopback: nothing listens there.
  const fixture = createStepFixture({
    clock: createFrozenClock(),
    resolveEndpoint: () => ({ host: '127.0.0.1', port: 1 }),
  });
  onTestFinished(() => fixture.remove());
  const { context } = fixture;
  const override = async (reason: string) => await hostsStep.override?.(context, reason, () => undefined);
  // Before the files are in place there are no findings to override.
  expect((await hostsStep.probe(context)).overridableChecks).toBeUndefined();
  await hostsStep.apply(context, () => undefined);
  const waiting = await hostsStep.probe(context);
  expect(waiting.state).toBe('waiting');
  expect(waiting.overridableChecks?.map(({ code }) => code)).toContain('service-silent');
  await expect(override('no')).rejects.toMatchObject({ userError: { code: 'override-reason' } });
  expect((await hostsStep.probe(context)).state).toBe('waiting');
  await override('the bastion may not ask this network yet');
  const afterOverride = await hostsStep.probe(context);
  const count = waiting.overridableChecks?.length ?? 0;
  expect(afterOverride).toMatchObject({ state: 'done', findings: [] });
  expect(afterOverride.summary).toContain(`${count} services`);
  const [record] = context.stepState.get('check-overrides') ?? [];
  expect(record).toMatchObject({ reason: 'the bastion may not ask this network yet' });
  expect(record?.checks).toHaveLength(count);
});
