// The engine that follows certificate requests: its decisions, as events for any front end.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FollowEvent } from '../../src/csr/follow.ts';
import { type FollowOptions, followRequests } from '../../src/csr/follow.ts';
import { type Clock, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { createCsrContext } from '../../src/steps/certificates/create-csr-context.ts';
import { createClusterContext } from '../../src/steps/shared/cluster-access.ts';
import { createClientObject, createKeys, DOMAIN, NOW } from '../support/csr-forge.ts';
import { type AnyObject, type KubeServer, startKubeServer } from '../support/kube-server.ts';
import { manualClock } from '../support/manual-clock.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';

const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
let server: KubeServer;
let fixture: StepFixture;
let controller: AbortController;

beforeEach(async () => {
  server = await startKubeServer();
  controller = new AbortController();
  // Sleeps are short and do not advance the clock.
  const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms / 100, signal);
  fixture = createStepFixture({
    clock: { ...manualClock(NOW), sleep },
    resolveEndpoint: (host, port) =>
      port === 0 ? { host, port } : { host: '127.0.0.1', port: port === 10250 ? 1 : server.port },
    facts: { stage: 'infra-added', 'powered-on': { w1: NOW - 5 * MINUTE } },
  });
  mkdirSync(join(fixture.dir, 'auth'), { recursive: true });
  copyFileSync(server.kubeconfig, join(fixture.dir, 'auth', 'kubeconfig'));
  server.put(`${CSRS}/`, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: '' },
  });
  server.put('/api/v1/nodes/', { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } });
  server.afterWrite = (path, object: AnyObject) => {
    if (path.startsWith(CSRS)) object.status.certificate = 'cGVt';
  };
});
afterEach(async () => {
  await server.close();
  await fixture.remove();
});

const addRequest = (object: AnyObject) => server.put(`${CSRS}/${object.metadata.name}`, object);

/** Follows requests until `isEnough` accepts an event. */
async function collectEventsUntil(
  isEnough: (event: FollowEvent) => boolean,
  options: Partial<FollowOptions> = {},
): Promise<FollowEvent[]> {
  const events: FollowEvent[] = [];
  const liveCluster = createCsrContext(createClusterContext(fixture.context));
  const end = await followRequests((probe) => probe(liveCluster), {
    signal: controller.signal,
    interval: 1000,
    until: 'stopped',
    emit(event) {
      events.push(event);
      if (isEnough(event)) controller.abort();
    },
    ...options,
  });
  expect(end).toBe('stopped');
  return events;
}

test('expected requests are approved and reported, others are reported once and left alone; then the missing nodes', async () => {
  addRequest(createClientObject({ name: 'good', node: 'w1' }));
  addRequest(createClientObject({ name: 'evil', node: 'w9', keys: createKeys() }));
  const events = await collectEventsUntil(({ type }) => type === 'nodes/joined');
  expect(events.map(({ type }) => type)).toEqual([
    'request/issued',
    'boot/unobserved',
    'request/refused',
    'nodes/joined',
  ]);
  expect(events[0]).toMatchObject({ result: { name: 'good', review: { node: `w1.${DOMAIN}` } } });
  expect(events[1]).toMatchObject({ name: 'good', node: `w1.${DOMAIN}`, isLogKnown: true });
  expect(events[2]).toMatchObject({ request: { name: 'evil', reasons: ['NAME_UNKNOWN'] } });
  expect(events[3]).toMatchObject({ joined: [], missing: expect.arrayContaining(['m1', 'w1']) });
  expect(server.writes().map(({ path }) => path)).toEqual([`${CSRS}/good/approval`]);
});

test('a flood is reported at its start and its end, not for each request; nothing is approved meanwhile', async () => {
  addRequest(createClientObject({ name: 'good', node: 'w1' }));
  const keys = createKeys();
  const names = Array.from({ length: 41 }, (_, index) => `flood-${index}`);
  for (const name of names) addRequest(createClientObject({ name, node: 'w9', keys }));
  const events = await collectEventsUntil((event) => {
    if (event.type === 'flood/began') {
      expect(server.writes()).toEqual([]);
      for (const name of names) server.objects.delete(`${CSRS}/${name}`);
    }
    return event.type === 'request/issued';
  });
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type !== 'nodes/joined')).toEqual([
    'flood/began',
    'flood/ended',
    'request/issued',
    'boot/unobserved',
  ]);
  expect(events[0]).toMatchObject({ flood: { pending: 42, limit: 40, until: null } });
});

test('an outage of the API is reported with its start, and so is its end', async () => {
  let isAway = true;
  server.intercept = (_request, response) => {
    if (!isAway) return false;
    response.destroy();
    return true;
  };
  const events = await collectEventsUntil((event) => {
    if (event.type === 'api/lost') isAway = false;
    return event.type === 'nodes/joined';
  });
  expect(events.map(({ type }) => type)).toEqual(['api/lost', 'api/answered', 'nodes/joined']);
  expect(events[0]).toMatchObject({ urgency: 'normal', since: NOW, now: NOW });
});

test('an action before the first probe is retried until the API answers', async () => {
  let tries = 0;
  server.intercept = (_request, response) => {
    if (tries > 1) return false;
    response.destroy();
    return true;
  };
  let isDone = false;
  const events = await collectEventsUntil(({ type }) => type === 'nodes/joined', {
    async beforeFirstProbe(liveCluster) {
      tries += 1;
      await (await liveCluster.connect()).getVersion();
      isDone = true;
    },
  });
  expect(isDone).toBe(true);
  expect(tries).toBe(2);
  expect(events.map(({ type }) => type)).toEqual(['api/lost', 'api/answered', 'nodes/joined']);
});

test('an error that waiting cannot solve ends it', async () => {
  fixture.write('auth/kubeconfig', '');
  await expect(collectEventsUntil(() => false)).rejects.toMatchObject({
    userError: { code: expect.stringMatching(/^(?:cluster-)?kubeconfig/) },
  });
});

test('following ends as settled when only a lost node is missing: no request of it is to come', async () => {
  const toTime = (ms: number) => new Date(ms).toISOString();
  const addNode = (name: string, address: string, ready: { status: string; lastTransitionTime?: string }) =>
    server.put(`/api/v1/nodes/${name}.${DOMAIN}`, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `${name}.${DOMAIN}`, creationTimestamp: toTime(NOW - 60 * MINUTE), labels: {} },
      spec: {},
      status: { addresses: [{ type: 'InternalIP', address }], conditions: [{ type: 'Ready', ...ready }] },
    });
  const nodes = fixture.context.design.nodes.filter(({ role }) => role !== 'bootstrap');
  for (const { name, ip } of nodes) addNode(name, ip[0] ?? '', { status: 'True' });
  addNode('m2', '172.16.0.22', { status: 'Unknown', lastTransitionTime: toTime(NOW - MINUTE) });
  const liveCluster = createCsrContext(createClusterContext(fixture.context));
  const options = { signal: controller.signal, interval: 1000, until: 'settled', emit: () => undefined } as const;
  expect(await followRequests((probe) => probe(liveCluster), options)).toBe('settled');
});

test('half an hour without changes ends as idle; the time of a suspended machine does not count', async () => {
  let now = NOW;
  let pauses = 0;
  // Longer sleeps are request timeouts. The machine is suspended at the second pause; the clock is set back at the
  // fifth.
  const sleep: Clock['sleep'] = async (ms) => {
    if (ms > 2000) return;
    pauses += 1;
    now += pauses === 2 ? 300 * MINUTE : pauses === 5 ? -60 * MINUTE : 2 * MINUTE;
  };
  const clock: Clock = { ...fixture.context.clock, now: () => now, sleep };
  const liveCluster = createCsrContext(createClusterContext({ ...fixture.context, clock }));
  const options = { signal: controller.signal, interval: 1000, until: 'settled', emit: () => undefined } as const;
  expect(await followRequests((probe) => probe(liveCluster), options)).toBe('idle');
  expect(pauses).toBe(29);
});
