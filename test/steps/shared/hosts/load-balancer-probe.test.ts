import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createInfraContext } from '../../../../src/steps/infra/move-execution.ts';
import { probeLoadBalancers } from '../../../../src/steps/shared/hosts/load-balancer.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { createFrozenClock } from '../../../support/frozen-clock.ts';
import { createMoveExecutor } from '../../../support/move-executor.ts';
import { createStepFixture } from '../../../support/step-fixture.ts';

test('with two address families, both must answer through the load balancer, and both of the bootstrap’s addresses count', async () => {
  const server = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const base = exampleSite();
  const design = {
    ...base,
    endpoints: {
      api: ['172.16.0.111', 'fd00::111'],
      apiInt: ['172.16.0.110', 'fd00::110'],
      ingress: ['172.16.0.111', 'fd00::111'],
    },
    nodes: base.nodes.map((node) => (node.role === 'bootstrap' ? { ...node, ip: ['172.16.0.11', 'fd00::11'] } : node)),
  };
  const closedHosts = new Set<string>();
  const fixture = createStepFixture({
    design,
    clock: createFrozenClock(),
    resolveEndpoint: (host) => ({ host: '127.0.0.1', port: closedHosts.has(host) ? 1 : port }),
    facts: { stage: 'infra-added' },
  });
  onTestFinished(() => fixture.remove());
  const probe = async (...hosts: string[]) => {
    closedHosts.clear();
    for (const host of hosts) closedHosts.add(host);
    const { isBootstrapClosed, isAnswering } = await probeLoadBalancers(fixture.context);
    return [isBootstrapClosed, isAnswering];
  };
  expect(await probe('172.16.0.11', 'fd00::11')).toEqual([true, true]);
  expect(await probe('172.16.0.11')).toEqual([false, true]);
  expect(await probe('172.16.0.11', 'fd00::11', 'fd00::110')).toEqual([true, false]);
  expect(await probe('172.16.0.11', 'fd00::11', 'fd00::111')).toEqual([true, false]);
  const executor = createMoveExecutor(createInfraContext(fixture.context), 'lb-add');
  expect((await executor.probe()).state).toBe('moving');
  closedHosts.clear();
  expect((await executor.probe()).state).toBe('done');
});
