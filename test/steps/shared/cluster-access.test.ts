import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../../src/platform/clock.ts';
import { checkApiConnection, readSnapshot } from '../../../src/steps/shared/cluster-access.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let server: KubeServer;
let fixture: StepFixture;
let now: number;
let clockSkew: number;
let port: number;

beforeEach(async () => {
  now = Date.now();
  clockSkew = 0;
  server = await startKubeServer({ now: () => now + clockSkew });
  port = server.port;
  const clock = {
    now: () => now,
    sleep: () => new Promise<void>(() => undefined),
    startInterval: () => () => undefined,
  };
  fixture = createStepFixture({ clock, resolveEndpoint: () => ({ host: '127.0.0.1', port }) });
  const { kubeconfig } = workspace(fixture.dir);
  mkdirSync(dirname(kubeconfig), { recursive: true });
  fixture.write(kubeconfig.slice(fixture.dir.length + 1), readFileSync(server.kubeconfig, 'utf8'));
});
afterEach(async () => {
  await fixture.remove();
  await server.close();
});

/**
 * Moves the API to another port, once the connection of the last probe is closed: in the next turn of the event loop.
 */
async function movePort(newPort: number): Promise<void> {
  await new Promise(setImmediate);
  port = newPort;
}

const probe = () => readSnapshot(fixture.context, []);

test('an outage is remembered between probes, reported once it lasts too long, and forgotten when it is over', async () => {
  expect((await probe())?.api.line).toBeNull();
  await movePort(1);
  expect((await probe())?.api.line).toContain('(for 0 s, normal so far)');
  now += 42 * SECOND;
  const shortOutage = await probe();
  expect(shortOutage?.api.line).toContain('(for 42 s, normal so far)');
  expect(checkApiConnection(shortOutage)).toEqual([]);
  now += 6 * MINUTE;
  const longOutage = await probe();
  expect(longOutage?.api.line).toContain('longer than usual');
  expect(checkApiConnection(longOutage)).toMatchObject([{ code: 'cluster-refused', severity: 'warning' }]);
  await movePort(server.port);
  const recovered = await probe();
  expect([recovered?.api.line, checkApiConnection(recovered)]).toEqual([null, []]);
  await movePort(1);
  expect((await probe())?.api.line).toContain('(for 0 s');
});

test('clocks that differ by more than a minute are reported', async () => {
  clockSkew = 50 * SECOND;
  expect(checkApiConnection(await probe())).toEqual([]);
  clockSkew = -5 * MINUTE;
  expect(checkApiConnection(await probe())).toMatchObject([{ code: 'cluster-clock-skew', severity: 'warning' }]);
  await movePort(1);
  expect(checkApiConnection(await probe())).toEqual([]);
});
