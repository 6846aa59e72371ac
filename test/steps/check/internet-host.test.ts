import { expect, test } from 'vitest';
import { isInternetHost } from '../../../src/steps/check/internet-host.ts';
import { createProbes } from '../../../src/steps/check/site-probes.ts';
import { measureClockOffsets } from '../../../src/steps/diagnose/site-evidence.ts';
import { exampleSite } from '../../support/example-design.ts';
import { createStepFixture } from '../../support/step-fixture.ts';

test('a public address outside of the machine networks is an internet host; private addresses and those of machines are not', async () => {
  const design = exampleSite();
  const networks = { ...design.networks, machine: [{ cidr: '8.8.4.0/24', gateway: null }] };
  const hosts = ['8.8.8.8', '8.8.4.4', '192.168.124.1', '127.0.0.1', 'fd00::1', '2606:4700:f1::1'];
  const found = await Promise.all(hosts.map((host) => isInternetHost({ networks }, host)));
  expect(found).toEqual([true, false, false, false, false, true]);
});

test('without --online a time server on the internet is not queried, one of the site is', async () => {
  const fixture = createStepFixture();
  try {
    const hosts: string[] = [];
    const resolveEndpoint: typeof fixture.context.resolveEndpoint = (host, port) => {
      hosts.push(host);
      return { host, port };
    };
    const { time } = createProbes({ ...fixture.context, resolveEndpoint });
    expect(await time({ server: '8.8.8.8' })).toEqual({ offsetMs: null, detail: '', isNotQueried: true });
    expect(await time({ server: '127.0.0.1' })).not.toHaveProperty('isNotQueried');
    expect(hosts).toEqual(['8.8.8.8', '127.0.0.1', '127.0.0.1']);
    // A diagnosis follows the same rule.
    const { design } = fixture.context;
    const services = { ...design.services, time: { ...design.services.time, servers: ['8.8.8.8'] } };
    const diagnoseContext = { ...fixture.context, resolveEndpoint, design: { ...design, services } };
    hosts.splice(0);
    expect(await measureClockOffsets(diagnoseContext)).toEqual([]);
    expect(hosts).toEqual(['8.8.8.8']);
    // With `--online` it is contacted: here at a port where nothing listens.
    const closedEndpoint: typeof resolveEndpoint = (host) => ({
      ...resolveEndpoint(host, 1),
      host: '127.0.0.1',
      port: 1,
    });
    await measureClockOffsets({ ...diagnoseContext, isOnline: true, resolveEndpoint: closedEndpoint });
    expect(hosts).toEqual(['8.8.8.8', '8.8.8.8']);
  } finally {
    await fixture.remove();
  }
});
