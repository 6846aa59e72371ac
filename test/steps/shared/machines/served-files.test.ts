import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { probeFile } from '../../../../src/steps/shared/machines/service-probe.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { createStepFixture } from '../../../support/step-fixture.ts';

test('a boot server with an IPv6 address is probed at that address', async () => {
  const server = createServer((_request, response) => response.end('#!ipxe\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const hosts: string[] = [];
  const { services } = exampleSite();
  const design = exampleSite({
    services: { ...services, bastion: { ...services.bastion, ip: ['2001:db8::101'] } },
  });
  const fixture = createStepFixture({
    design,
    resolveEndpoint(host) {
      hosts.push(host);
      return { host: '127.0.0.1', port };
    },
  });
  onTestFinished(() => fixture.remove());
  expect(await probeFile(fixture.context, '/boot.ipxe')).toMatchObject({ path: '/boot.ipxe', isPresent: true });
  expect(hosts).toEqual(['2001:db8::101']);
});
