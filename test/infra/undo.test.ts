import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { undoWithConfirmation as undoCommand } from '../../src/cli/infra.ts';
import { clusterCommands } from '../../src/i18n/en/cluster-commands.ts';
import { moves } from '../../src/i18n/en/moves/index.ts';
import { infraWords } from '../../src/i18n/en/steps/infra.ts';
import type { InfraContext } from '../../src/infra/context.ts';
import type { MoveEvent } from '../../src/infra/run.ts';
import { findUndoChain, undoMoves } from '../../src/infra/undo-moves.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { type Clock, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { createInfraContext, executeMovesAsJob } from '../../src/steps/infra/move-execution.ts';
import { infraStep } from '../../src/steps/infra.ts';
import { type MoveRequest, readMoveRun, replaceMoveRecords } from '../../src/steps/shared/moves/move-run.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { type AnyObject, type KubeServer, startKubeServer } from '../support/kube-server.ts';
import { executeJob, TO_DEFAULTS } from '../support/move-executor.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';

const DOMAIN = 'ocp45.example.localdomain';
const LABEL = 'node-role.kubernetes.io/infra';
const CONTROLLER = '/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default';
const ROUTERS = '/apis/apps/v1/namespaces/openshift-ingress/deployments/router-default';
const { router } = moves.byName;

let server: KubeServer;
let fixture: StepFixture;
/** Called at each pause of the engine with the time in ms; the pause itself ends at once. */
let meanwhile: (time: number) => void;
let infra: InfraContext;

beforeEach(async () => {
  server = await startKubeServer();
  // The load balancer shows an empty statistics page, which blocks nothing; connections to port 443 succeed.
  const page = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => page.once('listening', resolve));
  const { port } = page.address() as AddressInfo;
  const resolveEndpoint = (_host: string, wanted: number) => ({
    host: '127.0.0.1',
    port: wanted === 443 || wanted === 1936 ? port : server.port,
  });
  fixture = createStepFixture({ resolveEndpoint, clock: createFrozenClock(), facts: { stage: 'infra-added' } });
  fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
  onTestFinished(async () => {
    page.close();
    await fixture.remove();
    await server.close();
  });
  meanwhile = () => undefined;
  let now = 0;
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += ms;
      meanwhile(now);
    },
    startInterval: () => () => undefined,
  };
  const cluster = await connectCluster({ kubeconfig: server.kubeconfig, resolveEndpoint, clock: createFrozenClock() });
  infra = { ...createInfraContext(fixture.context), clock, connect: async () => cluster };
  for (const name of ['i1', 'i2', 'i3', 'w1', 'w2']) {
    put('v1', 'Node', `/api/v1/nodes/${name}.${DOMAIN}`, {
      metadata: { labels: name.startsWith('i') ? { [LABEL]: '' } : {} },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
});

function put(apiVersion: string, kind: string, path: string, object: AnyObject): void {
  const [, namespace, name = ''] = /(?:\/namespaces\/([^/]+))?\/[^/]+\/([^/]+)$/.exec(path) ?? [];
  const metadata = { name, ...(namespace ? { namespace } : {}), ...object.metadata };
  server.put(path, { apiVersion, kind, ...object, metadata });
}

/**
 * Puts running routers on the given nodes.
 * @param isPlaced whether their operator has placed them on the infra nodes
 */
function putRouters(isPlaced: boolean, nodes: readonly string[]): void {
  const nodeSelector = isPlaced ? { [LABEL]: '' } : { 'node-role.kubernetes.io/worker': '' };
  put('apps/v1', 'Deployment', ROUTERS, {
    spec: { replicas: nodes.length, template: { spec: { nodeSelector } } },
    status: {
      observedGeneration: 100,
      updatedReplicas: nodes.length,
      replicas: nodes.length,
      availableReplicas: nodes.length,
    },
  });
  for (const path of server.objects.keys()) if (path.includes('/pods/router-default-')) server.objects.delete(path);
  for (const [index, node] of nodes.entries()) {
    put('v1', 'Pod', `/api/v1/namespaces/openshift-ingress/pods/router-default-7d4b9c-x2x${index}`, {
      spec: { nodeName: `${node}.${DOMAIN}` },
      status: { phase: 'Running' },
    });
  }
}

/** Sets the placement in the IngressController. */
function setRouterPlacement(isPlaced: boolean): void {
  const nodePlacement = {
    nodeSelector: { matchLabels: { [LABEL]: '' } },
    tolerations: ['NoSchedule', 'NoExecute'].map((effect) => ({ key: LABEL, value: 'reserved', effect })),
  };
  put('operator.openshift.io/v1', 'IngressController', CONTROLLER, {
    spec: isPlaced ? { replicas: 3, nodePlacement } : {},
  });
}

/** Puts the operator of the routers, which is healthy, or still progressing. */
function setIngressProgress(isProgressing: boolean): void {
  put('config.openshift.io/v1', 'ClusterOperator', '/apis/config.openshift.io/v1/clusteroperators/ingress', {
    status: {
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: isProgressing ? 'True' : 'False' },
      ],
    },
  });
}

/** Moves and event types, without repetitions. */
const summarizeEvents = (events: readonly MoveEvent[]) =>
  events.map(({ move, type }) => `${move} ${type}`).filter((line, index, all) => line !== all[index - 1]);

async function undo(...names: Parameters<typeof undoMoves>[1]) {
  const events: MoveEvent[] = [];
  const allow = async () => TO_DEFAULTS;
  const ended = await undoMoves(infra, names, {
    onEvent: (event) => events.push(event),
    requestConsent: allow,
    toDefaults: true,
  });
  return { ended, events, summary: summarizeEvents(events) };
}

test('the wizard does not undo lb-add while the router is on infra nodes, and names the move to undo first', async () => {
  setRouterPlacement(true);
  putRouters(true, ['i1', 'i2', 'i3']);
  await expect(executeJob(fixture.context, 'undo', 'lb-add')).rejects.toMatchObject({
    userError: { code: 'move-stays', cause: infraWords.infra.undoFirst('router') },
  });
  expect(fixture.calls).toEqual([]);
  expect(fixture.context.stepState.get('stage')).toBe('infra-added');
});

test('routers that run on infra nodes by their own placement keep lb-add in place, and the wizard does not wait for them', async () => {
  setRouterPlacement(false);
  putRouters(false, ['i1', 'w1']);
  await expect(executeJob(fixture.context, 'undo', 'lb-add')).rejects.toMatchObject({
    userError: { code: 'move-stays', cause: router.routersRemain([`i1.${DOMAIN}`]) },
  });
  expect(fixture.calls).toEqual([]);
});

test('lb-add is undone as soon as the routers have left', async () => {
  setRouterPlacement(false);
  putRouters(true, ['i1', 'i2', 'i3']);
  meanwhile = (now) => {
    if (now > MINUTE) putRouters(false, ['w1', 'w2']);
  };
  const { ended, events } = await undo('lb-add');
  expect(ended).toEqual({ end: 'done' });
  expect(events[0]).toEqual({
    type: 'waiting',
    doing: 'undo',
    move: 'lb-add',
    why: router.routersRemain(['i1', 'i2', 'i3'].map((name) => `${name}.${DOMAIN}`)),
    since: 0,
  });
  expect(fixture.calls).toEqual(['put lb1']);
  expect(fixture.context.stepState.get('stage')).toBe('bootstrap-removed');
});

test('the job reports each line with its time; a reason to wait that comes back is not reported again', async () => {
  setRouterPlacement(false);
  putRouters(true, ['i1']);
  meanwhile = (now) => {
    if (now < MINUTE) putRouters(true, now % 4000 === 0 ? ['i1'] : ['i1', 'i2']);
    else putRouters(false, ['w1', 'w2']);
  };
  const { context } = fixture;
  const names: MoveRequest['moves'] = ['lb-add'];
  const request = { action: 'undo', subject: 'lb-add', moves: names, shown: null, toDefaults: true } as const;
  replaceMoveRecords(context.dir, { type: 'order', id: 'test', at: 0, ...request, overwrites: false });
  const logLines: string[] = [];
  const print = (line: string) => void logLines.push(line);
  const clock: Clock = {
    ...context.clock,
    // A request to the API must not time out: only the pause between two probes takes time.
    sleep: (ms, signal) => (ms === 2 * SECOND ? infra.clock : context.clock).sleep(ms, signal),
  };
  const end = await executeMovesAsJob({ ...context, clock }, print, () => undefined);
  expect(end).toEqual({ type: 'end', end: 'done' });
  const waits = [['i1'], ['i1', 'i2']].map(
    (nodes) => `lb-add: ${router.routersRemain(nodes.map((name) => `${name}.${DOMAIN}`))}`,
  );
  expect(logLines.filter((line) => line.startsWith('lb-add: Routers'))).toEqual(waits);
  const reports = readMoveRun(context.dir)?.records.flatMap((record) => (record.type === 'report' ? record : [])) ?? [];
  const lines = reports.flatMap(({ line }) => (line === '' ? [] : line));
  expect(lines.map((line) => line.replace(/^\d\d:\d\d /, ''))).toEqual(logLines);
  expect(lines.every((line) => /^\d\d:\d\d /.test(line))).toBe(true);
  // The row of the move still has the present reason.
  expect(reports.filter(({ item }) => item?.detail !== undefined).length).toBeGreaterThan(waits.length);
});

test('undone together, the router leaves before lb-add; a move is undone after those that depend on it', async () => {
  setRouterPlacement(true);
  putRouters(true, ['i1', 'i2', 'i3']);
  let isGone = false;
  meanwhile = (now) => {
    expect(fixture.calls).toEqual([]);
    isGone = now > 2 * MINUTE;
    if (isGone) putRouters(false, ['w1', 'w2']);
  };
  const { ended, summary } = await undo('label', 'lb-add', 'router');
  expect(ended).toEqual({ end: 'done' });
  expect(isGone).toBe(true);
  expect(summary.filter((line) => !/written|message/.test(line))).toEqual([
    'router began',
    'router waiting',
    'router pod',
    'router done',
    'lb-add began',
    'lb-add done',
    'label began',
    'label done',
  ]);
  expect(server.objects.get(CONTROLLER).spec).toEqual({});
});

test('routers that do not leave within 15 minutes keep the moves that they depend on', async () => {
  setRouterPlacement(true);
  putRouters(true, ['i1', 'i2', 'i3']);
  const { ended, events, summary } = await undo('label', 'lb-add', 'router');
  const why = `${infraWords.infra.timedOut(15)}: ${router.waitingForRouters}`;
  expect(ended).toMatchObject({
    end: 'stopped',
    move: 'router',
    reason: 'blocked',
    userError: { code: 'move-stays', cause: why },
  });
  expect(summary.filter((line) => !/written|waiting/.test(line))).toEqual([
    'router began',
    'router blocked',
    'lb-add blocked',
    'label blocked',
  ]);
  expect(events.at(-1)).toMatchObject({ why: infraWords.infra.undoFirst('router') });
  expect(fixture.calls).toEqual([]);
});

test('an undone move waits until its pods run elsewhere and its operator has settled, and says what it waits for', async () => {
  setRouterPlacement(true);
  putRouters(true, ['i1', 'i2', 'i3']);
  setIngressProgress(false);
  meanwhile = (now) => {
    if (now < MINUTE) return;
    putRouters(false, ['w1', 'w2']);
    setIngressProgress(now < 3 * MINUTE);
  };
  const { ended, events } = await undo('router');
  expect(ended).toEqual({ end: 'done' });
  const waits = events.flatMap((event) => (event.type === 'waiting' ? [event.why] : []));
  const { operatorUnhealthy, mustStayHealthy } = moves.reasons.rollout;
  expect([...new Set(waits)]).toEqual([
    router.waitingForRouters,
    operatorUnhealthy('ingress'),
    mustStayHealthy('ingress'),
  ]);
});

test('pods of an undone move that do not start within 15 minutes stop the undo, with what they wait for', async () => {
  const putRegistry = (nodeSelector: AnyObject, availableReplicas: number) =>
    put('apps/v1', 'Deployment', '/apis/apps/v1/namespaces/openshift-image-registry/deployments/image-registry', {
      spec: { replicas: 2, template: { spec: { nodeSelector } } },
      status: { observedGeneration: 100, updatedReplicas: 2, replicas: 2, availableReplicas },
    });
  const config = '/apis/imageregistry.operator.openshift.io/v1/configs/cluster';
  put('imageregistry.operator.openshift.io/v1', 'Config', config, {
    spec: { managementState: 'Managed', storage: { pvc: {} }, nodeSelector: { [LABEL]: '' } },
  });
  putRegistry({ [LABEL]: '' }, 2);
  meanwhile = () => putRegistry({}, 1);
  const { ended, events } = await undo('label', 'registry');
  const rolling = moves.reasons.rollout.rolling('image-registry', 1, 2);
  expect(ended).toMatchObject({
    end: 'stopped',
    move: 'registry',
    userError: { code: 'move-stays', cause: `${infraWords.infra.timedOut(15)}: ${rolling}` },
  });
  expect(events.filter(({ type }) => type === 'done')).toEqual([]);
  expect(server.objects.get(config).spec.nodeSelector).toBeUndefined();
});

test('the command fails when the routers have not left, although their placement is undone', async () => {
  setRouterPlacement(true);
  putRouters(true, ['i1', 'i2', 'i3']);
  const lines: string[] = [];
  const consent = { assumeYes: true, toDefaults: true, overwrite: [] };
  const io = { ask: null, stderr: (line: string) => lines.push(line), columns: 80 };
  const { moves: after, isSuccessful } = await undoCommand(infra, ['router'], io, consent);
  expect(after).toMatchObject([{ name: 'router', state: 'needed' }]);
  expect(lines).toContain(
    `${clusterCommands.infra.undoBlocked('router', `${infraWords.infra.timedOut(15)}: ${router.waitingForRouters}`)}\n`,
  );
  expect(lines.at(-1)).toBe(`${clusterCommands.infra.notUndone('router')}\n`);
  expect(isSuccessful).toBe(false);
  putRouters(false, ['w1', 'w2']);
  expect(await undoCommand(infra, ['router'], io, consent)).toMatchObject({ isSuccessful: true });
});

test('the wizard offers to undo a middle move together with those that depend on it', async () => {
  setRouterPlacement(true);
  putRouters(true, ['i1', 'i2', 'i3']);
  const preview = async (name: string) =>
    await infraStep.previewAction?.(fixture.context, { kind: 'move', name, consent: null }, 'undo');
  expect(await findUndoChain(infra, ['lb-add'])).toEqual(['router', 'lb-add']);
  expect(await preview('lb-add')).toMatchObject({
    question: 'Undo router, then lb-add?',
    target: { name: 'lb-add', dependents: ['router'] },
  });
  for (const name of ['i1', 'i2', 'i3'])
    server.objects.get(`/api/v1/nodes/${name}.${DOMAIN}`).spec.taints = [
      { key: LABEL, value: 'reserved', effect: 'NoSchedule' },
    ];
  expect(await findUndoChain(infra, ['lb-add'])).toEqual(['taint', 'router', 'lb-add']);
  expect((await preview('taint'))?.target).toBeUndefined();
  // Each move is probed once, with one connection, and the taint may be independent.
  let connections = 0;
  const connect = () => {
    connections += 1;
    return infra.connect();
  };
  expect(await findUndoChain({ ...infra, connect }, ['lb-add', 'router'])).toEqual(['taint', 'router', 'lb-add']);
  expect(connections).toBeLessThanOrEqual(2);
});

test('a question is not asked about an undo that changes nothing', async () => {
  await infra.undoLog?.recordFiles(await infra.connect(), 'lb-add', 'files');
  const preview = (name: string) =>
    infraStep.previewAction?.(fixture.context, { kind: 'move', name, consent: null }, 'undo');
  // Its job may have ended after it restored the objects.
  expect(await preview('taint')).toMatchObject({ nothingToDo: infraWords.infra.alreadyUndone('taint') });
  expect(await preview('label')).toMatchObject({ nothingToDo: infraWords.infra.foreign('label') });
});

test('tolerations are not undone before the taint, and the label not before the moves that select by it', async () => {
  setRouterPlacement(true);
  putRouters(true, ['i1', 'i2', 'i3']);
  for (const name of ['i1', 'i2', 'i3'])
    server.objects.get(`/api/v1/nodes/${name}.${DOMAIN}`).spec.taints = [
      { key: LABEL, value: 'reserved', effect: 'NoSchedule' },
    ];
  const before = server.writes().length;
  const expectBlockedBy = (names: string) =>
    expect.objectContaining({ type: 'blocked', why: infraWords.infra.undoFirst(names) });
  expect((await undo('router')).events).toEqual([expectBlockedBy('taint')]);
  expect((await undo('label')).events).toEqual([expectBlockedBy('taint, router')]);
  expect(server.writes().length).toBe(before);
});
