import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { undo as undoCommand } from '../../../src/cli/infra.ts';
import { connect } from '../../../src/cluster/client.ts';
import { type Clock, MINUTE } from '../../../src/ports/clock.ts';
import { type MoveEvent, undoMoves } from '../../../src/steps/infra/engine.ts';
import { infraStep, type MoveSite, siteOf } from '../../../src/steps/infra/index.ts';
import { live } from '../../../src/text/en/commands/live.ts';
import { moves } from '../../../src/text/en/moves/index.ts';
import { infraWords } from '../../../src/text/en/steps/infra.ts';
import { type KubeServer, type Loose, startKubeServer } from '../../support/kube-server.ts';
import { TO_DEFAULTS } from '../../support/move-side.ts';
import { standingClock } from '../../support/standing-clock.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

const DOMAIN = 'ocp45.example.localdomain';
const LABEL = 'node-role.kubernetes.io/infra';
const CONTROLLER = '/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default';
const ROUTERS = '/apis/apps/v1/namespaces/openshift-ingress/deployments/router-default';
const { router } = moves.each;

let server: KubeServer;
let world: StepWorld;
/** The time of the engine: each sleep passes at once, after what happens meanwhile. */
let meanwhile: (since: number) => void;
let site: MoveSite;

beforeEach(async () => {
  server = await startKubeServer();
  // A load balancer that tells nothing holds nothing up; what asks for 443 is let in.
  const page = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => page.once('listening', resolve));
  const { port } = page.address() as AddressInfo;
  const reach = (_host: string, wanted: number) => ({
    host: '127.0.0.1',
    port: wanted === 443 || wanted === 1936 ? port : server.port,
  });
  world = stepWorld({ reach, clock: standingClock(), facts: { stage: 'infra-added' } });
  world.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
  onTestFinished(async () => {
    page.close();
    await world.remove();
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
    interval: () => () => undefined,
  };
  const cluster = await connect({ kubeconfig: server.kubeconfig, reach, clock: standingClock() });
  site = { ...siteOf(world.context), clock, connect: async () => cluster };
  for (const name of ['i1', 'i2', 'i3', 'w1', 'w2']) {
    put('v1', 'Node', `/api/v1/nodes/${name}.${DOMAIN}`, {
      metadata: { labels: name.startsWith('i') ? { [LABEL]: '' } : {} },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
});

function put(apiVersion: string, kind: string, path: string, object: Loose): void {
  const [, namespace, name = ''] = /(?:\/namespaces\/([^/]+))?\/[^/]+\/([^/]+)$/.exec(path) ?? [];
  const metadata = { name, ...(namespace ? { namespace } : {}), ...object.metadata };
  server.put(path, { apiVersion, kind, ...object, metadata });
}

/** Routers as they run: told by their operator to go to the infra nodes or not, on these nodes. */
function routersRun(isSent: boolean, nodes: readonly string[]): void {
  const nodeSelector = isSent ? { [LABEL]: '' } : { 'node-role.kubernetes.io/worker': '' };
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

/** What is asked of the routers. */
function routersAsked(isSent: boolean): void {
  const nodePlacement = {
    nodeSelector: { matchLabels: { [LABEL]: '' } },
    tolerations: ['NoSchedule', 'NoExecute'].map((effect) => ({ key: LABEL, value: 'reserved', effect })),
  };
  put('operator.openshift.io/v1', 'IngressController', CONTROLLER, {
    spec: isSent ? { replicas: 3, nodePlacement } : {},
  });
}

/** What was told, without what is only told again. */
const tellings = (events: readonly MoveEvent[]) =>
  events.map(({ move, type }) => `${move} ${type}`).filter((line, index, all) => line !== all[index - 1]);

async function undo(...names: Parameters<typeof undoMoves>[1]) {
  const events: MoveEvent[] = [];
  const allow = async () => TO_DEFAULTS;
  const ended = await undoMoves(site, names, { tell: (event) => events.push(event), allow, toDefaults: true });
  return { ended, events, told: tellings(events) };
}

test('the wizard does not take lb-add back while the router is there: it stays, and what comes first is named', async () => {
  routersAsked(true);
  routersRun(true, ['i1', 'i2', 'i3']);
  await expect(infraStep.undo?.(world.context, 'lb-add', () => undefined)).rejects.toMatchObject({
    trouble: { code: 'move-stays', cause: infraWords.infra.undoFirst('router') },
  });
  expect(world.done).toEqual([]);
  expect(world.context.memory.get('stage')).toBe('infra-added');
});

test('routers that run on infra nodes by their own placement keep lb-add in place, and nobody waits for them', async () => {
  routersAsked(false);
  routersRun(false, ['i1', 'w1']);
  await expect(infraStep.undo?.(world.context, 'lb-add', () => undefined)).rejects.toMatchObject({
    trouble: { code: 'move-stays', cause: router.stay([`i1.${DOMAIN}`]) },
  });
  expect(world.done).toEqual([]);
});

test('lb-add goes back as soon as the routers have left', async () => {
  routersAsked(false);
  routersRun(true, ['i1', 'i2', 'i3']);
  meanwhile = (now) => {
    if (now > MINUTE) routersRun(false, ['w1', 'w2']);
  };
  const { ended, events } = await undo('lb-add');
  expect(ended).toEqual({ end: 'done' });
  expect(events[0]).toEqual({
    type: 'waiting',
    doing: 'undo',
    move: 'lb-add',
    why: router.stay(['i1', 'i2', 'i3'].map((name) => `${name}.${DOMAIN}`)),
    since: 0,
  });
  expect(world.done).toEqual(['put lb1']);
  expect(world.context.memory.get('stage')).toBe('bootstrap-removed');
});

test('taken back together, the router leaves before lb-add goes; what others stand on is taken back after them', async () => {
  routersAsked(true);
  routersRun(true, ['i1', 'i2', 'i3']);
  let isGone = false;
  meanwhile = (now) => {
    expect(world.done).toEqual([]);
    isGone = now > 2 * MINUTE;
    if (isGone) routersRun(false, ['w1', 'w2']);
  };
  const { ended, told } = await undo('label', 'lb-add', 'router');
  expect(ended).toEqual({ end: 'done' });
  expect(isGone).toBe(true);
  expect(told.filter((line) => !/written|told/.test(line))).toEqual([
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

test('routers that do not leave within a quarter of an hour keep in place what they stand on', async () => {
  routersAsked(true);
  routersRun(true, ['i1', 'i2', 'i3']);
  const { ended, events, told } = await undo('label', 'lb-add', 'router');
  const why = `${infraWords.infra.timedOut(15)}: ${router.leaving}`;
  expect(ended).toMatchObject({
    end: 'stopped',
    move: 'router',
    how: 'blocked',
    trouble: { code: 'move-stays', cause: why },
  });
  expect(told.filter((line) => !/written|waiting/.test(line))).toEqual([
    'router began',
    'router blocked',
    'lb-add blocked',
    'label blocked',
  ]);
  expect(events.at(-1)).toMatchObject({ why: infraWords.infra.undoFirst('router') });
  expect(world.done).toEqual([]);
});

test('the command answers no when the routers have not left, although their placement is taken back', async () => {
  routersAsked(true);
  routersRun(true, ['i1', 'i2', 'i3']);
  const lines: string[] = [];
  const agreed = { isYes: true, toDefaults: true, overwrite: [] };
  const io = { ask: null, stderr: (line: string) => lines.push(line), hasScreen: false, columns: 80 };
  const { moves: after, isGood } = await undoCommand(site, ['router'], io, agreed);
  expect(after).toMatchObject([{ name: 'router', state: 'needed' }]);
  expect(lines).toContain(`${live.infra.kept('router', `${infraWords.infra.timedOut(15)}: ${router.leaving}`)}\n`);
  expect(lines.at(-1)).toBe(`${live.infra.notUndone('router')}\n`);
  expect(isGood).toBe(false);
  routersRun(false, ['w1', 'w2']);
  expect(await undoCommand(site, ['router'], io, agreed)).toMatchObject({ isGood: true });
});

test('what has to tolerate the taint is not taken back before the taint, and the label not before what selects by it', async () => {
  routersAsked(true);
  routersRun(true, ['i1', 'i2', 'i3']);
  for (const name of ['i1', 'i2', 'i3'])
    server.objects.get(`/api/v1/nodes/${name}.${DOMAIN}`).spec.taints = [
      { key: LABEL, value: 'reserved', effect: 'NoSchedule' },
    ];
  const before = server.writes().length;
  const first = (names: string) => expect.objectContaining({ type: 'blocked', why: infraWords.infra.undoFirst(names) });
  expect((await undo('router')).events).toEqual([first('taint')]);
  expect((await undo('label')).events).toEqual([first('taint, router')]);
  expect(server.writes().length).toBe(before);
});
