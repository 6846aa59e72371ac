import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../../src/ports/clock.ts';
import { apiFindings, look } from '../../../src/steps/shared/access.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

let server: KubeServer;
let world: StepWorld;
let now: number;
let ahead: number;
let port: number;

beforeEach(async () => {
  now = Date.now();
  ahead = 0;
  server = await startKubeServer({ now: () => now + ahead });
  port = server.port;
  const clock = {
    now: () => now,
    sleep: () => new Promise<void>(() => undefined),
    interval: () => () => undefined,
  };
  world = stepWorld({ clock, reach: () => ({ host: '127.0.0.1', port }) });
  const { kubeconfig } = workspace(world.dir);
  mkdirSync(dirname(kubeconfig), { recursive: true });
  world.write(kubeconfig.slice(world.dir.length + 1), readFileSync(server.kubeconfig, 'utf8'));
});
afterEach(async () => {
  await world.remove();
  await server.close();
});

const see = () => look(world.context, []);

test('an outage is remembered from look to look, told once it lasts too long, and forgotten when it is over', async () => {
  expect((await see())?.api.line).toBeNull();
  port = 1;
  expect((await see())?.api.line).toContain('(for 0 s, normal so far)');
  now += 42 * SECOND;
  const young = await see();
  expect(young?.api.line).toContain('(for 42 s, normal so far)');
  expect(apiFindings(young)).toEqual([]);
  now += 6 * MINUTE;
  const old = await see();
  expect(old?.api.line).toContain('longer than usual');
  expect(apiFindings(old)).toMatchObject([{ code: 'cluster-refused', severity: 'warning' }]);
  port = server.port;
  const well = await see();
  expect([well?.api.line, apiFindings(well)]).toEqual([null, []]);
  port = 1;
  expect((await see())?.api.line).toContain('(for 0 s');
});

test('clocks that differ by more than a minute are told', async () => {
  ahead = 50 * SECOND;
  expect(apiFindings(await see())).toEqual([]);
  ahead = -5 * MINUTE;
  expect(apiFindings(await see())).toMatchObject([{ code: 'cluster-clock-skew', severity: 'warning' }]);
  port = 1;
  expect(apiFindings(await see())).toEqual([]);
});
