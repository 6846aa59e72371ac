import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { poolMembers } from '../../../src/bastion/haproxy-stats.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { createBalancer } from '../../../src/rehearsal/hosts/balancer.ts';
import type { Addresses } from '../../../src/rehearsal/site/addresses.ts';

const addresses: Addresses = { lowPortShift: 0, loopback: () => '127.0.0.1', port: (port) => port, all: () => ({}) };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('the status page says who is in each pool and who answers, by the file that is in force', async () => {
  const [page, api, up, down] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
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
  const of = (name: string, port: number) => ({ name, address: '127.0.0.1', port, isBackup: false, isTlsCheck: false });
  const plain = { isHttpCheck: false, idleLimit: null };
  const listeners = (members: ReturnType<typeof of>[]) => [
    { name: 'stats', address: '1.1.1.1', port: page, mode: 'http' as const, members: [], isStats: true, ...plain },
    { name: 'api', address: '1.1.1.1', port: api, mode: 'tcp' as const, members, isStats: false, ...plain },
  ];
  await balancer.apply(listeners([of('bs', down), of('m1', up)]));
  const source = { host: '127.0.0.1', port: page };
  expect(await poolMembers(source, systemClock)).toEqual([
    { pool: 'api', name: 'bs', status: 'DOWN', check: 'L4CON' },
    { pool: 'api', name: 'm1', status: 'UP', check: 'L4OK' },
  ]);
  await balancer.apply(listeners([of('m1', up)]));
  expect(await poolMembers(source, systemClock)).toEqual([{ pool: 'api', name: 'm1', status: 'UP', check: 'L4OK' }]);
});
