import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { infraStep, type MoveSite, siteOf } from '../../../src/steps/infra/index.ts';
import { type Traffic, underTraffic } from '../../../src/steps/infra/traffic.ts';
import { infraWords } from '../../../src/text/en/steps/infra.ts';
import { DOMAIN } from '../../support/csr-forge.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { standingClock } from '../../support/standing-clock.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

const CANARY = `canary-openshift-ingress-canary.apps.${DOMAIN}`;
const CERTIFICATE = '/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert';

let api: KubeServer;
let routers: Server;
let status: number;
let asked: string[];
let connections: number;
let world: StepWorld;
let site: MoveSite;

beforeEach(async () => {
  api = await startKubeServer();
  [status, asked, connections] = [200, [], 0];
  // A certificate for the canary alone: the console is not believed, does not answer before, and is not asked.
  routers = createServer(await api.authority.issue(CANARY), (request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    response.writeHead(status).end();
  });
  routers.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => routers.listen(0, '127.0.0.1', resolve));
  const port = (routers.address() as AddressInfo).port;
  api.intercept = (request, response) => {
    if (request.url !== '/readyz') return false;
    response.end('ok');
    return true;
  };
  trust(api.authority.pem);
  const reach = (_host: string, wanted: number) => ({ host: '127.0.0.1', port: wanted === 443 ? port : api.port });
  world = stepWorld({ reach, clock: standingClock() });
  world.write('auth/kubeconfig', readFileSync(api.kubeconfig, 'utf8'));
  // Pauses pass at once; a request has the time that it needs.
  const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
  site = { ...siteOf(world.context), clock: { now: () => 0, sleep, interval: () => () => undefined } };
});
afterEach(async () => {
  routers.close();
  routers.closeAllConnections();
  await world.remove();
  await api.close();
});

function trust(pem: string): void {
  api.put(CERTIFICATE, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'default-ingress-cert', namespace: 'openshift-config-managed' },
    data: { 'ca-bundle.crt': pem },
  });
}

/** Acts until so many requests were made. */
async function until(count: number, meanwhile: (requests: number) => void = () => undefined) {
  let enough = () => {};
  const act = () =>
    new Promise<string>((resolve) => {
      enough = () => resolve('made');
    });
  return await underTraffic(site, 'router', act, ({ requests }: Traffic) => {
    meanwhile(requests);
    if (requests === count) enough();
  });
}

test('the canary and the API are asked all the time, by name, each on a connection of its own', async () => {
  const { result, traffic } = await until(6);
  expect(result).toBe('made');
  expect(traffic).toMatchObject({ failed: 0, failure: null });
  expect(traffic?.requests).toBeGreaterThanOrEqual(6);
  expect(new Set(asked)).toEqual(new Set([`${CANARY}/healthz`]));
  expect(connections).toBeGreaterThanOrEqual(asked.length);
});

test('a request that fails is counted, with why', async () => {
  const { traffic } = await until(8, (requests) => {
    status = requests === 2 || requests === 3 ? 503 : 200;
  });
  expect(traffic?.failed).toBe(1);
  expect(traffic?.failure).toContain('503');
});

test('what nobody can believe, and what does not answer before, is not asked; other moves neither', async () => {
  trust('none');
  expect(
    (
      await underTraffic(
        site,
        'router',
        async () => 1,
        () => undefined,
      )
    ).traffic,
  ).toBeNull();
  const before = api.requests.length;
  expect(
    (
      await underTraffic(
        site,
        'label',
        async () => 1,
        () => undefined,
      )
    ).traffic,
  ).toBeNull();
  expect(api.requests.length).toBe(before);
  await expect(
    underTraffic(
      site,
      'router',
      () => Promise.reject(new Error('stopped')),
      () => undefined,
    ),
  ).rejects.toThrow('stopped');
});

test('the screen says how it goes', async () => {
  const traffic = { move: 'router', requests: 12, failed: 1, failure: 'closed' } as const;
  world.context.recollection.traffic = traffic;
  const { view } = await infraStep.probe(world.context);
  expect(view.traffic).toBe(infraWords.traffic.counted('router', traffic));
});
