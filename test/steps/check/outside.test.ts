import { expect, test } from 'vitest';
import { askersOf } from '../../../src/steps/check/ask.ts';
import { isOutside } from '../../../src/steps/check/outside.ts';
import { clocksSeen } from '../../../src/steps/diagnose/site.ts';
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
    // A diagnosis asks by the same rule.
    const { design } = world.context;
    const services = { ...design.services, time: { ...design.services.time, servers: ['8.8.8.8'] } };
    const outlook = { ...world.context, reach, design: { ...design, services } };
    dialled.splice(0);
    expect(await clocksSeen(outlook)).toEqual([]);
    expect(dialled).toEqual(['8.8.8.8']);
    // Online it is dialled: here, at a port that nobody has.
    const nowhere: typeof reach = (host) => ({ ...reach(host, 1), host: '127.0.0.1', port: 1 });
    await clocksSeen({ ...outlook, isOnline: true, reach: nowhere });
    expect(dialled).toEqual(['8.8.8.8', '8.8.8.8']);
  } finally {
    await world.remove();
  }
});
