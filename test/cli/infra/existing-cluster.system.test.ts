import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MACHINE_SETS, MACHINES, reconcileMachines } from '../../../src/rehearsal/world/cloud/machines.ts';
import { captureCommand } from '../../support/run-command.ts';
import { DOMAIN, type SimulatedCluster, startSimulatedCluster } from '../../support/simulated-cluster.ts';

// The infra commands on an existing cluster, with only a kubeconfig.

const INFRA = 'node-role.kubernetes.io/infra';
const AWS = JSON.parse(readFileSync(new URL('../../fixtures/machine-sets/aws.json', import.meta.url), 'utf8'));

let cluster: SimulatedCluster;
let kubeconfig: string;
let running: NodeJS.Timeout | undefined;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
  kubeconfig = cluster.fileOptions.at(-1) ?? '';
  cluster.add('clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: { clusterID: 'c1' },
    status: { desired: { version: '4.18.9' } },
  });
  cluster.add('infrastructures.config.openshift.io', {
    metadata: { name: 'cluster' },
    status: {
      infrastructureName: 'shop-x7k2p',
      apiServerURL: `https://api.${DOMAIN}:6443`,
      platformStatus: { type: 'AWS' },
    },
  });
  for (const [index, name] of ['w1', 'w2', 'infra-a', 'infra-b'].entries())
    cluster.addNode(name, `10.0.0.${index + 4}`);
});
afterEach(async () => {
  clearInterval(running);
  await cluster.close();
});

/** Adds worker MachineSets and simulates a cloud in which a minute takes a third of a second. */
function prepareCloud(): void {
  cluster.add('namespaces', { metadata: { name: 'openshift-machine-api' } });
  for (const { metadata, spec } of AWS) {
    const { uid: _uid, resourceVersion: _version, ...rest } = metadata;
    cluster.add(MACHINE_SETS, { metadata: rest, spec, status: {} });
  }
  let now = Date.now();
  const clock = { now: () => now, sleep: () => Promise.resolve(), startInterval: () => () => undefined };
  const world = { store: cluster.store, clock, seed: 1, faults: new Set<never>(), requestSave: () => undefined };
  const cloud = { ...world, saved: { timers: {} }, release: { kubernetesVersion: 'v1.31.8' } };
  running = setInterval(() => {
    now += 10_000;
    reconcileMachines(cloud);
  }, 50);
}

const runInfra = (argv: readonly string[], ask?: (prompt: string) => Promise<string | null>) =>
  captureCommand(['infra', ...argv, '--kubeconfig', kubeconfig], { cwd: cluster.cwd, ...(ask ? { ask } : {}) });
const listInfraSets = () =>
  cluster.store.list(MACHINE_SETS).filter(({ metadata }) => metadata.name.includes('-infra-'));
const listLabelledNodes = () =>
  cluster.store
    .list('nodes')
    .filter(({ metadata }) => metadata.labels?.[INFRA] !== undefined)
    .map(({ metadata }) => metadata.name.split('.')[0]);

test('without a terminal there is no question; infra nodes come from an option, a label, or a confirmed name', async () => {
  const unspecified = await runInfra(['plan']);
  expect(unspecified).toMatchObject({ code: 2, stdout: '' });
  expect(unspecified.stderr).toContain(
    `--infra-nodes A,B. By their names, these look like infra nodes: infra-a.${DOMAIN},infra-b.${DOMAIN}`,
  );
  for (const wrong of [
    ['--infra-nodes', 'w9'],
    ['--infra-nodes', ''],
    ['--infra-machines', '3'],
    ['--machine-size', 'x'],
    ['--router-replicas', '0'],
  ])
    expect([wrong, (await runInfra(['plan', ...wrong])).code]).toEqual([wrong, 2]);
  cluster.addNode('a1', '10.0.0.8', { labels: { 'node-role.kubernetes.io/arbiter': '' } });
  const arbiter = await runInfra(['plan', '--infra-nodes', 'w1,a1']);
  expect([arbiter.code, arbiter.stderr]).toEqual([2, expect.stringContaining(`a1.${DOMAIN} is an arbiter`)]);
  for (const target of [cluster.fileOptions, ['--dir', cluster.dir]])
    expect((await captureCommand(['infra', 'plan', '--infra-nodes', 'w1', ...target], { cwd: cluster.cwd })).code).toBe(
      2,
    );

  const prompts: string[] = [];
  const yes = async (prompt: string) => {
    prompts.push(prompt);
    return 'y';
  };
  expect((await runInfra(['apply', '--only', 'label'], yes)).code).toBe(0);
  expect(prompts[0]).toContain('infra-a');
  expect(listLabelledNodes()).toEqual(['infra-a', 'infra-b']);
  // The label now identifies the infra nodes, and the undo record beside the kubeconfig holds the original values.
  expect(existsSync(`${kubeconfig}.infra-before.ndjson`)).toBe(true);
  const verified = await runInfra(['verify', '--only', 'label,machine-sets,lb-add']);
  expect([verified.code, verified.stdout.match(/^(\S+) +(done|not needed)/gm)?.length]).toEqual([0, 3]);
  const answers: string[] = ['n', 'w1, w2', 'y'];
  cluster.store.list('nodes').forEach(
    ({ metadata }) =>
      void cluster.store.mutate('nodes', null, metadata.name, (node) => {
        delete node.metadata.labels?.[INFRA];
      }),
  );
  expect((await runInfra(['apply', '--only', 'label'], async () => answers.shift() ?? null)).code).toBe(0);
  expect([answers, listLabelledNodes()]).toEqual([[], ['w1', 'w2']]);
});

test('machines of a cloud: compared with the workers, created, found again without options, undone', async () => {
  prepareCloud();
  const plan = await runInfra([
    'plan',
    '--only',
    'machine-sets',
    '--infra-machines',
    '2',
    '--machine-size',
    'r6i.2xlarge',
  ]);
  expect(plan.code).toBe(0);
  expect(plan.stdout).toContain('a copy of MachineSet openshift-machine-api/shop-x7k2p-worker-us-east-2a');
  expect(plan.stdout).toContain('- ');
  expect(
    plan.stdout
      .match(/^[-+] +instanceType: .*/gm)
      ?.slice(0, 2)
      .map((line) => line.replace(/ +/, ' ')),
  ).toEqual(['- instanceType: m6i.xlarge', '+ instanceType: r6i.2xlarge']);
  const applied = await runInfra(['apply', '--only', 'machine-sets', '--infra-machines', '2', '--yes']);
  expect([applied.code, listInfraSets().length, listLabelledNodes().length]).toEqual([0, 2, 2]);
  expect((await runInfra(['verify', '--only', 'machine-sets,label'])).code).toBe(0);
  const undone = await runInfra(['undo', '--only', 'machine-sets', '--yes']);
  expect([undone.code, listInfraSets(), listLabelledNodes()]).toEqual([0, [], []]);
  const countAutoscalers = () => cluster.store.list('machineautoscalers.autoscaling.openshift.io').length;
  expect((await runInfra(['apply', '--only', 'autoscaler', '--worker-machines', '9'])).code).toBe(2);
  expect((await runInfra(['apply', '--only', 'autoscaler', '--worker-machines', '3-9', '--yes'])).code).toBe(0);
  expect(countAutoscalers()).toBe(3);
  expect([(await runInfra(['undo', '--only', 'autoscaler', '--yes'])).code, countAutoscalers()]).toEqual([0, 0]);
  expect(cluster.store.list(MACHINES).filter(({ metadata }) => metadata.name.includes('-infra-'))).toEqual([]);
});
