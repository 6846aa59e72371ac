// The one engine that follows certificate requests: what it decides, told by events, whoever shows them.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Clock, MINUTE, systemClock } from '../../../src/ports/clock.ts';
import { type FollowOptions, follow } from '../../../src/steps/certificates/follow.ts';
import type { FollowEvent } from '../../../src/steps/certificates/follow-event.ts';
import { liveClusterOf } from '../../../src/steps/shared/access.ts';
import { clientObject, DOMAIN, NOW, newKeys } from '../../support/csr-forge.ts';
import { type KubeServer, type Loose, startKubeServer } from '../../support/kube-server.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
let server: KubeServer;
let world: StepWorld;
let ending: AbortController;

beforeEach(async () => {
  server = await startKubeServer();
  ending = new AbortController();
  // Waiting is short and no time passes by it.
  const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms / 100, signal);
  world = stepWorld({
    clock: { ...manualClock(NOW), sleep },
    reach: (host, port) =>
      port === 0 ? { host, port } : { host: '127.0.0.1', port: port === 10250 ? 1 : server.port },
    facts: { stage: 'infra-added', 'powered-on': { w1: NOW - 5 * MINUTE } },
  });
  mkdirSync(join(world.dir, 'auth'), { recursive: true });
  copyFileSync(server.kubeconfig, join(world.dir, 'auth', 'kubeconfig'));
  server.put(`${CSRS}/`, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: '' },
  });
  server.put('/api/v1/nodes/', { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } });
  server.afterWrite = (path, object: Loose) => {
    if (path.startsWith(CSRS)) object.status.certificate = 'cGVt';
  };
});
afterEach(async () => {
  await server.close();
  await world.remove();
});

const add = (object: Loose) => server.put(`${CSRS}/${object.metadata.name}`, object);

/** Follows until an event says that it is enough. */
async function eventsUntil(
  isEnough: (event: FollowEvent) => boolean,
  options: Partial<FollowOptions> = {},
): Promise<FollowEvent[]> {
  const events: FollowEvent[] = [];
  const live = liveClusterOf(world.context);
  const end = await follow((look) => look(live), {
    signal: ending.signal,
    every: 1000,
    until: 'stopped',
    tell(event) {
      events.push(event);
      if (isEnough(event)) ending.abort();
    },
    ...options,
  });
  expect(end).toBe('stopped');
  return events;
}

test('what is expected is approved and told, what is not is told once and left alone; then who is missing', async () => {
  add(clientObject({ name: 'good', node: 'w1' }));
  add(clientObject({ name: 'evil', node: 'w9', keys: newKeys() }));
  const events = await eventsUntil(({ type }) => type === 'nodes/joined');
  expect(events.map(({ type }) => type)).toEqual(['request/issued', 'boot/unseen', 'request/refused', 'nodes/joined']);
  expect(events[0]).toMatchObject({ result: { name: 'good', judgement: { node: `w1.${DOMAIN}` } } });
  expect(events[1]).toMatchObject({ name: 'good', node: `w1.${DOMAIN}`, isLogKnown: true });
  expect(events[2]).toMatchObject({ request: { name: 'evil', reasons: ['NAME_UNKNOWN'] } });
  expect(events[3]).toMatchObject({ joined: [], missing: expect.arrayContaining(['m1', 'w1']) });
  expect(server.writes().map(({ path }) => path)).toEqual([`${CSRS}/good/approval`]);
});

test('a flood is told by its beginning and its end, and not by each of its requests; nothing is approved meanwhile', async () => {
  add(clientObject({ name: 'good', node: 'w1' }));
  const keys = newKeys();
  const names = Array.from({ length: 41 }, (_, index) => `flood-${index}`);
  for (const name of names) add(clientObject({ name, node: 'w9', keys }));
  const events = await eventsUntil((event) => {
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
    'boot/unseen',
  ]);
  expect(events[0]).toMatchObject({ flood: { pending: 42, limit: 40, until: null } });
});

test('an API that is away is told with since when, and its answer too', async () => {
  let isAway = true;
  server.intercept = (_request, response) => {
    if (!isAway) return false;
    response.destroy();
    return true;
  };
  const events = await eventsUntil((event) => {
    if (event.type === 'api/lost') isAway = false;
    return event.type === 'nodes/joined';
  });
  expect(events.map(({ type }) => type)).toEqual(['api/lost', 'api/answered', 'nodes/joined']);
  expect(events[0]).toMatchObject({ urgency: 'normal', since: NOW, now: NOW });
});

test('what waits for the API before the first look is tried again until it answered', async () => {
  let tries = 0;
  server.intercept = (_request, response) => {
    if (tries > 1) return false;
    response.destroy();
    return true;
  };
  let isDone = false;
  const events = await eventsUntil(({ type }) => type === 'nodes/joined', {
    async first(live) {
      tries += 1;
      await (await live.connect()).version();
      isDone = true;
    },
  });
  expect(isDone).toBe(true);
  expect(tries).toBe(2);
  expect(events.map(({ type }) => type)).toEqual(['api/lost', 'api/answered', 'nodes/joined']);
});

test('where no waiting helps it ends with what is wrong', async () => {
  world.write('auth/kubeconfig', '');
  await expect(eventsUntil(() => false)).rejects.toMatchObject({
    trouble: { code: expect.stringMatching(/^(?:cluster-)?kubeconfig/) },
  });
});

test('nothing that moves for half an hour settles it; a machine that slept for hours has not waited', async () => {
  let now = NOW;
  let pauses = 0;
  // Other sleeps are the patience of a request. The lid is closed at the second pause; the clock is set back at the fifth.
  const sleep: Clock['sleep'] = async (ms) => {
    if (ms > 2000) return;
    pauses += 1;
    now += pauses === 2 ? 300 * MINUTE : pauses === 5 ? -60 * MINUTE : 2 * MINUTE;
  };
  const clock: Clock = { ...world.context.clock, now: () => now, sleep };
  const live = liveClusterOf({ ...world.context, clock });
  const options = { signal: ending.signal, every: 1000, until: 'settled', tell: () => undefined } as const;
  expect(await follow((look) => look(live), options)).toBe('settled');
  expect(pauses).toBe(29);
});
