import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { askFile } from '../../../../src/steps/shared/machines/served-files.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { stepWorld } from '../../../support/step-world.ts';

test('a boot server with an IPv6 address is asked at that address', async () => {
  const server = createServer((_request, response) => response.end('#!ipxe\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const asked: string[] = [];
  const { services } = exampleSite();
  const design = exampleSite({
    services: { ...services, bastion: { ...services.bastion, ip: ['2001:db8::101'] } },
  });
  const world = stepWorld({
    design,
    reach(host) {
      asked.push(host);
      return { host: '127.0.0.1', port };
    },
  });
  onTestFinished(() => world.remove());
  expect(await askFile(world.context, '/boot.ipxe')).toMatchObject({ path: '/boot.ipxe', isThere: true });
  expect(asked).toEqual(['2001:db8::101']);
});
