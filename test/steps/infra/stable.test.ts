import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../../src/ports/clock.ts';
import { watchStable } from '../../../src/steps/infra/stable.ts';
import { type InfraApi, startInfraApi } from '../../support/infra-api.ts';
import { clusterSite } from '../../support/move-side.ts';

const OPERATOR = ['clusteroperators.config.openshift.io', null, 'ingress'] as const;
let api: InfraApi;
let now = 0;
beforeEach(async () => {
  now = 0;
  api = await startInfraApi();
  api.add('clusteroperators.config.openshift.io', { metadata: { name: 'ingress' }, spec: {} });
  report('False');
});
afterEach(() => api.close());

function report(degraded: string): void {
  api.change(...OPERATOR, (operator) => {
    operator.status = {
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Degraded', status: degraded, message: 'no canary' },
      ],
    };
  });
}

/** @param meanwhile called at each pause, with the time in ms */
async function watch(meanwhile: (at: number) => void = () => undefined) {
  const site = clusterSite(api.cluster, api.design);
  const clock = {
    ...site.clock,
    now: () => now,
    async sleep(ms: number) {
      now += ms;
      meanwhile(now);
    },
  };
  const told: string[] = [];
  const { why } = await watchStable({ ...site, clock }, ['label'], 5 * MINUTE, (each) => void told.push(each));
  return { why, took: now, told: [...new Set(told)] };
}

test('what is done has to stay so for five minutes; an operator that falls ill begins them anew', async () => {
  await api.apply('label');
  expect(await watch()).toMatchObject({ why: null, took: 5 * MINUTE });
  now = 0;
  const ill = await watch((at) => {
    if (at === 2 * MINUTE) report('True');
    if (at === 2 * MINUTE + 30 * SECOND) report('False');
  });
  expect(ill).toMatchObject({ why: null, took: 7 * MINUTE + 30 * SECOND });
  expect(ill.told.join()).toContain('ingress. no canary');
});

test('a move that is not made, then or later, ends it; what never comes to rest ends, too', async () => {
  expect(await watch()).toMatchObject({ why: expect.stringContaining('label: '), took: 0 });
  await api.apply('label');
  const undone = await watch((at) => {
    if (at === MINUTE)
      api.change('nodes', null, api.store.list('nodes')[0]?.metadata.name ?? '', (node) => delete node.metadata.labels);
  });
  expect(undone).toMatchObject({ why: expect.stringContaining('label: '), took: MINUTE });
  await api.apply('label');
  now = 0;
  report('True');
  expect(await watch()).toMatchObject({ why: expect.stringContaining('no canary'), took: 65 * MINUTE + 10 * SECOND });
});
