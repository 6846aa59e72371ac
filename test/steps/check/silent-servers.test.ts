import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { createProbes } from '../../../src/steps/check/site-probes.ts';
import { createStepFixture } from '../../support/step-fixture.ts';

const QUERIES = 100;

test('a name server that answers no query is not asked for the rest of the names', async () => {
  const fixture = createStepFixture();
  onTestFinished(() => fixture.remove());
  const server = createSocket('udp4');
  onTestFinished(() => void server.close());
  const ids = new Set<number>();
  server.on('message', (packet) => ids.add(packet.readUInt16BE(0)));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const { dns } = createProbes({
    ...fixture.context,
    clock: systemClock,
    resolveEndpoint: () => ({ host: '127.0.0.1', port }),
  });
  const names = Array.from({ length: QUERIES }, (_, index) => `n${index}.example.com`);
  const answers = await Promise.all(names.map((name) => dns({ server: '192.0.2.1', name, type: 'A' })));
  expect(new Set(answers.map((answer) => 'state' in answer && answer.state))).toEqual(new Set(['timeout']));
  expect(ids.size).toBeGreaterThan(0);
  expect(ids.size).toBeLessThan(QUERIES / 2);
});
