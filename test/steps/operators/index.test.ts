import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findJob } from '../../../src/bastion/jobs/job-status.ts';
import { startJob } from '../../../src/bastion/jobs/jobs.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { operatorsStep } from '../../../src/steps/operators/index.ts';
import { type ReportView, reportStep } from '../../../src/steps/report/index.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';
import { START } from '../../support/wizard-state.ts';

/** What the report says, as its file has it. */
const linesOf = ({ sections }: ReportView) => sections.flatMap(({ heading, lines }) => ['', heading, '', ...lines]);

let world: StepWorld;
let server: KubeServer;
let clock: ManualClock;
beforeEach(async () => {
  clock = manualClock(START);
  server = await startKubeServer();
  world = stepWorld({ clock, reach: () => ({ host: '127.0.0.1', port: server.port }) });
  world.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
});
afterEach(async () => {
  await world.remove();
  await server.close();
});

const time = (minutesAgo: number) => new Date(START - minutesAgo * 60_000).toISOString();
function operator(name: string, conditions: readonly object[], namespaces: readonly string[] = []): void {
  const relatedObjects = namespaces.map((namespace) => ({ group: '', resource: 'namespaces', name: namespace }));
  server.put(`/apis/config.openshift.io/v1/clusteroperators/${name}`, {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name },
    status: { conditions, relatedObjects },
  });
}
const says = (type: string, status: string, minutesAgo: number, message = '', reason = 'R') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: time(minutesAgo),
});
const fine = (steadyMinutes: number) => [
  says('Available', 'True', 30),
  says('Progressing', 'False', steadyMinutes),
  says('Degraded', 'False', 30),
];

test('operators stand in the order in which they need a person, each with what it waits for', async () => {
  operator('dns', fine(5));
  operator('etcd', fine(0));
  operator('kube-apiserver', [
    says('Available', 'True', 30),
    says('Progressing', 'True', 3, 'NodeInstallerProgressing: 1 node is at revision 5'),
  ]);
  operator('ingress', [says('Available', 'False', 10, 'not yet'), says('Degraded', 'True', 10, 'PodsScheduled=False')]);
  operator('console', [
    says('Available', 'False', 2),
    says('Degraded', 'True', 2, 'Get "https://x.apps.y.z": dial tcp: lookup x.apps.y.z: no such host'),
  ]);
  operator('authentication', [
    says('Available', 'Unknown', 2),
    says('Degraded', 'True', 2, 'lookup x.apps.y.z: no such host'),
  ]);
  for (const name of ['w1', 'w2', 'w3'])
    server.put(`/api/v1/nodes/${name}.ocp45.example.localdomain`, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `${name}.ocp45.example.localdomain`, labels: {} },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  const { view, findings, state } = await operatorsStep.probe(world.context);
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
  // Two that wait for the same are one finding.
  expect(findings.map(({ title }) => title)).toEqual([
    'authentication, console: waiting for the name x.apps.y.z, which is not in DNS',
    'ingress: waiting for a node that takes its pods',
  ]);
  await clock.advance(31_000);
  const later = await operatorsStep.probe(world.context);
  expect(later.view.operators.find(({ name }) => name === 'etcd')?.stability).toBe('stable');
});

test('the pods that do not run are read of the operators that are not there, now and then', async () => {
  operator('dns', fine(5), ['openshift-dns']);
  operator('ingress', [says('Available', 'False', 1)], ['openshift-ingress', 'openshift-ingress-operator']);
  const pod = (namespace: string, name: string, status: object) =>
    server.put(`/api/v1/namespaces/${namespace}/pods/${name}`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {},
      status,
    });
  pod('openshift-ingress', 'router-1', { phase: 'Pending' });
  pod('openshift-ingress', 'router-2', { phase: 'Running', containerStatuses: [{ state: { running: {} } }] });
  pod('openshift-dns', 'dns-1', { phase: 'Pending' });
  const asked = () => server.requests.filter(({ path }) => path.endsWith('/pods')).map(({ path }) => path);
  const { view } = await operatorsStep.probe(world.context);
  expect(view.operators[0]?.pods.map(({ name }) => name)).toEqual(['router-1']);
  expect(asked()).toEqual([
    '/api/v1/namespaces/openshift-ingress/pods',
    '/api/v1/namespaces/openshift-ingress-operator/pods',
  ]);
  await clock.advance(3000);
  await operatorsStep.probe(world.context);
  expect(asked()).toHaveLength(2);
  await clock.advance(13_000);
  await operatorsStep.probe(world.context);
  expect(asked()).toHaveLength(4);
  operator('ingress', fine(1), ['openshift-ingress']);
  await operatorsStep.probe(world.context);
  expect(asked()).toHaveLength(4);
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
  const { findings } = await operatorsStep.probe(world.context);
  const told = findings.filter(({ code }) => code === 'version-differs');
  expect(told.map(({ title }) => title)).toEqual(titles);
  expect(told.every(({ severity }) => severity === 'note')).toBe(true);
  const { view } = await reportStep.probe(world.context);
  expect(linesOf(view).filter((line) => titles.some((title) => line.includes(title)))).toHaveLength(titles.length);
});

test('an API without these kinds, and one that is away, are looked at and not fallen over', async () => {
  expect((await operatorsStep.probe(world.context)).view).toMatchObject({ operators: [], clusterVersion: null });
  server.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  const { view, state } = await operatorsStep.probe(world.context);
  expect(state).toBe('needed');
  expect(view.apiDetail).toMatch(/closed/);
});

test('when the installer has ended well, an operator that is degraded is told and not waited for', async () => {
  const { jobs } = workspace(world.dir);
  await startJob({ dir: jobs, name: 'install-complete', argv: ['/bin/true'], env: {}, clock: systemClock });
  await expect.poll(async () => (await findJob(jobs, 'install-complete'))?.state).toBe('ended');
  const version = (failing: string) =>
    server.put('/apis/config.openshift.io/v1/clusterversions/version', {
      apiVersion: 'config.openshift.io/v1',
      kind: 'ClusterVersion',
      metadata: { name: 'version' },
      status: {
        desired: { version: '4.18.9' },
        conditions: [
          says('Available', 'True', 5, 'Done applying 4.18.9'),
          says('Failing', failing, 5, 'Cluster operator insights is degraded'),
          says('Progressing', 'False', 5, 'Cluster version is 4.18.9'),
        ],
      },
    });
  operator('dns', fine(5));
  version('False');
  expect(await operatorsStep.probe(world.context)).toMatchObject({ state: 'done', findings: [] });
  operator('insights', [
    says('Available', 'True', 30),
    says('Progressing', 'False', 30),
    says('Degraded', 'True', 3, 'Unable to report: unable to build request', 'UploadFailed'),
  ]);
  for (const failing of ['False', 'True']) {
    version(failing);
    const { state, summary, findings } = await operatorsStep.probe(world.context);
    expect([state, summary]).toEqual([
      'done',
      'installed: the console address is not known yet; one operator needs a look',
    ]);
    expect(findings.map(({ severity, subject, code }) => [severity, subject, code])).toEqual([
      ['warning', 'insights', 'operator-degraded'],
    ]);
  }
});

test('when the installer gave up, the state of the step says so first', async () => {
  const { jobs } = workspace(world.dir);
  await startJob({ dir: jobs, name: 'install-complete', argv: ['/bin/false'], env: {}, clock: systemClock });
  await expect.poll(async () => (await findJob(jobs, 'install-complete'))?.state).toBe('ended');
  operator('dns', fine(5));
  const { state, summary } = await operatorsStep.probe(world.context);
  expect([state, summary]).toEqual([
    'needed',
    'openshift-install gave up waiting; 1 of 1 operators available and not degraded',
  ]);
});
