import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchStability } from '../../src/infra/stability.ts';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import { type InfraApi, startInfraApi } from '../support/infra-api.ts';
import { createInfraContextFor } from '../support/move-executor.ts';

const OPERATOR = ['clusteroperators.config.openshift.io', null, 'ingress'] as const;
let api: InfraApi;
let now = 0;
beforeEach(async () => {
  now = 0;
  api = await startInfraApi();
  api.add('clusteroperators.config.openshift.io', { metadata: { name: 'ingress' }, spec: {} });
  setDegraded('False');
});
afterEach(() => api.close());

function setDegraded(degraded: string): void {
  api.change(...OPERATOR, (operator) => {
    operator.status = {
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Degraded', status: degraded, message: 'no canary' },
      ],
    };
  });
}

/**
 * Watches one move until it counts as stable.
 * @param meanwhile called at each pause, with the time in ms
 */
async function runWatch(meanwhile: (time: number) => void = () => undefined) {
  const infra = createInfraContextFor(api.cluster, api.design);
  const clock = {
    ...infra.clock,
    now: () => now,
    async sleep(ms: number) {
      now += ms;
      meanwhile(now);
    },
  };
  const reports: string[] = [];
  const { why } = await watchStability({ ...infra, clock }, ['label'], 5 * MINUTE, (each) => void reports.push(each));
  return { why, took: now, reports: [...new Set(reports)] };
}

test('a move must stay done for five minutes; a degraded operator restarts that period', async () => {
  await api.apply('label');
  expect(await runWatch()).toMatchObject({ why: null, took: 5 * MINUTE });
  now = 0;
  const degradedRun = await runWatch((time) => {
    if (time === 2 * MINUTE) setDegraded('True');
    if (time === 2 * MINUTE + 30 * SECOND) setDegraded('False');
  });
  expect(degradedRun).toMatchObject({ why: null, took: 7 * MINUTE + 30 * SECOND });
  expect(degradedRun.reports.join()).toContain('ingress. no canary');
});

test('a move that is not done, now or later, ends the watch; an operator that stays degraded ends it, too', async () => {
  expect(await runWatch()).toMatchObject({ why: expect.stringContaining('label: '), took: 0 });
  await api.apply('label');
  const undone = await runWatch((time) => {
    if (time === MINUTE)
      api.change('nodes', null, api.store.list('nodes')[0]?.metadata.name ?? '', (node) => delete node.metadata.labels);
  });
  expect(undone).toMatchObject({ why: expect.stringContaining('label: '), took: MINUTE });
  await api.apply('label');
  now = 0;
  setDegraded('True');
  expect(await runWatch()).toMatchObject({
    why: expect.stringContaining('no canary'),
    took: 65 * MINUTE + 10 * SECOND,
  });
});
