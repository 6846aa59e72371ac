import { expect, test } from 'vitest';
import { askersOf } from '../../../src/steps/check/ask.ts';
import { isOutside } from '../../../src/steps/check/outside.ts';
import { exampleSite } from '../../support/example-design.ts';
import { stepWorld } from '../../support/step-world.ts';

test('a public address outside of the machine networks is outside; private ones and those of the machines are not', async () => {
  const design = exampleSite();
  const networks = { ...design.networks, machine: [{ cidr: '8.8.4.0/24', gateway: null }] };
  const hosts = ['8.8.8.8', '8.8.4.4', '192.168.124.1', '127.0.0.1', 'fd00::1', '2606:4700:f1::1'];
  const found = await Promise.all(hosts.map((host) => isOutside({ networks }, host)));
  expect(found).toEqual([true, false, false, false, false, true]);
});

test('a time server on the internet is not asked without --online, one of the site is', async () => {
  const world = stepWorld();
  try {
    const dialled: string[] = [];
    const reach: typeof world.context.reach = (host, port) => {
      dialled.push(host);
      return { host, port };
    };
    const { time } = askersOf({ ...world.context, reach });
    expect(await time({ server: '8.8.8.8' })).toEqual({ offsetMs: null, detail: '', isUnasked: true });
    expect(await time({ server: '127.0.0.1' })).not.toHaveProperty('isUnasked');
    expect(dialled).toEqual(['8.8.8.8', '127.0.0.1', '127.0.0.1']);
  } finally {
    await world.remove();
  }
});
