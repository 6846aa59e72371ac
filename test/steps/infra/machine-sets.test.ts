import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Design } from '../../../src/design/model.ts';
import { spread } from '../../../src/moves/machine-sets/autoscaler.ts';
import { MOVE_NAMES, MOVES, type MoveName } from '../../../src/moves/table.ts';
import { at } from '../../../src/objects/object.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { MACHINES, reconcileMachines, SETS } from '../../../src/rehearsal/world/cloud/machines.ts';
import { planUndos } from '../../../src/steps/infra/engine.ts';
import { applyMoves, lookAtMoves, type MoveEvent, undoMoves } from '../../../src/steps/infra/index.ts';
import type { MoveSite } from '../../../src/steps/infra/site.ts';
import { undoLines } from '../../../src/steps/infra/undo-lines.ts';
import { live } from '../../../src/text/en/commands/live.ts';
import { moves } from '../../../src/text/en/moves/index.ts';
import { infraWords } from '../../../src/text/en/steps/infra.ts';
import { type InfraApi, startInfraApi } from '../../support/infra-api.ts';

// The move of the machine sets on the API and the cloud of the rehearsal: machines come and go while the clock of the site runs.

const INFRA = 'node-role.kubernetes.io/infra';
const AWS = JSON.parse(readFileSync(new URL('../../fixtures/machine-sets/aws.json', import.meta.url), 'utf8'));
const SETS_OF_INFRA = ['a', 'b', 'c'].map((zone) => `shop-x7k2p-infra-us-east-2${zone}`);

let api: InfraApi;
let site: MoveSite;
let tick: () => void;
beforeEach(async () => {
  api = await startInfraApi();
  begin();
});
afterEach(() => api.close());

function begin(faults: readonly FaultId[] = []): void {
  for (const name of ['i1', 'i2', 'i3']) api.store.delete('nodes', null, `${name}.ocp45.example.localdomain`);
  let now = Date.parse('2026-11-22T12:00:00Z');
  const timers: Record<string, number> = {};
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      // Each look is a request: fewer of them.
      now += Math.max(ms, 20_000);
      tick();
    },
    interval: () => () => undefined,
  };
  const cloud = { store: api.store, clock, seed: 1, faults: new Set(faults), changed: () => undefined };
  tick = () => reconcileMachines({ ...cloud, saved: { timers }, release: { kubernetes: 'v1.31.8' } });
  const { design } = api;
  const infra = { ...design.infra, machineSets: { count: 3, size: 'm6i.2xlarge', healthCheck: false } };
  const services = { ...design.services, loadBalancer: { kind: 'external', servers: [] } } as const;
  const nodes = design.nodes.filter(({ role }) => role !== 'infra' && role !== 'storage');
  const { signal } = new AbortController();
  site = {
    ...{ clock, signal, connect: async () => api.cluster, context: null, log: api.log() },
    design: { ...design, nodes, services, infra } satisfies Design,
  };
}

function furnish(): void {
  api.add('namespaces', { metadata: { name: 'openshift-machine-api' } });
  api.add('infrastructures.config.openshift.io', {
    metadata: { name: 'cluster' },
    spec: { platformSpec: { type: 'AWS' } },
    status: { infrastructureName: 'shop-x7k2p', platform: 'AWS', platformStatus: { type: 'AWS' } },
  });
  for (const { metadata, spec } of AWS)
    api.add(SETS, { metadata: { ...metadata, uid: undefined, resourceVersion: undefined }, spec, status: {} });
}

const look = async (names: readonly MoveName[] = MOVE_NAMES) => await lookAtMoves(site, names);
const only = async (name: MoveName) => (await look([name]))[0];
const sets = () => api.store.list(SETS).map(({ metadata }) => metadata.name);
const infraNodes = () => api.store.list('nodes').filter(({ metadata }) => metadata.labels?.[INFRA] !== undefined);
async function apply(shown: Parameters<typeof applyMoves>[2]['shown'] = null) {
  const events: MoveEvent[] = [];
  const ended = await applyMoves(site, ['machine-sets'], { tell: (event) => events.push(event), shown });
  return { ended, events };
}

test('planned whole, made without machines, scaled, awaited, and nothing the second time; undone to the start', async () => {
  furnish();
  for (let turn = 0; turn < 40; turn += 1) await site.clock.sleep(0);
  const before = JSON.stringify([api.store.list(SETS), api.store.list(MACHINES).length, sets()]);
  const plan = await look();
  const states = Object.fromEntries(plan.map(({ name, state }) => [name, state]));
  // The nodes are born with label and taint; the balancer is the cloud's.
  expect(states).toMatchObject({
    ...{ 'machine-sets': 'needed', label: 'done', pool: 'needed', 'lb-add': 'absent', dns: 'needed', router: 'needed' },
    ...{ monitoring: 'needed', taint: 'done', 'lb-final': 'absent' },
  });
  const [planned] = plan;
  expect(
    planned?.changes.map(({ object, before }) => [object.split(' ')[0], object.split('/').at(-1), before]),
  ).toEqual(
    SETS_OF_INFRA.flatMap((name) => [
      ['MachineSet', name, null],
      ['MachineSet', name, 'spec:\n  replicas: 0\n'],
    ]),
  );
  expect(planned?.changes[0]?.copyOf?.object).toContain('shop-x7k2p-worker-us-east-2a');
  expect(plan.find(({ name }) => name === 'router')?.changes[0]?.after).toContain('replicas: 3');
  expect(api.store.list(SETS)).toHaveLength(3);

  const written: (string | undefined)[] = [];
  const stop = api.store.subscribe(({ object }) => {
    if (object.kind === 'MachineSet' && object.metadata.name === SETS_OF_INFRA[0])
      written.push(JSON.stringify((object.spec as { replicas: number }).replicas));
  });
  const { ended, events } = await apply(plan.flatMap(({ changes }) => changes));
  stop();
  expect(ended).toEqual({ end: 'done' });
  expect(written.slice(0, 2)).toEqual(['0', '1']);
  const waits = events.flatMap((event) => (event.type === 'waiting' ? event.why : []));
  for (const phase of ['Provisioning', 'Provisioned', 'not Ready yet']) expect(waits.join('\n')).toContain(phase);
  expect(infraNodes()).toHaveLength(3);
  for (const { spec } of infraNodes())
    expect(spec).toMatchObject({ taints: [{ key: INFRA, value: 'reserved', effect: 'NoSchedule' }] });
  expect(await only('machine-sets')).toMatchObject({ state: 'done', changes: [] });
  const later = await look();
  for (const { name, changes } of later.slice(1))
    expect([name, changes]).toEqual([name, plan.find((one) => one.name === name)?.changes]);
  const version = api.store.currentVersion();
  await apply();
  expect(api.store.currentVersion()).toBe(version);

  // What it made is not compared field by field.
  const [undo = null] = await planUndos(
    site,
    MOVES.filter(({ name }) => name === 'machine-sets'),
    false,
  );
  expect(undo && undoLines(undo)).toEqual([
    ...SETS_OF_INFRA.toReversed().map((name) => `MachineSet openshift-machine-api/${name}: ${live.infra.undo.deleted}`),
    moves.each['machine-sets'].notBack,
  ]);

  const undone: MoveEvent[] = [];
  expect(await undoMoves(site, ['machine-sets'], { tell: (event) => undone.push(event) })).toEqual({ end: 'done' });
  expect(undone.some((event) => event.type === 'waiting' && event.why.includes('Deleting'))).toBe(true);
  expect(infraNodes()).toEqual([]);
  expect(JSON.stringify([api.store.list(SETS), api.store.list(MACHINES).length, sets()])).toBe(before);
});

test.each([
  ['the first of them', 1],
  ['all of them', 3],
])('a plan that is made while machines join counts on them, as the one before them did: %s', async (_, count) => {
  furnish();
  // It tolerates what it will be given, and no node that is not Ready.
  const router = { name: 'router-default', namespace: 'openshift-ingress' };
  api.store.delete('deployments.apps', router.namespace, router.name);
  api.add('deployments.apps', { metadata: router, spec: { template: { spec: {} } } });
  const planned = (await look()).filter(({ state }) => state === 'needed').slice(1);
  const hasUnready = () =>
    infraNodes().length >= count && infraNodes().some(({ spec }) => JSON.stringify(spec).includes('not-ready'));
  const written = applyMoves(site, ['machine-sets'], {
    tell: (event) => {
      if (event.type === 'waiting' && hasUnready()) throw new Error('killed');
    },
    shown: null,
  });
  await expect(written).rejects.toThrow('killed');
  const now = await look();
  expect(now[0]?.state).toBe('moving');
  expect(now.filter(({ state }) => state === 'needed').map(({ name, changes }) => [name, changes])).toEqual(
    planned.map(({ name, changes }) => [name, changes]),
  );
});

test('the taint that machines are born with keeps no move in place: it goes with them', async () => {
  furnish();
  await apply();
  const dns = () => JSON.stringify(api.store.get('dnses.operator.openshift.io', null, 'default')?.spec);
  const before = dns();
  // Nothing rolls out here: it is written, and that is all.
  await applyMoves(site, ['dns'], { tell: () => undefined, shown: null });
  expect(dns()).not.toBe(before);
  const told: string[] = [];
  const tell = (event: MoveEvent) => void (event.type === 'told' && told.push(event.line));
  const taints = () => JSON.stringify(infraNodes().map(({ spec }) => spec));
  const born = taints();
  expect(await undoMoves(site, ['dns', 'label', 'taint'], { tell })).toEqual({ end: 'done' });
  expect(dns()).toBe(before);
  const said = (['taint', 'label'] as const).map((name) => infraWords.infra.born(name, SETS_OF_INFRA));
  expect(told).toEqual(said);
  const named = MOVES.filter(({ name }) => name === 'taint');
  for (const toDefaults of [false, true])
    expect((await planUndos(site, named, toDefaults)).flatMap((plan) => undoLines(plan))).toEqual([said[0]]);
  const allow = async () => ({ toDefaults: true, overwrites: () => true });
  expect(await undoMoves(site, ['taint'], { tell, allow, toDefaults: true })).toEqual({ end: 'done' });
  expect(taints()).toBe(born);
});

test('a machine that the cloud cannot make fails the move, with what the cloud says, and goes on once it is deleted', async () => {
  begin(['machine-fails']);
  furnish();
  const { ended } = await apply();
  expect(ended).toMatchObject({ end: 'stopped', move: 'machine-sets', how: 'failed' });
  expect(JSON.stringify(ended)).toContain('InsufficientInstanceCapacity');
  const failed = api.store.list(MACHINES).find(({ status }) => (status as { phase: string }).phase === 'Failed');
  expect(await only('machine-sets')).toMatchObject({ state: 'failed', changes: [] });
  await api.cluster.remove('Machine', failed?.metadata.name ?? '', 'openshift-machine-api');
  expect((await apply()).ended).toEqual({ end: 'done' });
  expect(infraNodes()).toHaveLength(3);
});

test('a health check of the infra machines on request, which goes with them', async () => {
  furnish();
  const machineSets = { count: 1, size: null, healthCheck: true };
  site = { ...site, design: { ...site.design, infra: { ...site.design.infra, machineSets } } };
  const checks = () => api.store.list('machinehealthchecks.machine.openshift.io');
  expect((await apply()).ended).toEqual({ end: 'done' });
  const role = 'machine.openshift.io/cluster-api-machine-role';
  const machine = api.store.list(MACHINES).find(({ metadata }) => metadata.labels?.[role] === 'infra');
  const [check] = checks();
  expect(check?.spec).toMatchObject({
    maxUnhealthy: 1,
    unhealthyConditions: [{ status: 'False' }, { status: 'Unknown' }],
  });
  expect(machine?.metadata.labels).toMatchObject(at(check, 'spec', 'selector', 'matchLabels') as object);
  expect(await undoMoves(site, ['machine-sets'], { tell: () => undefined })).toEqual({ end: 'done' });
  expect([checks(), infraNodes()]).toEqual([[], []]);
});

test('what somebody else scaled stays unless that is agreed to, and sets stay while pods need their machines', async () => {
  furnish();
  await apply();
  const [, second = ''] = SETS_OF_INFRA;
  api.change(SETS, 'openshift-machine-api', second, ({ spec }) => Object.assign(spec as object, { replicas: 2 }));
  const kept = await undoMoves(site, ['machine-sets'], { tell: () => undefined });
  expect(kept).toMatchObject({ end: 'stopped', how: 'blocked' });
  expect(sets().filter((name) => name.includes('infra'))).toEqual([second]);
  for (let turn = 0; turn < 40; turn += 1) await site.clock.sleep(0);
  const [node] = infraNodes();
  api.add('pods', {
    metadata: { name: 'router-default-7d4b9c-x2x9p', namespace: 'openshift-ingress' },
    spec: { nodeName: node?.metadata.name, nodeSelector: { [INFRA]: '' } },
    status: { phase: 'Running' },
  });
  const consent = { toDefaults: false, overwrites: () => true };
  const allow = async () => consent;
  const needed = await undoMoves(site, ['machine-sets'], { tell: () => undefined, allow });
  expect(JSON.stringify(needed)).toContain('openshift-ingress/router-default-7d4b9c-x2x9p');
  expect(infraNodes()).toHaveLength(2);
  api.store.delete('pods', 'openshift-ingress', 'router-default-7d4b9c-x2x9p');
  expect(await undoMoves(site, ['machine-sets'], { tell: () => undefined, allow })).toEqual({ end: 'done' });
  expect([sets(), infraNodes()]).toEqual([
    AWS.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    [],
  ]);
});

test('absent without a cloud or without machine sets; blocked where the Cluster API rules, or the size is none', async () => {
  expect(await only('machine-sets')).toMatchObject({ state: 'absent' });
  furnish();
  const sized = (size: string) => ({
    ...site.design,
    infra: { ...site.design.infra, machineSets: { count: 3, size, healthCheck: false } },
  });
  site = { ...site, design: sized('m6i 2xlarge') };
  expect(await only('machine-sets')).toMatchObject({ state: 'blocked', why: expect.stringContaining('m6i.xlarge') });
  site = { ...site, design: sized('m6i.2xlarge') };
  const [first] = AWS;
  api.change(SETS, 'openshift-machine-api', first.metadata.name, ({ spec }) =>
    Object.assign(spec as object, { authoritativeAPI: 'ClusterAPI' }),
  );
  expect(await only('machine-sets')).toMatchObject({
    state: 'blocked',
    why: expect.stringContaining(first.metadata.name),
  });
  api.change('infrastructures.config.openshift.io', null, 'cluster', (object) => {
    object.status = { platformStatus: { type: 'None' } };
  });
  expect(await only('machine-sets')).toMatchObject({ state: 'absent', why: expect.stringContaining('None') });
});

test('workers come and go within limits for all of them, spread over the sets; what others made stays, undo deletes ours', async () => {
  furnish();
  const names: string[] = AWS.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  expect(spread(names, { least: 4, most: 10 }, true).map(({ least, most }) => [least, most])).toEqual([
    ...[
      [2, 4],
      [1, 3],
      [1, 3],
    ],
  ]);
  expect(spread(names, { least: 0, most: 2 }, true).map(({ least, most }) => [least, most])).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(spread(names, { least: 0, most: 3 }, false).map(({ least, most }) => [least, most])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
  const limited = (least: number, most: number) => ({ ...site.design.infra, autoscaler: { least, most } });
  expect(await only('autoscaler')).toMatchObject({ state: 'absent' });
  site = { ...site, design: { ...site.design, infra: limited(9, 3) } };
  expect(await only('autoscaler')).toMatchObject({ state: 'blocked' });
  site = { ...site, design: { ...site.design, infra: limited(3, 12) } };
  const own = 'machineautoscalers.autoscaling.openshift.io';
  const scaleTargetRef = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', name: names[2] };
  api.add(own, {
    metadata: { name: 'of-the-team', namespace: 'openshift-machine-api' },
    spec: { minReplicas: 0, maxReplicas: 2, scaleTargetRef },
  });
  const events: MoveEvent[] = [];
  expect(await applyMoves(site, ['autoscaler'], { tell: (event) => events.push(event), shown: null })).toEqual({
    end: 'done',
  });
  expect(api.store.list(own).map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
    ['of-the-team', { minReplicas: 0, maxReplicas: 2, scaleTargetRef }],
    ...names
      .slice(0, 2)
      .map((name, index) => [
        name,
        { minReplicas: 2 - index, maxReplicas: 6, scaleTargetRef: { ...scaleTargetRef, name } },
      ]),
  ]);
  // Nodes that are no machines of a worker set come on top.
  const nodes = api.store.list('nodes').length;
  const [scaler] = api.store.list('clusterautoscalers.autoscaling.openshift.io');
  expect(scaler?.spec).toMatchObject({ resourceLimits: { maxNodesTotal: Math.max(0, nodes - 3) + 12 } });
  expect(await undoMoves(site, ['autoscaler'], { tell: () => undefined })).toEqual({ end: 'done' });
  expect(api.store.list(own).map(({ metadata }) => metadata.name)).toEqual(['of-the-team']);
  expect(api.store.list('clusterautoscalers.autoscaling.openshift.io')).toEqual([]);
});
