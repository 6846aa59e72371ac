import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { Stage } from '../../../src/design/model.ts';
import { MOVE_NAMES, MOVES, type MoveName, needsOf } from '../../../src/moves/table.ts';
import { generateStep } from '../../../src/steps/generate/index.ts';
import { addToBalancer, balancerChanges, type InfraView, infraStep, siteOf } from '../../../src/steps/infra/index.ts';
import { isOffered } from '../../../src/steps/infra/standing.ts';
import { putState } from '../../../src/steps/shared/hosts/put-in-place.ts';
import { exampleSite } from '../../support/example-design.ts';
import { startKubeServer } from '../../support/kube-server.ts';
import { moveSide } from '../../support/move-side.ts';
import { standingClock } from '../../support/standing-clock.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

let world: StepWorld | undefined;
afterEach(() => world?.remove());

test('the order avoids an outage', () => {
  const before = (first: MoveName, then: MoveName) => MOVE_NAMES.indexOf(first) < MOVE_NAMES.indexOf(then);
  for (const move of MOVES) for (const { name } of needsOf(move)) expect(before(name, move.name)).toBe(true);
  expect(new Set(MOVE_NAMES).size).toBe(MOVE_NAMES.length);
  expect(MOVE_NAMES.slice(0, 3)).toEqual(['machine-sets', 'autoscaler', 'label']);
  expect(before('lb-add', 'router')).toBe(true);
  for (const name of ['dns', 'router', 'registry', 'monitoring'] as const) expect(before(name, 'taint')).toBe(true);
  expect(MOVE_NAMES.at(-1)).toBe('lb-final');
});

test('a design without infra nodes has nothing to move, and asks nobody', async () => {
  const design = exampleSite();
  world = stepWorld({ design: { ...design, nodes: design.nodes.filter(({ role }) => role !== 'infra') } });
  expect(await infraStep.probe(world.context)).toMatchObject({ state: 'done', view: { moves: [] }, findings: [] });
});

test('the plan names every move that one yes starts with its changes, where it stops, and is dangerous', async () => {
  world = stepWorld();
  const view: InfraView = {
    traffic: null,
    moves: [
      { name: 'label', state: 'done', why: '', changes: [] },
      {
        name: 'router',
        state: 'needed',
        why: '',
        changes: [{ object: 'ingresscontroller default', before: 'a', after: 'b' }],
      },
      { name: 'taint', state: 'needed', why: '', changes: [] },
      { name: 'registry', state: 'blocked', why: 'no storage', changes: [] },
      { name: 'monitoring', state: 'needed', why: '', changes: [] },
    ],
  };
  const plan = await infraStep.plan(world.context, { state: 'needed', summary: '', view, findings: [] });
  expect(plan.isDangerous).toBe(true);
  const what = (text: string) => expect.stringContaining(text);
  expect(plan.changes).toEqual([
    {
      object: 'router',
      what: what('Restarts: Deployment openshift-ingress/router-default'),
      before: null,
      after: null,
    },
    { object: 'ingresscontroller default', what: 'move the router', before: 'a', after: 'b' },
    { object: 'taint', what: what('Nothing restarts. Outage: None'), before: null, after: null },
  ]);
  expect(plan.instructions).toEqual(['It stops at registry: no storage']);
  expect(plan.typed).toBeUndefined();

  // A move that may lose something wants a word; a blocked one does not run, and wants none.
  const losing = {
    name: 'registry-storage',
    why: '',
    changes: [],
    says: ['The images are lost.'],
    types: 'emptyDir',
  } as const;
  const { context } = world;
  const typedIn = async (state: 'needed' | 'blocked') =>
    (
      await infraStep.plan(context, {
        state,
        summary: '',
        view: { ...view, moves: [{ ...losing, state }] },
        findings: [],
      })
    ).typed;
  expect(await typedIn('needed')).toEqual({ word: 'emptyDir', why: 'The images are lost.' });
  expect(await typedIn('blocked')).toBeUndefined();
});

test('a move that is not one, and a cluster that is not there, are refused in words', async () => {
  world = stepWorld();
  await expect(infraStep.applyOne?.(world.context, 'toString', () => undefined)).rejects.toMatchObject({
    trouble: { code: 'move-failed', title: 'move toString failed' },
  });
  await expect(infraStep.applyOne?.(world.context, 'label', () => undefined)).rejects.toMatchObject({
    trouble: { code: 'move-failed' },
  });
});

test('an API that goes away is waited for, with the moves as they were last seen', async () => {
  const server = await startKubeServer();
  onTestFinished(() => server.close());
  server.put('/api/v1/nodes/w1', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'w1' } });
  let port = server.port;
  world = stepWorld({ reach: () => ({ host: '127.0.0.1', port }) });
  world.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
  const seen = await infraStep.probe(world.context);
  expect(seen.view.moves).toHaveLength(MOVE_NAMES.length);
  // What does not apply here stands below what does.
  const isLast = seen.view.moves.map(({ state }) => state === 'absent');
  expect(isLast).toEqual(isLast.toSorted((one, other) => Number(one) - Number(other)));
  expect(new Set(isLast)).toEqual(new Set([true, false]));
  port = 1;
  const away = await infraStep.probe(world.context);
  expect(away).toMatchObject({ state: 'waiting', view: seen.view });
  expect(away.summary).toMatch(/^The API does not answer yet \(for 0 s, normal so far\)/);
  port = server.port;
  expect(await infraStep.probe(world.context)).toEqual(seen);
});

test('a move says where it begins and that it is done, and from then on has something to give back', async () => {
  const server = await startKubeServer();
  onTestFinished(() => server.close());
  for (const node of ['i1', 'i2', 'i3']) {
    const name = `${node}.ocp45.example.localdomain`;
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    server.put(`/api/v1/nodes/${name}`, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: {} },
      spec: {},
      status,
    });
  }
  world = stepWorld({ reach: () => ({ host: '127.0.0.1', port: server.port }), clock: standingClock() });
  world.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
  const { context } = world;
  const written = async () =>
    (await infraStep.probe(context)).view.moves.flatMap((move) =>
      move.hasWritten && isOffered(move) ? move.name : [],
    );
  expect(await written()).toEqual([]);
  const parts: unknown[] = [];
  await infraStep.applyOne?.(context, 'label', (_line, part) => part && parts.push(part));
  expect(parts).toEqual([
    { subject: 'label', state: 'begun' },
    // Its row says why it is done before anybody looks again.
    { subject: 'label', state: 'done', said: expect.stringContaining('labelled') },
  ]);
  expect(await written()).toEqual(['label']);
  await infraStep.undo?.(context, 'label', () => undefined);
  expect(await written()).toEqual([]);
});

test.each<[Stage, string[]]>([
  ['install', []],
  ['bootstrap-removed', ['put lb1']],
  ['infra-added', []],
  ['infra-only', []],
])('when nodes join, with the files of %s: lb-add is made where it is due, and asks nobody', async (stage, done) => {
  world = stepWorld({ facts: { stage } });
  const changes = await balancerChanges(world.context);
  expect(changes.map(({ object }) => object)).toEqual(done.map(() => 'lb1/etc/haproxy/haproxy.cfg'));
  await addToBalancer(world.context, () => undefined);
  expect(world.done).toEqual(done);
  expect(world.context.memory.get('stage')).toBe(done.length > 0 ? 'infra-added' : stage);
});

test('a load balancer of somebody else is left alone when nodes join', async () => {
  const { services, ...rest } = exampleSite();
  const design = { ...rest, services: { ...services, loadBalancer: { kind: 'external', servers: [] } as const } };
  world = stepWorld({ design, facts: { stage: 'bootstrap-removed' } });
  expect(await balancerChanges(world.context)).toEqual([]);
  await addToBalancer(world.context, () => undefined);
  expect(world.done).toEqual([]);
});

/** The status page of a balancer with these routers, until the test ends. */
async function pageOf(members: () => readonly string[]) {
  const page = createServer((_request, response) => {
    const rows = members().map((name) => `ingress-https,${name},UP\ningress-http,${name},DOWN`);
    response.end(['# pxname,svname,status', 'ingress-https,FRONTEND,OPEN', 'api,m1,UP', ...rows, ''].join('\n'));
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void page.close());
  const { port } = page.address() as AddressInfo;
  return () => ({ host: '127.0.0.1', port });
}

test('infra nodes are in the load balancer when it says so itself, not when its file was written', async () => {
  let members = ['w1', 'w2', 'w3'];
  const reach = await pageOf(() => members);
  // All that is asked for is there: the page, and what answers at 443.
  world = stepWorld({ reach, facts: { stage: 'infra-added' }, isPerson: true });
  const move = moveSide(siteOf(world.context), 'lb-add');
  expect(await move.probe()).toMatchObject({
    state: 'moving',
    why: expect.stringMatching(/^lb1 still runs with other members: `.*install\.sh`$/),
  });
  members = ['i1', 'i2', 'i3', 'w1', 'w2', 'w3'];
  expect(await move.probe()).toMatchObject({ state: 'done' });
  // A balancer that tells nothing holds nothing up.
  members = [];
  expect(await move.probe()).toMatchObject({ state: 'done' });
});

test('killed while files are put on a host, a session goes on with the stage it has written', async () => {
  world = stepWorld({ facts: { stage: 'bootstrap-removed', 'put-files': { lb1: 'others', ns1: 'its own' } } });
  const { context } = world;
  const putInPlace = () => Promise.reject(new Error('killed'));
  const killed = { ...context, hands: { ...context.hands, putInPlace } };
  await expect(addToBalancer(killed, () => undefined)).rejects.toThrow('killed');
  expect(context.memory.get('stage')).toBe('infra-added');
  expect(putState(context, 'lb1')).toBe('outdated');
  expect(await generateStep.probe(context)).toMatchObject({ state: 'done' });
});

test('a balancer that has the files of a later stage, whose move was killed before it was noted, is given its files again', async () => {
  const members = ['i1', 'i2', 'i3'];
  const reach = await pageOf(() => members);
  world = stepWorld({ reach, facts: { stage: 'infra-added', 'put-files': { lb1: 'those of infra-only' } } });
  const move = moveSide({ ...siteOf(world.context), log: null }, 'lb-add');
  expect(await move.probe()).toMatchObject({ state: 'needed', changes: [] });
  await move.apply(() => undefined);
  members.push('w1', 'w2', 'w3');
  expect(world.done).toEqual(['put lb1']);
  expect(await move.probe()).toMatchObject({ state: 'done' });
  // HAProxy takes a moment to run with what was just put there.
  members.pop();
  expect(await move.probe()).toMatchObject({ state: 'moving' });
});
