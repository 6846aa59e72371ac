// A service that stays silent holds nobody up for ever: a person goes past it, with a reason that is kept.
import { expect, onTestFinished, test } from 'vitest';
import { hostsStep } from '../../../src/steps/hosts/index.ts';
import { standingClock } from '../../support/standing-clock.ts';
import { stepWorld } from '../../support/step-world.ts';

test('services that do not answer are gone past with a reason, and no others; what is no reason is refused', async () => {
  // Port 1 of loopback: nothing listens there.
  const world = stepWorld({ clock: standingClock(), reach: () => ({ host: '127.0.0.1', port: 1 }) });
  onTestFinished(() => world.remove());
  const { context } = world;
  const goPast = async (reason: string) => await hostsStep.override?.(context, reason, () => undefined);
  // Before the files are in place nobody is to blame, and nothing is to be gone past.
  expect((await hostsStep.probe(context)).overridable).toBeUndefined();
  await hostsStep.apply(context, () => undefined);
  const waiting = await hostsStep.probe(context);
  expect(waiting.state).toBe('waiting');
  expect(waiting.overridable?.map(({ code }) => code)).toContain('service-silent');
  await expect(goPast('no')).rejects.toMatchObject({ trouble: { code: 'override-reason' } });
  expect((await hostsStep.probe(context)).state).toBe('waiting');
  await goPast('the bastion may not ask this network yet');
  const past = await hostsStep.probe(context);
  const count = waiting.overridable?.length ?? 0;
  expect(past).toMatchObject({ state: 'done', findings: [] });
  expect(past.summary).toContain(`${count} services`);
  const [kept] = context.memory.get('check-overrides') ?? [];
  expect(kept).toMatchObject({ reason: 'the bastion may not ask this network yet' });
  expect(kept?.checks).toHaveLength(count);
});
