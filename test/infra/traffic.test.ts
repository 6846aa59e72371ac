import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { infraWords } from '../../src/i18n/en/steps/infra.ts';
import type { InfraContext, Traffic } from '../../src/infra/context.ts';
import { runUnderTraffic } from '../../src/infra/traffic.ts';
import { createInfraContext } from '../../src/steps/infra/move-execution.ts';
import { infraStep } from '../../src/steps/infra.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { type KubeServer, startKubeServer } from '../support/kube-server.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';

const CANARY = `canary-openshift-ingress-canary.apps.${DOMAIN}`;
const CERTIFICATE = '/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert';

let api: KubeServer;
let routers: Server;
let status: number;
let requestedUrls: string[];
let connections: number;
let fixture: StepFixture;
let infra: InfraContext;

beforeEach(async () => {
  api = await startKubeServer();
  [status, requestedUrls, connections] = [200, [], 0];
  // The certificate is for the canary only: the console fails verification before the move and gets no requests.
  routers = createServer(await api.authority.issue(CANARY), (request, response) => {
    requestedUrls.push(`${request.headers.host}${request.url}`);
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
  const resolveEndpoint = (_host: string, wanted: number) => ({
    host: '127.0.0.1',
    port: wanted === 443 ? port : api.port,
  });
  fixture = createStepFixture({ resolveEndpoint, clock: createFrozenClock() });
  fixture.write('auth/kubeconfig', readFileSync(api.kubeconfig, 'utf8'));
  // Pauses end at once; requests take real time.
  const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
  infra = {
    ...createInfraContext(fixture.context),
    clock: { now: () => 0, sleep, startInterval: () => () => undefined },
  };
});
afterEach(async () => {
  routers.close();
  routers.closeAllConnections();
  await fixture.remove();
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

/** Runs an action under traffic until `count` requests were sent. */
async function runUntil(count: number, meanwhile: (requests: number) => void = () => undefined) {
  let finish = () => {};
  const action = () =>
    new Promise<string>((resolve) => {
      finish = () => resolve('made');
    });
  return await runUnderTraffic(infra, 'router', action, ({ requests }: Traffic) => {
    meanwhile(requests);
    if (requests === count) finish();
  });
}

test('the canary and the API get requests all the time, by name, each on its own connection', async () => {
  const { result, traffic } = await runUntil(6);
  expect(result).toBe('made');
  expect(traffic).toMatchObject({ failed: 0, failure: null });
  expect(traffic?.requests).toBeGreaterThanOrEqual(6);
  expect(new Set(requestedUrls)).toEqual(new Set([`${CANARY}/healthz`]));
  expect(connections).toBeGreaterThanOrEqual(requestedUrls.length);
});

test('a failed request is counted with its reason', async () => {
  const { traffic } = await runUntil(8, (requests) => {
    status = requests === 2 || requests === 3 ? 503 : 200;
  });
  expect(traffic?.failed).toBe(1);
  expect(traffic?.failure).toContain('503');
});

test('a target that fails verification or does not answer beforehand gets no requests; other moves send none', async () => {
  trust('none');
  expect(
    (
      await runUnderTraffic(
        infra,
        'router',
        async () => 1,
        () => undefined,
      )
    ).traffic,
  ).toBeNull();
  const before = api.requests.length;
  expect(
    (
      await runUnderTraffic(
        infra,
        'label',
        async () => 1,
        () => undefined,
      )
    ).traffic,
  ).toBeNull();
  expect(api.requests.length).toBe(before);
  await expect(
    runUnderTraffic(
      infra,
      'router',
      () => Promise.reject(new Error('stopped')),
      () => undefined,
    ),
  ).rejects.toThrow('stopped');
});

test('the screen shows the counts', async () => {
  const traffic = { move: 'router', requests: 12, failed: 1, failure: 'closed' } as const;
  fixture.context.probeCache.traffic = traffic;
  const { view } = await infraStep.probe(fixture.context);
  expect(view.traffic).toBe(infraWords.traffic.counted('router', traffic));
});
