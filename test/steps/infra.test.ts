import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { Stage } from '../../src/design/choices.ts';
import type { Design } from '../../src/design/model.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { listDependencies, MOVE_NAMES, MOVES, type MoveName, shouldOfferUndo } from '../../src/infra/moves.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { generateStep } from '../../src/steps/generate.ts';
import { createInfraContext } from '../../src/steps/infra/move-execution.ts';
import { type InfraView, infraStep, measureProgress, summarizeMoves } from '../../src/steps/infra.ts';
import { compareHostFiles } from '../../src/steps/shared/hosts/host-file-records.ts';
import { applyLbAdd, planLbAdd } from '../../src/steps/shared/hosts/load-balancer.ts';
import { parseTarget } from '../../src/steps/step-action.ts';
import { exampleSite } from '../support/example-design.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { startKubeServer } from '../support/kube-server.ts';
import { createMoveExecutor, executeJob } from '../support/move-executor.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';

let fixture: StepFixture | undefined;
afterEach(() => fixture?.remove());

test('the order avoids an outage', () => {
  const isBefore = (first: MoveName, then: MoveName) => MOVE_NAMES.indexOf(first) < MOVE_NAMES.indexOf(then);
  for (const move of MOVES) for (const { name } of listDependencies(move)) expect(isBefore(name, move.name)).toBe(true);
  expect(new Set(MOVE_NAMES).size).toBe(MOVE_NAMES.length);
  expect(MOVE_NAMES.slice(0, 3)).toEqual(['machine-sets', 'autoscaler', 'label']);
  expect(isBefore('lb-add', 'router')).toBe(true);
  for (const name of ['dns', 'router', 'registry', 'monitoring'] as const) expect(isBefore(name, 'taint')).toBe(true);
  expect(MOVE_NAMES.at(-1)).toBe('lb-final');
});

test('a design without infra nodes has nothing to move and sends no requests', async () => {
  const design = exampleSite();
  fixture = createStepFixture({ design: { ...design, nodes: design.nodes.filter(({ role }) => role !== 'infra') } });
  expect(await infraStep.probe(fixture.context)).toMatchObject({ state: 'done', view: { moves: [] }, findings: [] });
});

test('the plan names every move that one confirmation starts with its changes and where it stops, and is dangerous', async () => {
  fixture = createStepFixture();
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
  const plan = await infraStep.plan(fixture.context, { state: 'needed', summary: '', view, findings: [] });
  expect(plan.isDangerous).toBe(true);
  const containing = (text: string) => expect.stringContaining(text);
  expect(plan.changes).toEqual([
    {
      object: 'router',
      what: containing('Restarts: Deployment openshift-ingress/router-default'),
      before: null,
      after: null,
    },
    { object: 'ingresscontroller default', what: 'move the router', before: 'a', after: 'b' },
    { object: 'taint', what: containing('Outage: None'), before: null, after: null },
  ]);
  expect(plan.parts).toEqual([
    { label: 'router', text: 'ingresscontroller default', end: 'restarts', changeCount: 2 },
    { label: 'taint', text: '', end: 'no restart', changeCount: 1 },
  ]);
  expect(plan.summary?.[0]?.text).toBe('1 object of 2 moves, in this order');
  expect(plan.instructions).toEqual(['The run stops at registry, which is blocked.']);
  // The question says what the run leaves out, and why.
  expect(plan.summary?.slice(-2)).toEqual([
    { label: 'Not now', text: 'registry: blocked: no storage' },
    { label: 'Not now', text: 'monitoring: comes after registry' },
  ]);
  expect(plan.typedConfirmation).toBeUndefined();

  // A move that may lose data needs a typed word; a blocked one does not run and needs none.
  const lossyMove = {
    name: 'registry-storage',
    why: '',
    changes: [],
    notes: ['The images are lost.'],
    confirmationWord: 'emptyDir',
  } as const;
  const { context } = fixture;
  const planTypedWord = async (state: 'needed' | 'blocked') =>
    (
      await infraStep.plan(context, {
        state,
        summary: '',
        view: { ...view, moves: [{ ...lossyMove, state }] },
        findings: [],
      })
    ).typedConfirmation;
  expect(await planTypedWord('needed')).toEqual({ word: 'emptyDir', reason: 'The images are lost.' });
  expect(await planTypedWord('blocked')).toBeUndefined();
});

test('an unknown move and an unreachable cluster are refused with an error', async () => {
  fixture = createStepFixture();
  await expect(
    infraStep.applyOne?.(fixture.context, parseTarget('infra', 'toString'), () => undefined),
  ).rejects.toMatchObject({
    userError: { code: 'move-failed', title: 'move toString failed' },
  });
  await expect(executeJob(fixture.context, 'apply-one', 'label')).rejects.toMatchObject({
    userError: { code: 'move-blocked', title: 'move label is blocked' },
  });
});

test('without infra nodes the boot image is still recorded, from 4.22 on and on more than one node', async () => {
  const server = await startKubeServer();
  onTestFinished(() => server.close());
  const site = exampleSite();
  const listMoves = async (version: string, change: Partial<Design>) => {
    const openshift = { ...site.openshift, version };
    const design = { ...site, nodes: site.nodes.filter(({ role }) => role !== 'infra'), openshift, ...change };
    await fixture?.remove();
    fixture = createStepFixture({ design, resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }) });
    fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
    const { view, summary } = await infraStep.probe(fixture.context);
    return [summary, view.moves.map(({ name }) => name)] as const;
  };
  const { none, recorded } = catalogue().steps.infra;
  expect(await listMoves('4.21', {})).toEqual([none, []]);
  expect(await listMoves('4.22', {})).toEqual([recorded, ['boot-image-record']]);
  for (const topology of ['single-node', 'single-node-bootstrap'] as const)
    expect(await listMoves('4.22', { topology })).toEqual([none, []]);
  const nodes = site.nodes.flatMap((node) => (node.role === 'infra' ? [{ ...node, role: 'storage' as const }] : node));
  const [, ofStorage] = await listMoves('4.21', { nodes });
  expect(new Set(ofStorage)).toEqual(new Set(['label', 'storage', 'dns']));
  const [, ofBoth] = await listMoves('4.22', { nodes });
  expect(new Set(ofBoth)).toEqual(new Set(['label', 'storage', 'dns', 'boot-image-record']));
});

test('the progress is that of the moves of this run: those that were done when it began do not count', () => {
  const cache = { movesDoneBeforeRun: null, lastMoveRequest: null };
  const measure = (
    done: readonly MoveName[],
    request: { action: 'apply' | 'apply-one'; moves: readonly MoveName[] } | null,
    moving: readonly MoveName[] = [],
  ) =>
    measureProgress(
      cache,
      (['label', 'router', 'registry', 'monitoring'] as const).map((name) => ({
        name,
        state: done.includes(name)
          ? ('done' as const)
          : moving.includes(name)
            ? ('moving' as const)
            : ('needed' as const),
        why: '',
        changes: [],
      })),
      request,
    ).map(({ share }) => share);
  const all = { action: 'apply', moves: MOVE_NAMES } as const;
  // A session that was opened in the middle of a run does not know what was done before.
  expect(measure(['label'], all)).toEqual([1, 0, 0, 0]);
  expect(measure(['label', 'monitoring'], null)).toEqual([0, 0]);
  expect(measure(['label', 'monitoring'], all)).toEqual([0, 0]);
  expect(measure(['label', 'monitoring', 'router'], all)).toEqual([1, 0]);
  expect(measure(['label', 'monitoring', 'router'], { action: 'apply-one', moves: ['registry'] })).toEqual([0]);
  // The job of the single move was stopped, and its move is still in progress.
  expect(measure(['label', 'monitoring', 'router'], null, ['registry'])).toEqual([0]);
  expect(measure(['label', 'monitoring'], null)).toEqual([0, 0]);
});

test('a move in progress before one that is blocked needs a repair, and is part of the progress after the job', () => {
  const create = (name: MoveName, state: 'done' | 'moving' | 'blocked') => ({ name, state, why: 'x', changes: [] });
  const moves = [create('label', 'done'), create('lb-add', 'moving'), create('router', 'blocked')];
  expect(summarizeMoves(moves, exampleSite())).toMatchObject({ state: 'waiting', isStuck: true });
  expect(summarizeMoves(moves.slice(0, 2), exampleSite())).not.toHaveProperty('isStuck');
  const cache = { movesDoneBeforeRun: null, lastMoveRequest: { action: 'apply' as const, moves: ['label' as const] } };
  expect(measureProgress(cache, moves, null).map(({ share }) => share)).toEqual([1, 0]);
});

test('what stops the next run is in the headline, and not in its progress', () => {
  const create = (name: MoveName, state: 'needed' | 'blocked') => ({ name, state, why: 'no storage', changes: [] });
  const moves = [
    ...[create('label', 'needed'), create('registry-storage', 'blocked')],
    ...[create('registry', 'needed'), create('monitoring', 'needed')],
  ];
  expect(summarizeMoves(moves, exampleSite()).summary).toBe('to do: label; not now: registry-storage');
  const progress = measureProgress({ movesDoneBeforeRun: null, lastMoveRequest: null }, moves, null);
  expect(progress.map(({ subject }) => subject)).toEqual(['label']);
});

test('an API outage is waited for, with the moves as last observed', async () => {
  const server = await startKubeServer();
  onTestFinished(() => server.close());
  server.put('/api/v1/nodes/w1', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'w1' } });
  let port = server.port;
  let now = Date.now();
  const clock = createFrozenClock(() => now);
  fixture = createStepFixture({ clock, resolveEndpoint: () => ({ host: '127.0.0.1', port }) });
  fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
  const initial = await infraStep.probe(fixture.context);
  expect(initial.view.moves).toHaveLength(MOVE_NAMES.length);
  // Moves that do not apply here come last.
  const absentFlags = initial.view.moves.map(({ state }) => state === 'absent');
  expect(absentFlags).toEqual(absentFlags.toSorted((one, other) => Number(one) - Number(other)));
  expect(new Set(absentFlags)).toEqual(new Set([true, false]));
  port = 1;
  const duringOutage = await infraStep.probe(fixture.context);
  expect(duringOutage).toMatchObject({ state: 'waiting', view: initial.view });
  expect(duringOutage.summary).toMatch(/^The API does not answer yet \(for 0 s, normal so far\)/);
  now += 6 * MINUTE;
  // From then on a finding reports it, and the summary does not repeat its title.
  const longOutage = await infraStep.probe(fixture.context);
  expect(longOutage.findings).toMatchObject([{ code: 'cluster-refused', title: 'The API does not answer yet' }]);
  expect(longOutage.summary).toBe('The API cannot be read now; the reason is below.');
  port = server.port;
  expect(await infraStep.probe(fixture.context)).toEqual(initial);
});

test('a move reports its start and its end, and can be undone from then on', async () => {
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
  fixture = createStepFixture({
    resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }),
    clock: createFrozenClock(),
  });
  fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
  const { context } = fixture;
  const listUndoable = async () =>
    (await infraStep.probe(context)).view.moves.flatMap((move) =>
      move.hasWritten && shouldOfferUndo(move) ? move.name : [],
    );
  expect(await listUndoable()).toEqual([]);
  const parts: unknown[] = [];
  await executeJob(context, 'apply-one', 'label', (_line, part) => part && parts.push(part));
  expect(parts).toEqual([
    { subject: 'label', state: 'begun' },
    // Its row gives the reason before the next probe.
    { subject: 'label', state: 'done', detail: expect.stringContaining('labelled') },
  ]);
  expect(await listUndoable()).toEqual(['label']);
  await executeJob(context, 'undo', 'label');
  expect(await listUndoable()).toEqual([]);
});

test.each<[Stage, string[]]>([
  ['install', []],
  ['bootstrap-removed', ['put lb1']],
  ['infra-added', []],
  ['infra-only', []],
])(
  'when nodes join, with the files of %s: lb-add is applied where it is due, without a question',
  async (stage, done) => {
    fixture = createStepFixture({ facts: { stage } });
    const changes = await planLbAdd(fixture.context);
    expect(changes.map(({ object }) => object)).toEqual(done.map(() => 'lb1/etc/haproxy/haproxy.cfg'));
    await applyLbAdd(fixture.context, () => undefined);
    expect(fixture.calls).toEqual(done);
    expect(fixture.context.stepState.get('stage')).toBe(done.length > 0 ? 'infra-added' : stage);
  },
);

test('an external load balancer is left alone when nodes join', async () => {
  const { services, ...rest } = exampleSite();
  const design = { ...rest, services: { ...services, loadBalancer: { kind: 'external', servers: [] } as const } };
  fixture = createStepFixture({ design, facts: { stage: 'bootstrap-removed' } });
  expect(await planLbAdd(fixture.context)).toEqual([]);
  await applyLbAdd(fixture.context, () => undefined);
  expect(fixture.calls).toEqual([]);
});

/** Serves the status page of a load balancer with these routers, until the test ends. */
async function serveStatusPage(members: () => readonly string[]) {
  const page = createServer((_request, response) => {
    const rows = members().map((name) => `ingress-https,${name},UP\ningress-http,${name},DOWN`);
    response.end(['# pxname,svname,status', 'ingress-https,FRONTEND,OPEN', 'api,m1,UP', ...rows, ''].join('\n'));
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void page.close());
  const { port } = page.address() as AddressInfo;
  return () => ({ host: '127.0.0.1', port });
}

test('infra nodes count as added when the load balancer reports them, not when its file is written', async () => {
  let members = ['w1', 'w2', 'w3'];
  const resolveEndpoint = await serveStatusPage(() => members);
  // Both probed endpoints answer: the status page and port 443.
  fixture = createStepFixture({ resolveEndpoint, facts: { stage: 'infra-added' }, isManual: true });
  const move = createMoveExecutor(createInfraContext(fixture.context), 'lb-add');
  expect(await move.probe()).toMatchObject({
    state: 'moving',
    why: expect.stringMatching(/^lb1: HAProxy still runs with the members of another stage: `.*install\.sh`$/),
  });
  members = ['i1', 'i2', 'i3', 'w1', 'w2', 'w3'];
  expect(await move.probe()).toMatchObject({ state: 'done' });
  // A load balancer that reports no routers blocks nothing.
  members = [];
  expect(await move.probe()).toMatchObject({ state: 'done' });
});

test('a session that is killed while files are put on a host continues with the written stage', async () => {
  fixture = createStepFixture({
    facts: { stage: 'bootstrap-removed', 'put-files': { lb1: 'others', ns1: 'its own' } },
  });
  const { context } = fixture;
  const installHostFiles = () => Promise.reject(new Error('killed'));
  const killed = { ...context, manualActions: { ...context.manualActions, installHostFiles } };
  await expect(applyLbAdd(killed, () => undefined)).rejects.toThrow('killed');
  expect(context.stepState.get('stage')).toBe('infra-added');
  expect(compareHostFiles(context, 'lb1')).toBe('outdated');
  expect(await generateStep.probe(context)).toMatchObject({ state: 'done' });
});

test('a load balancer with the files of a later stage, whose move was killed before it was recorded, gets its files again', async () => {
  const members = ['i1', 'i2', 'i3'];
  const resolveEndpoint = await serveStatusPage(() => members);
  fixture = createStepFixture({
    resolveEndpoint,
    facts: { stage: 'infra-added', 'put-files': { lb1: 'those of infra-only' } },
  });
  const move = createMoveExecutor({ ...createInfraContext(fixture.context), undoLog: null }, 'lb-add');
  expect(await move.probe()).toMatchObject({ state: 'needed', changes: [] });
  await move.apply();
  members.push('w1', 'w2', 'w3');
  expect(fixture.calls).toEqual(['put lb1']);
  expect(await move.probe()).toMatchObject({ state: 'done' });
  // HAProxy takes a moment to reload the new file.
  members.pop();
  expect(await move.probe()).toMatchObject({ state: 'moving' });
});
