import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { siteOf } from '../../../../src/steps/infra/index.ts';
import { balancerProof } from '../../../../src/steps/shared/hosts/balancer-proof.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { moveSide } from '../../../support/move-side.ts';
import { standingClock } from '../../../support/standing-clock.ts';
import { stepWorld } from '../../../support/step-world.ts';

test('of two families both have to answer through the balancer, and both of the bootstrap’s addresses count', async () => {
  const server = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const plain = exampleSite();
  const design = {
    ...plain,
    endpoints: {
      api: ['172.16.0.111', 'fd00::111'],
      apiInt: ['172.16.0.110', 'fd00::110'],
      ingress: ['172.16.0.111', 'fd00::111'],
    },
    nodes: plain.nodes.map((node) => (node.role === 'bootstrap' ? { ...node, ip: ['172.16.0.11', 'fd00::11'] } : node)),
  };
  const closed = new Set<string>();
  const world = stepWorld({
    design,
    clock: standingClock(),
    reach: (host) => ({ host: '127.0.0.1', port: closed.has(host) ? 1 : port }),
    facts: { stage: 'infra-added' },
  });
  onTestFinished(() => world.remove());
  const proof = async (...hosts: string[]) => {
    closed.clear();
    for (const host of hosts) closed.add(host);
    const { isBootstrapClosed, answers } = await balancerProof(world.context);
    return [isBootstrapClosed, answers];
  };
  expect(await proof('172.16.0.11', 'fd00::11')).toEqual([true, true]);
  expect(await proof('172.16.0.11')).toEqual([false, true]);
  expect(await proof('172.16.0.11', 'fd00::11', 'fd00::110')).toEqual([true, false]);
  expect(await proof('172.16.0.11', 'fd00::11', 'fd00::111')).toEqual([true, false]);
  const move = moveSide(siteOf(world.context), 'lb-add');
  expect((await move.probe()).state).toBe('moving');
  closed.clear();
  expect((await move.probe()).state).toBe('done');
});
