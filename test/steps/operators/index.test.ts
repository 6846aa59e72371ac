import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findJob } from '../../../src/host/jobs/job-status.ts';
import { startJob } from '../../../src/host/jobs/jobs.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { operatorsStep } from '../../../src/steps/operators.ts';
import { type ReportView, reportStep } from '../../../src/steps/report.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { createClientObject, createKeys } from '../../support/csr-forge.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';
import { START } from '../../support/wizard-state.ts';

/** Lines of the report, in the order of its file. */
const listLines = ({ sections }: ReportView) => sections.flatMap(({ heading, lines }) => ['', heading, '', ...lines]);

let fixture: StepFixture;
let server: KubeServer;
let clock: ManualClock;
beforeEach(async () => {
  clock = manualClock(START);
  server = await startKubeServer();
  fixture = createStepFixture({ clock, resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }) });
  fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
});
afterEach(async () => {
  await fixture.remove();
  await server.close();
});

const formatTime = (minutesAgo: number) => new Date(START - minutesAgo * 60_000).toISOString();
function putOperator(name: string, conditions: readonly object[], namespaces: readonly string[] = []): void {
  const relatedObjects = namespaces.map((namespace) => ({ group: '', resource: 'namespaces', name: namespace }));
  server.put(`/apis/config.openshift.io/v1/clusteroperators/${name}`, {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name },
    status: { conditions, relatedObjects },
  });
}
const createCondition = (type: string, status: string, minutesAgo: number, message = '', reason = 'R') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: formatTime(minutesAgo),
});
const createHealthyConditions = (stableMinutes: number) => [
  createCondition('Available', 'True', 30),
  createCondition('Progressing', 'False', stableMinutes),
  createCondition('Degraded', 'False', 30),
];

test('a request of a planned node that no program approves is reported on the pages after Certificates', async () => {
  putOperator('dns', createHealthyConditions(5));
  server.put('/api/v1/nodes/', { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } });
  const addRequest = (name: string, minutesAgo: number) =>
    server.put(
      `/apis/certificates.k8s.io/v1/certificatesigningrequests/${name}`,
      createClientObject({ name, node: name, createdAt: START - minutesAgo * 60_000, keys: createKeys() }),
    );
  addRequest('w1', 1);
  const listCodes = async () => (await operatorsStep.probe(fixture.context)).findings.map(({ code }) => code);
  expect(await listCodes()).not.toContain('approval-waits');
  addRequest('w2', 5);
  const { findings } = await operatorsStep.probe(fixture.context);
  expect(findings[0]).toMatchObject({ code: 'approval-waits', title: '1 request waits on the Certificates page' });
  expect((await reportStep.probe(fixture.context)).findings[0]?.code).toBe('approval-waits');
});

test('operators are sorted by how urgently they need attention, each with its reason to wait', async () => {
  putOperator('dns', createHealthyConditions(5));
  putOperator('etcd', createHealthyConditions(0));
  putOperator('kube-apiserver', [
    createCondition('Available', 'True', 30),
    createCondition('Progressing', 'True', 3, 'NodeInstallerProgressing: 1 node is at revision 5'),
  ]);
  putOperator('ingress', [
    createCondition('Available', 'False', 10, 'not yet'),
    createCondition('Degraded', 'True', 10, 'PodsScheduled=False'),
  ]);
  putOperator('console', [
    createCondition('Available', 'False', 2),
    createCondition('Degraded', 'True', 2, 'Get "https://x.apps.y.z": dial tcp: lookup x.apps.y.z: no such host'),
  ]);
  putOperator('authentication', [
    createCondition('Available', 'Unknown', 2),
    createCondition('Degraded', 'True', 2, 'lookup x.apps.y.z: no such host'),
  ]);
  for (const name of ['w1', 'w2', 'w3'])
    server.put(`/api/v1/nodes/${name}.ocp45.example.localdomain`, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `${name}.ocp45.example.localdomain`, labels: {} },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  const { view, findings, state } = await operatorsStep.probe(fixture.context);
  expect(state).toBe('needed');
  expect(view.operators.map(({ name, state: how, wait }) => [name, how, wait?.code ?? null])).toEqual([
    ['authentication', 'degraded', 'name'],
    ['console', 'degraded', 'name'],
    ['ingress', 'degraded', 'room'],
    ['kube-apiserver', 'progressing', 'revision'],
    ['etcd', 'settling', null],
    ['dns', 'fine', null],
  ]);
  expect(view.operators.map(({ stability }) => stability)).toEqual([
    'moving',
    'moving',
    'moving',
    'moving',
    'settling',
    'stable',
  ]);
  // Two operators that wait for the same thing share one finding.
  expect(findings.map(({ title }) => title)).toEqual([
    'authentication, console: waiting for the name x.apps.y.z, which is not in DNS',
    'ingress: waiting for a node that can run its pods',
  ]);
  await clock.advance(31_000);
  const later = await operatorsStep.probe(fixture.context);
  expect(later.view.operators.find(({ name }) => name === 'etcd')?.stability).toBe('stable');
});

test('an operator that waits longer than normal makes the wait late; one within its time does not', async () => {
  putOperator('dns', createHealthyConditions(5));
  const createWaiting = (minutes: number) => [createCondition('Available', 'False', minutes, 'not yet')];
  putOperator('network', createWaiting(2));
  expect((await operatorsStep.probe(fixture.context)).isLate).toBe(false);
  putOperator('network', createWaiting(40));
  const late = await operatorsStep.probe(fixture.context);
  expect(late.findings).toMatchObject([{ code: 'operator-slow', subject: 'network' }]);
  expect(late.isLate).toBe(true);
});

test('the usual time of the operators begins with the first Ready compute node, if that is after the bootstrap', async () => {
  const minutesAgo = (minutes: number) => START - minutes * 60_000;
  const stages = { complete: { startedAt: minutesAgo(100), doneAt: minutesAgo(90) } };
  fixture.facts['bootstrap-progress'] = { stages, changedAt: minutesAgo(90), signature: '' };
  putOperator('dns', createHealthyConditions(5));
  const readStart = async () => (await operatorsStep.probe(fixture.context)).progress?.[0]?.startedAt;
  server.put('/api/v1/nodes/', { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } });
  expect(await readStart()).toBe(null);
  const name = 'w2.ocp45.example.localdomain';
  server.put(`/api/v1/nodes/${name}`, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: {} },
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(7) }] },
  });
  expect(await readStart()).toBe(minutesAgo(7));
  fixture.facts['ready-at'] = { w1: minutesAgo(95), w2: minutesAgo(7) };
  expect(await readStart()).toBe(minutesAgo(90));
});

test('pods that do not run are read only for unavailable operators, and not at every probe', async () => {
  putOperator('dns', createHealthyConditions(5), ['openshift-dns']);
  putOperator(
    'ingress',
    [createCondition('Available', 'False', 1)],
    ['openshift-ingress', 'openshift-ingress-operator'],
  );
  const putPod = (namespace: string, name: string, status: object) =>
    server.put(`/api/v1/namespaces/${namespace}/pods/${name}`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {},
      status,
    });
  putPod('openshift-ingress', 'router-1', { phase: 'Pending' });
  putPod('openshift-ingress', 'router-2', { phase: 'Running', containerStatuses: [{ state: { running: {} } }] });
  putPod('openshift-dns', 'dns-1', { phase: 'Pending' });
  const listPodRequests = () => server.requests.filter(({ path }) => path.endsWith('/pods')).map(({ path }) => path);
  const { view } = await operatorsStep.probe(fixture.context);
  expect(view.operators[0]?.pods.map(({ name }) => name)).toEqual(['router-1']);
  expect(listPodRequests()).toEqual([
    '/api/v1/namespaces/openshift-ingress/pods',
    '/api/v1/namespaces/openshift-ingress-operator/pods',
  ]);
  await clock.advance(3000);
  await operatorsStep.probe(fixture.context);
  expect(listPodRequests()).toHaveLength(2);
  await clock.advance(13_000);
  await operatorsStep.probe(fixture.context);
  expect(listPodRequests()).toHaveLength(4);
  putOperator('ingress', createHealthyConditions(1), ['openshift-ingress']);
  await operatorsStep.probe(fixture.context);
  expect(listPodRequests()).toHaveLength(4);
});

test('routes that do not answer: without a router, ingress waits for one, and the load balancer is not blamed', async () => {
  const closedRoute = (name: string) => `Get "https://${name}.apps.ocp45.example.localdomain": EOF`;
  const createDegraded = (message: string) => [
    createCondition('Available', 'True', 60),
    createCondition('Progressing', 'False', 60),
    createCondition('Degraded', 'True', 60, message),
  ];
  putOperator(
    'authentication',
    createDegraded(`OAuthServerRouteEndpointAccessible: ${closedRoute('oauth-openshift')}`),
  );
  putOperator('ingress', createDegraded(`CanaryChecksRepetitiveFailures: ${closedRoute('canary')}`));
  server.put('/api/v1/nodes/w1.ocp45.example.localdomain', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'w1.ocp45.example.localdomain' },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(90) }] },
  });
  const path = '/api/v1/namespaces/openshift-ingress/pods/';
  server.put(path, { apiVersion: 'v1', kind: 'Pod', metadata: { name: '' } });
  const listWaits = async () =>
    (await operatorsStep.probe(fixture.context)).view.operators.map(({ name, wait }) => [name, wait?.code]);
  const noRouter = [
    ['ingress', 'routers-not-running'],
    ['authentication', 'routers'],
  ];
  expect(await listWaits()).toEqual(noRouter);
  const putRouter = (phase: string) =>
    server.put(`${path}router-default-1`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'router-default-1', namespace: 'openshift-ingress' },
      spec: {},
      status: { phase },
    });
  putRouter('Pending');
  expect(await listWaits()).toEqual(noRouter);
  putRouter('Running');
  expect(await listWaits()).toEqual([
    ['authentication', 'routes-closed'],
    ['ingress', 'routes-closed'],
  ]);
});

test.each([
  ['4.18.11', []],
  ['4.19.3', ['The design says OpenShift 4.18, and the cluster runs 4.19.3']],
])('a cluster of version %s beside a design of 4.18', async (version, titles) => {
  server.put('/apis/config.openshift.io/v1/clusterversions/version', {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterVersion',
    metadata: { name: 'version' },
    status: { desired: { version }, conditions: [] },
  });
  const { findings } = await operatorsStep.probe(fixture.context);
  const notes = findings.filter(({ code }) => code === 'version-differs');
  expect(notes.map(({ title }) => title)).toEqual(titles);
  expect(notes.every(({ severity }) => severity === 'note')).toBe(true);
  const { view } = await reportStep.probe(fixture.context);
  expect(listLines(view).filter((line) => titles.some((title) => line.includes(title)))).toHaveLength(titles.length);
});

test('a probe survives an API without these kinds and an API that is away', async () => {
  expect((await operatorsStep.probe(fixture.context)).view).toMatchObject({ operators: [], clusterVersion: null });
  server.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  const { view, state } = await operatorsStep.probe(fixture.context);
  expect(state).toBe('needed');
  expect(view.apiDetail).toMatch(/closed/);
});

async function completeInstallation(): Promise<void> {
  const { jobsDir: jobs } = workspace(fixture.dir);
  await startJob({ dir: jobs, name: 'install-complete', argv: ['/bin/true'], env: {}, clock: systemClock });
  await expect.poll(async () => (await findJob(jobs, 'install-complete'))?.state).toBe('ended');
}

const putVersion = (failing: string) =>
  server.put('/apis/config.openshift.io/v1/clusterversions/version', {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterVersion',
    metadata: { name: 'version' },
    status: {
      desired: { version: '4.18.9' },
      conditions: [
        createCondition('Available', 'True', 5, 'Done applying 4.18.9'),
        createCondition('Failing', failing, 5, 'Cluster operator insights is degraded'),
        createCondition('Progressing', 'False', 5, 'Cluster version is 4.18.9'),
      ],
    },
  });

test.each([
  ['was Ready until two minutes ago', 2, [], 'node-lost'],
  [
    'is restarted by an update',
    2,
    [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
    'node-not-ready',
  ],
  ['has just joined', 60, [], 'node-not-ready'],
])('after a successful installation, an operator waits for a node that %s', async (_case, minutes, taints, code) => {
  await completeInstallation();
  putVersion('False');
  const name = 'm2.ocp45.example.localdomain';
  server.put(`/api/v1/nodes/${name}`, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: {}, creationTimestamp: formatTime(60) },
    spec: { taints },
    status: { conditions: [createCondition('Ready', 'Unknown', minutes)] },
  });
  putOperator('etcd', [
    createCondition('Available', 'True', 30),
    createCondition(
      'Degraded',
      'True',
      1,
      `NodeControllerDegraded: The master nodes not ready: node "${name}" not ready`,
    ),
  ]);
  const { state, awaitsRepair = false, view } = await operatorsStep.probe(fixture.context);
  const isLost = code === 'node-lost';
  expect([state, awaitsRepair]).toEqual(['done', isLost]);
  expect(view.operators[0]?.wait).toMatchObject({ code, isNormal: !isLost });
});

test('after a successful installation, a degraded operator is reported and not waited for', async () => {
  await completeInstallation();
  putOperator('dns', createHealthyConditions(5));
  putVersion('False');
  expect(await operatorsStep.probe(fixture.context)).toMatchObject({ state: 'done', findings: [] });
  putOperator('insights', [
    createCondition('Available', 'True', 30),
    createCondition('Progressing', 'False', 30),
    createCondition('Degraded', 'True', 3, 'Unable to report: unable to build request', 'UploadFailed'),
  ]);
  for (const failing of ['False', 'True']) {
    putVersion(failing);
    const { state, summary, findings } = await operatorsStep.probe(fixture.context);
    expect([state, summary]).toEqual([
      'done',
      'installed: the console address is not known yet; one operator needs attention',
    ]);
    expect(findings.map(({ severity, subject, code }) => [severity, subject, code])).toEqual([
      ['warning', 'insights', 'operator-degraded'],
    ]);
  }
});

test('when the installer gave up, the state of the step begins with that', async () => {
  const { jobsDir: jobs } = workspace(fixture.dir);
  await startJob({ dir: jobs, name: 'install-complete', argv: ['/bin/false'], env: {}, clock: systemClock });
  await expect.poll(async () => (await findJob(jobs, 'install-complete'))?.state).toBe('ended');
  putOperator('dns', createHealthyConditions(5));
  const { state, summary } = await operatorsStep.probe(fixture.context);
  expect([state, summary]).toEqual(['needed', 'openshift-install gave up waiting; 1 of 1 operators healthy']);
});

async function endWait(argv: readonly string[], log: readonly string[] = []): Promise<void> {
  const { jobsDir: jobs } = workspace(fixture.dir);
  fixture.write('.openshift_install.log', log.map((line) => `${line}\n`).join(''));
  await startJob({ dir: jobs, name: 'install-complete', argv: [...argv], env: {}, clock: systemClock });
  await expect.poll(async () => (await findJob(jobs, 'install-complete'))?.state).toBe('ended');
}

test.each([
  ['all are healthy', false],
  ['one still rolls out', true],
])('after the installer gave up, a repair is reported as soon as no operator has a fault: %s', async (_case, rolls) => {
  await endWait(['/bin/sh', '-c', 'exit 7']);
  putVersion('False');
  putOperator('dns', createHealthyConditions(5));
  const degraded = createCondition('Degraded', 'True', 20, 'no space left on device', 'PeriodicGatherFailed');
  putOperator('insights', [...createHealthyConditions(5).slice(0, 2), degraded]);
  const broken = await operatorsStep.probe(fixture.context);
  expect(broken.summary).toMatch(/^openshift-install gave up waiting; /);
  expect(broken.findings.map(({ code }) => code)).toEqual(['operator-degraded', 'wait-gave-up']);
  expect(broken.findings[1]?.remedy).toMatch(/The Operators step can wait again\.$/);
  putOperator(
    'insights',
    rolls
      ? [createCondition('Available', 'False', 1, 'not yet'), createCondition('Progressing', 'True', 1)]
      : createHealthyConditions(5),
  );
  expect(await operatorsStep.probe(fixture.context)).toMatchObject({
    state: 'needed',
    summary: 'no operator reports a fault any more: openshift-install has to watch again',
    findings: [],
  });
});

test('the state counts as healthy what the list calls healthy', async () => {
  await endWait(['/bin/sh', '-c', 'exit 7']);
  putOperator('dns', createHealthyConditions(5));
  putOperator('etcd', createHealthyConditions(0));
  putOperator('network', [createCondition('Available', 'True', 30), createCondition('Progressing', 'True', 3)]);
  const { summary, view } = await operatorsStep.probe(fixture.context);
  expect(view.operators.map(({ state }) => state)).toEqual(['progressing', 'settling', 'fine']);
  expect(summary).toBe('openshift-install gave up waiting; 1 of 3 operators healthy');
});

test('an installer that cannot run stays reported beside healthy operators', async () => {
  await endWait(
    ['/bin/sh', '-c', 'exit 1'],
    ['time="2026-05-01T05:00:00Z" level=fatal msg="loading kubeconfig: no file"'],
  );
  putVersion('False');
  putOperator('dns', createHealthyConditions(5));
  const { summary, findings } = await operatorsStep.probe(fixture.context);
  expect(summary).toMatch(/^openshift-install gave up waiting; /);
  expect(findings.map(({ code }) => code)).toEqual(['wait-gave-up']);
});
