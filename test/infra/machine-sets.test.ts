import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Design } from '../../src/design/model.ts';
import { clusterCommands } from '../../src/i18n/en/cluster-commands.ts';
import { moves } from '../../src/i18n/en/moves/index.ts';
import { infraWords } from '../../src/i18n/en/steps/infra.ts';
import { applyMoves } from '../../src/infra/apply-moves.ts';
import type { InfraContext } from '../../src/infra/context.ts';
import { spreadLimits } from '../../src/infra/moves/autoscaler.ts';
import { MOVE_NAMES, MOVES, type MoveName } from '../../src/infra/moves.ts';
import { probeMoves } from '../../src/infra/probe.ts';
import type { MoveEvent } from '../../src/infra/run.ts';
import { renderUndoPlan } from '../../src/infra/undo/undo-move.ts';
import { planUndos, undoMoves } from '../../src/infra/undo-moves.ts';
import { getField } from '../../src/openshift/object.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { FaultId } from '../../src/rehearsal/site/faults.ts';
import { MACHINE_SETS, MACHINES, reconcileMachines } from '../../src/rehearsal/world/cloud/machines.ts';
import { type InfraApi, startInfraApi } from '../support/infra-api.ts';

// The machine-sets move against the API and the cloud of the rehearsal: machines come and go while the clock of the
// site runs.

const INFRA = 'node-role.kubernetes.io/infra';
const AWS = JSON.parse(readFileSync(new URL('../fixtures/machine-sets/aws.json', import.meta.url), 'utf8'));
const SETS_OF_INFRA = ['a', 'b', 'c'].map((zone) => `shop-x7k2p-infra-us-east-2${zone}`);

let api: InfraApi;
let infraContext: InfraContext;
let tick: () => void;
beforeEach(async () => {
  api = await startInfraApi();
  setUpCloud();
});
afterEach(() => api.close());

function setUpCloud(faults: readonly FaultId[] = []): void {
  for (const name of ['i1', 'i2', 'i3']) api.store.delete('nodes', null, `${name}.ocp45.example.localdomain`);
  let now = Date.parse('2026-11-22T12:00:00Z');
  const timers: Record<string, number> = {};
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      // Each probe is a request: longer sleeps mean fewer of them.
      now += Math.max(ms, 20_000);
      tick();
    },
    startInterval: () => () => undefined,
  };
  const cloud = { store: api.store, clock, seed: 1, faults: new Set(faults), requestSave: () => undefined };
  tick = () => reconcileMachines({ ...cloud, saved: { timers }, release: { kubernetesVersion: 'v1.31.8' } });
  const { design } = api;
  const infra = { ...design.infra, machineSets: { count: 3, size: 'm6i.2xlarge', healthCheck: false } };
  const services = { ...design.services, loadBalancer: { kind: 'external', servers: [] } } as const;
  const nodes = design.nodes.filter(({ role }) => role !== 'infra' && role !== 'storage');
  const { signal } = new AbortController();
  infraContext = {
    ...{ clock, signal, connect: async () => api.cluster, directory: null, undoLog: api.openUndoLog() },
    design: { ...design, nodes, services, infra } satisfies Design,
  };
}

function prepareCluster(): void {
  api.add('namespaces', { metadata: { name: 'openshift-machine-api' } });
  api.add('infrastructures.config.openshift.io', {
    metadata: { name: 'cluster' },
    spec: { platformSpec: { type: 'AWS' } },
    status: { infrastructureName: 'shop-x7k2p', platform: 'AWS', platformStatus: { type: 'AWS' } },
  });
  for (const { metadata, spec } of AWS)
    api.add(MACHINE_SETS, { metadata: { ...metadata, uid: undefined, resourceVersion: undefined }, spec, status: {} });
}

const probe = async (names: readonly MoveName[] = MOVE_NAMES) => await probeMoves(infraContext, names);
const probeOne = async (name: MoveName) => (await probe([name]))[0];
const listSetNames = () => api.store.list(MACHINE_SETS).map(({ metadata }) => metadata.name);
const listInfraNodes = () => api.store.list('nodes').filter(({ metadata }) => metadata.labels?.[INFRA] !== undefined);
async function applyMachineSets(confirmedChanges: Parameters<typeof applyMoves>[2]['confirmedChanges'] = null) {
  const events: MoveEvent[] = [];
  const ended = await applyMoves(infraContext, ['machine-sets'], {
    onEvent: (event) => events.push(event),
    confirmedChanges,
  });
  return { ended, events };
}

test('MachineSets are planned, created without machines, scaled and awaited; a second run changes nothing, undo restores the start', async () => {
  prepareCluster();
  for (let turn = 0; turn < 40; turn += 1) await infraContext.clock.sleep(0);
  const before = JSON.stringify([api.store.list(MACHINE_SETS), api.store.list(MACHINES).length, listSetNames()]);
  const plan = await probe();
  const states = Object.fromEntries(plan.map(({ name, state }) => [name, state]));
  // New nodes come with label and taint; the load balancer belongs to the cloud.
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
  expect(api.store.list(MACHINE_SETS)).toHaveLength(3);

  const replicaWrites: (string | undefined)[] = [];
  const stop = api.store.subscribe(({ object }) => {
    if (object.kind === 'MachineSet' && object.metadata.name === SETS_OF_INFRA[0])
      replicaWrites.push(JSON.stringify((object.spec as { replicas: number }).replicas));
  });
  const { ended, events } = await applyMachineSets(plan.flatMap(({ changes }) => changes));
  stop();
  expect(ended).toEqual({ end: 'done' });
  expect(replicaWrites.slice(0, 2)).toEqual(['0', '1']);
  const waits = events.flatMap((event) => (event.type === 'waiting' ? event.why : []));
  for (const phase of ['Provisioning', 'Provisioned', 'not Ready yet']) expect(waits.join('\n')).toContain(phase);
  expect(listInfraNodes()).toHaveLength(3);
  for (const { spec } of listInfraNodes())
    expect(spec).toMatchObject({ taints: [{ key: INFRA, value: 'reserved', effect: 'NoSchedule' }] });
  expect(await probeOne('machine-sets')).toMatchObject({ state: 'done', changes: [] });
  const later = await probe();
  for (const { name, changes } of later.slice(1))
    expect([name, changes]).toEqual([name, plan.find((one) => one.name === name)?.changes]);
  const version = api.store.getCurrentVersion();
  await applyMachineSets();
  expect(api.store.getCurrentVersion()).toBe(version);

  // Objects that the move created are not compared field by field.
  const [undo = null] = await planUndos(
    infraContext,
    MOVES.filter(({ name }) => name === 'machine-sets'),
    false,
  );
  expect(undo && renderUndoPlan(undo)).toEqual([
    ...SETS_OF_INFRA.toReversed().map(
      (name) => `MachineSet openshift-machine-api/${name}: ${clusterCommands.infra.undo.deleted}`,
    ),
    moves.byName['machine-sets'].undoLimits,
  ]);

  const undoEvents: MoveEvent[] = [];
  expect(await undoMoves(infraContext, ['machine-sets'], { onEvent: (event) => undoEvents.push(event) })).toEqual({
    end: 'done',
  });
  expect(undoEvents.some((event) => event.type === 'waiting' && event.why.includes('Deleting'))).toBe(true);
  expect(listInfraNodes()).toEqual([]);
  expect(JSON.stringify([api.store.list(MACHINE_SETS), api.store.list(MACHINES).length, listSetNames()])).toBe(before);
});

test.each([
  ['the first of them', 1],
  ['all of them', 3],
])('a plan that is created while machines join includes them, like the plan before: %s', async (_, count) => {
  prepareCluster();
  // The router gets its tolerations from the move, and tolerates no node that is not Ready.
  const router = { name: 'router-default', namespace: 'openshift-ingress' };
  api.store.delete('deployments.apps', router.namespace, router.name);
  api.add('deployments.apps', { metadata: router, spec: { template: { spec: {} } } });
  const planned = (await probe()).filter(({ state }) => state === 'needed').slice(1);
  const hasUnready = () =>
    listInfraNodes().length >= count && listInfraNodes().some(({ spec }) => JSON.stringify(spec).includes('not-ready'));
  const pendingApply = applyMoves(infraContext, ['machine-sets'], {
    onEvent: (event) => {
      if (event.type === 'waiting' && hasUnready()) throw new Error('killed');
    },
    confirmedChanges: null,
  });
  await expect(pendingApply).rejects.toThrow('killed');
  const duringJoin = await probe();
  expect(duringJoin[0]?.state).toBe('moving');
  expect(duringJoin.filter(({ state }) => state === 'needed').map(({ name, changes }) => [name, changes])).toEqual(
    planned.map(({ name, changes }) => [name, changes]),
  );
});

test('a taint set by MachineSets does not block undoing other moves: it is removed with the machines', async () => {
  prepareCluster();
  await applyMachineSets();
  const readDnsSpec = () => JSON.stringify(api.store.get('dnses.operator.openshift.io', null, 'default')?.spec);
  const before = readDnsSpec();
  // Nothing is rolled out here: the move only writes.
  await applyMoves(infraContext, ['dns'], { onEvent: () => undefined, confirmedChanges: null });
  expect(readDnsSpec()).not.toBe(before);
  const lines: string[] = [];
  const onEvent = (event: MoveEvent) => void (event.type === 'message' && lines.push(event.line));
  const readTaints = () => JSON.stringify(listInfraNodes().map(({ spec }) => spec));
  const initialTaints = readTaints();
  expect(await undoMoves(infraContext, ['dns', 'label', 'taint'], { onEvent })).toEqual({ end: 'done' });
  expect(readDnsSpec()).toBe(before);
  const expectedLines = (['taint', 'label'] as const).map((name) => infraWords.infra.inherited(name, SETS_OF_INFRA));
  expect(lines).toEqual(expectedLines);
  const taintMoves = MOVES.filter(({ name }) => name === 'taint');
  for (const toDefaults of [false, true])
    expect((await planUndos(infraContext, taintMoves, toDefaults)).flatMap((plan) => renderUndoPlan(plan))).toEqual([
      expectedLines[0],
    ]);
  const allow = async () => ({ toDefaults: true, shouldOverwrite: () => true });
  expect(await undoMoves(infraContext, ['taint'], { onEvent, requestConsent: allow, toDefaults: true })).toEqual({
    end: 'done',
  });
  expect(readTaints()).toBe(initialTaints);
});

test('a machine that the cloud cannot create fails the move with the error of the cloud; it continues once the machine is deleted', async () => {
  setUpCloud(['machine-fails']);
  prepareCluster();
  const { ended } = await applyMachineSets();
  expect(ended).toMatchObject({ end: 'stopped', move: 'machine-sets', reason: 'failed' });
  expect(JSON.stringify(ended)).toContain('InsufficientInstanceCapacity');
  const failed = api.store.list(MACHINES).find(({ status }) => (status as { phase: string }).phase === 'Failed');
  expect(await probeOne('machine-sets')).toMatchObject({ state: 'failed', changes: [] });
  await api.cluster.remove('Machine', failed?.metadata.name ?? '', 'openshift-machine-api');
  expect((await applyMachineSets()).ended).toEqual({ end: 'done' });
  expect(listInfraNodes()).toHaveLength(3);
});

test('a health check of the infra machines on request is removed with them', async () => {
  prepareCluster();
  const machineSets = { count: 1, size: null, healthCheck: true };
  infraContext = {
    ...infraContext,
    design: { ...infraContext.design, infra: { ...infraContext.design.infra, machineSets } },
  };
  const checks = () => api.store.list('machinehealthchecks.machine.openshift.io');
  expect((await applyMachineSets()).ended).toEqual({ end: 'done' });
  const role = 'machine.openshift.io/cluster-api-machine-role';
  const machine = api.store.list(MACHINES).find(({ metadata }) => metadata.labels?.[role] === 'infra');
  const [check] = checks();
  expect(check?.spec).toMatchObject({
    maxUnhealthy: 1,
    unhealthyConditions: [{ status: 'False' }, { status: 'Unknown' }],
  });
  expect(machine?.metadata.labels).toMatchObject(getField(check, 'spec', 'selector', 'matchLabels') as object);
  expect(await undoMoves(infraContext, ['machine-sets'], { onEvent: () => undefined })).toEqual({ end: 'done' });
  expect([checks(), listInfraNodes()]).toEqual([[], []]);
});

test('a set that was scaled by others stays unless that is agreed to, and sets stay while pods need their machines', async () => {
  prepareCluster();
  await applyMachineSets();
  const [, second = ''] = SETS_OF_INFRA;
  api.change(MACHINE_SETS, 'openshift-machine-api', second, ({ spec }) =>
    Object.assign(spec as object, { replicas: 2 }),
  );
  const refusedUndo = await undoMoves(infraContext, ['machine-sets'], { onEvent: () => undefined });
  expect(refusedUndo).toMatchObject({ end: 'stopped', reason: 'blocked' });
  expect(listSetNames().filter((name) => name.includes('infra'))).toEqual([second]);
  for (let turn = 0; turn < 40; turn += 1) await infraContext.clock.sleep(0);
  const [node] = listInfraNodes();
  api.add('pods', {
    metadata: { name: 'router-default-7d4b9c-x2x9p', namespace: 'openshift-ingress' },
    spec: { nodeName: node?.metadata.name, nodeSelector: { [INFRA]: '' } },
    status: { phase: 'Running' },
  });
  const consent = { toDefaults: false, shouldOverwrite: () => true };
  const allow = async () => consent;
  const blockedUndo = await undoMoves(infraContext, ['machine-sets'], {
    onEvent: () => undefined,
    requestConsent: allow,
  });
  expect(JSON.stringify(blockedUndo)).toContain('openshift-ingress/router-default-7d4b9c-x2x9p');
  expect(listInfraNodes()).toHaveLength(2);
  api.store.delete('pods', 'openshift-ingress', 'router-default-7d4b9c-x2x9p');
  expect(await undoMoves(infraContext, ['machine-sets'], { onEvent: () => undefined, requestConsent: allow })).toEqual({
    end: 'done',
  });
  expect([listSetNames(), listInfraNodes()]).toEqual([
    AWS.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    [],
  ]);
});

test('absent without a cloud or without machine sets; blocked where the Cluster API is authoritative, or the size is invalid', async () => {
  expect(await probeOne('machine-sets')).toMatchObject({ state: 'absent' });
  prepareCluster();
  const withSize = (size: string) => ({
    ...infraContext.design,
    infra: { ...infraContext.design.infra, machineSets: { count: 3, size, healthCheck: false } },
  });
  infraContext = { ...infraContext, design: withSize('m6i 2xlarge') };
  expect(await probeOne('machine-sets')).toMatchObject({
    state: 'blocked',
    why: expect.stringContaining('m6i.xlarge'),
  });
  infraContext = { ...infraContext, design: withSize('m6i.2xlarge') };
  const [first] = AWS;
  api.change(MACHINE_SETS, 'openshift-machine-api', first.metadata.name, ({ spec }) =>
    Object.assign(spec as object, { authoritativeAPI: 'ClusterAPI' }),
  );
  expect(await probeOne('machine-sets')).toMatchObject({
    state: 'blocked',
    why: expect.stringContaining(first.metadata.name),
  });
  api.change('infrastructures.config.openshift.io', null, 'cluster', (object) => {
    object.status = { platformStatus: { type: 'None' } };
  });
  expect(await probeOne('machine-sets')).toMatchObject({
    state: 'absent',
    why: expect.stringContaining('platform none'),
  });
});

test('worker limits are spread over the MachineSets; autoscalers of others stay, undo deletes ours', async () => {
  prepareCluster();
  const names: string[] = AWS.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  expect(
    spreadLimits(names, { least: 4, most: 10 }, true).map(({ minReplicas, maxReplicas }) => [minReplicas, maxReplicas]),
  ).toEqual([
    ...[
      [2, 4],
      [1, 3],
      [1, 3],
    ],
  ]);
  expect(
    spreadLimits(names, { least: 0, most: 2 }, true).map(({ minReplicas: least, maxReplicas: most }) => [least, most]),
  ).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(
    spreadLimits(names, { least: 0, most: 3 }, false).map(({ minReplicas: least, maxReplicas: most }) => [least, most]),
  ).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
  const withLimits = (least: number, most: number) => ({ ...infraContext.design.infra, autoscaler: { least, most } });
  expect(await probeOne('autoscaler')).toMatchObject({ state: 'absent' });
  infraContext = { ...infraContext, design: { ...infraContext.design, infra: withLimits(9, 3) } };
  expect(await probeOne('autoscaler')).toMatchObject({ state: 'blocked' });
  infraContext = { ...infraContext, design: { ...infraContext.design, infra: withLimits(3, 12) } };
  const autoscalerResource = 'machineautoscalers.autoscaling.openshift.io';
  const scaleTargetRef = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', name: names[2] };
  api.add(autoscalerResource, {
    metadata: { name: 'of-the-team', namespace: 'openshift-machine-api' },
    spec: { minReplicas: 0, maxReplicas: 2, scaleTargetRef },
  });
  const events: MoveEvent[] = [];
  expect(
    await applyMoves(infraContext, ['autoscaler'], { onEvent: (event) => events.push(event), confirmedChanges: null }),
  ).toEqual({
    end: 'done',
  });
  expect(api.store.list(autoscalerResource).map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
    ['of-the-team', { minReplicas: 0, maxReplicas: 2, scaleTargetRef }],
    ...names
      .slice(0, 2)
      .map((name, index) => [
        name,
        { minReplicas: 2 - index, maxReplicas: 6, scaleTargetRef: { ...scaleTargetRef, name } },
      ]),
  ]);
  // Nodes that do not belong to a worker set are added on top.
  const nodes = api.store.list('nodes').length;
  const [scaler] = api.store.list('clusterautoscalers.autoscaling.openshift.io');
  expect(scaler?.spec).toMatchObject({ resourceLimits: { maxNodesTotal: Math.max(0, nodes - 3) + 12 } });
  expect(await undoMoves(infraContext, ['autoscaler'], { onEvent: () => undefined })).toEqual({ end: 'done' });
  expect(api.store.list(autoscalerResource).map(({ metadata }) => metadata.name)).toEqual(['of-the-team']);
  expect(api.store.list('clusterautoscalers.autoscaling.openshift.io')).toEqual([]);
});
