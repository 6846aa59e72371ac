import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createScaledClock, MINUTE, SECOND, systemClock } from '../../../src/platform/clock.ts';
import { fetchPoolMembers } from '../../../src/probes/haproxy-stats.ts';
import { probeTcp } from '../../../src/probes/tcp-probe.ts';
import { createBalancer, listExternalListeners } from '../../../src/rehearsal/hosts/balancer.ts';
import type { Addresses } from '../../../src/rehearsal/site/addresses.ts';
import { exampleSite } from '../../support/example-design.ts';
import { findFreePort } from '../../support/free-port.ts';

const addresses: Addresses = {
  lowPortShift: 0,
  getLoopbackAddress: () => '127.0.0.1',
  getLocalPort: (port) => port,
  getLoopbackByAddress: () => ({}),
  isAssigned: (address) => address !== '172.16.0.22',
  setUnassignedAddresses: () => false,
};

test('the status page lists the members of each pool and their health, by the active file', async () => {
  const [page, api, up, down] = await Promise.all([findFreePort(), findFreePort(), findFreePort(), findFreePort()]);
  const member = createServer();
  await new Promise<void>((resolve) => member.listen(up, '127.0.0.1', resolve));
  const balancer = createBalancer(
    addresses,
    systemClock,
    () => undefined,
    (name) => Promise.resolve(name),
  );
  onTestFinished(async () => {
    member.close();
    await balancer.stop();
  });
  const createMember = (name: string, port: number) => ({
    name,
    address: name === 'off' ? '172.16.0.22' : '127.0.0.1',
    port,
    isBackup: false,
    hasTlsCheck: false,
  });
  const plain = { hasHttpCheck: false, idleTimeoutMs: null, hasLegends: false };
  const listeners = (members: ReturnType<typeof createMember>[]) => [
    {
      name: 'stats',
      address: '1.1.1.1',
      port: page,
      mode: 'http' as const,
      members: [],
      isStatusPage: true,
      ...plain,
      hasLegends: true,
    },
    { name: 'api', address: '1.1.1.1', port: api, mode: 'tcp' as const, members, isStatusPage: false, ...plain },
  ];
  await balancer.apply(listeners([createMember('bs', down), createMember('off', down), createMember('m1', up)]));
  const source = { host: '127.0.0.1', port: page };
  expect(await fetchPoolMembers(source, systemClock)).toEqual([
    { pool: 'api', name: 'bs', status: 'DOWN', check: 'L4CON', address: `127.0.0.1:${down}`, mode: 'tcp' },
    { pool: 'api', name: 'off', status: 'DOWN', check: 'L4TOUT', address: `172.16.0.22:${down}`, mode: 'tcp' },
    { pool: 'api', name: 'm1', status: 'UP', check: 'L4OK', address: `127.0.0.1:${up}`, mode: 'tcp' },
  ]);
  await balancer.apply(listeners([createMember('m1', up)]));
  expect(await fetchPoolMembers(source, systemClock)).toMatchObject([
    { pool: 'api', name: 'm1', status: 'UP', check: 'L4OK' },
  ]);
});

test('a balancer without the shared address lists its pools, and takes the address over when it is free', async () => {
  const [api, ...pages] = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
  const resolve = (name: string) => Promise.resolve(name);
  const plain = { hasHttpCheck: false, idleTimeoutMs: null, hasLegends: true };
  const balancers = pages.map((page) => {
    const member = { name: 'm1', address: '127.0.0.1', port: page, isBackup: false, hasTlsCheck: false };
    const listener = {
      ...plain,
      name: 'api',
      address: '1.1.1.1',
      port: api,
      mode: 'tcp' as const,
      isStatusPage: false,
    };
    const stats = {
      ...plain,
      name: 'stats',
      address: '1.1.1.2',
      port: page,
      mode: 'http' as const,
      isStatusPage: true,
    };
    const balancer = createBalancer(addresses, systemClock, () => undefined, resolve);
    onTestFinished(() => balancer.stop());
    const apply = (isShared: boolean) =>
      balancer.apply([
        { ...stats, members: [] },
        { ...listener, members: [member], isShared },
      ]);
    return { balancer, apply, page };
  });
  const [first, second] = balancers;
  await first?.apply(true);
  await expect(second?.apply(false)).rejects.toThrow('EADDRINUSE');
  await second?.apply(true);
  expect(await fetchPoolMembers({ host: '127.0.0.1', port: second?.page ?? 0 }, systemClock)).toMatchObject([
    { pool: 'api', name: 'm1', status: 'UP' },
  ]);
  await first?.balancer.stop();
  await second?.apply(true);
  await expect(first?.apply(false)).rejects.toThrow('EADDRINUSE');
});

test('a short idle limit closes watches at any speed, but no probe, which takes its real time', async () => {
  const [api, up] = await Promise.all([findFreePort(), findFreePort()]);
  const member = createServer();
  await new Promise<void>((resolve) => member.listen(up, '127.0.0.1', resolve));
  const clock = createScaledClock({ real: Date.now(), simulated: Date.now(), speed: 600 });
  const lines: string[] = [];
  const balancer = createBalancer(
    addresses,
    clock,
    (line) => lines.push(line),
    (name) => Promise.resolve(name),
  );
  onTestFinished(async () => {
    member.close();
    await balancer.stop();
  });
  const members = [{ name: 'm1', address: '127.0.0.1', port: up, isBackup: false, hasTlsCheck: false }];
  const settings = { hasHttpCheck: false, idleTimeoutMs: 10 * SECOND, hasLegends: false, isStatusPage: false };
  await balancer.apply([{ name: 'api', address: '1.1.1.1', port: api, mode: 'tcp', members, ...settings }]);
  const probe = await probeTcp((host, port) => ({ host, port }), clock, '127.0.0.1', api, 30 * MINUTE);
  expect(probe.state).toBe('open');
  const watch = connect({ host: '127.0.0.1', port: api }).resume();
  await once(watch, 'end');
  expect(lines.at(-1)).toMatch(/ api api cD$/);
});

test('an external load balancer forwards to the nodes of the design; there is none if upi-wizard sets it up', () => {
  const design = exampleSite();
  expect(listExternalListeners(design)).toEqual([]);
  const services = { ...design.services, loadBalancer: { kind: 'external' as const, servers: [] } };
  const listeners = listExternalListeners({ ...design, services });
  const targets = listeners.map(
    ({ address, port, members }) => `${address}:${port} ${members.map(({ name }) => name)}`,
  );
  expect(targets).toEqual([
    '172.16.0.111:6443 bs,m1,m2,m3',
    '172.16.0.110:6443 bs,m1,m2,m3',
    '172.16.0.110:22623 bs,m1,m2,m3',
    expect.stringMatching(/^172\.16\.0\.111:443 w1,w2,w3/),
    expect.stringMatching(/^172\.16\.0\.111:80 w1,w2,w3/),
  ]);
});
