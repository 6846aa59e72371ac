import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { infraCommand } from '../../../src/cli/infra.ts';
import { MACHINES, reconcileMachines, SETS } from '../../../src/rehearsal/world/cloud/machines.ts';
import { DOMAIN, type LiveCluster, runLive, startLiveCluster } from '../../support/live-cluster.ts';

// The infra commands on a cluster of which there is only a kubeconfig.

const INFRA = 'node-role.kubernetes.io/infra';
const AWS = JSON.parse(readFileSync(new URL('../../fixtures/machine-sets/aws.json', import.meta.url), 'utf8'));

let cluster: LiveCluster;
let kubeconfig: string;
let running: NodeJS.Timeout | undefined;
beforeEach(async () => {
  cluster = await startLiveCluster();
  kubeconfig = cluster.files.at(-1) ?? '';
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

/** Worker MachineSets, and a cloud on which a minute lasts a third of a second. */
function furnish(): void {
  cluster.add('namespaces', { metadata: { name: 'openshift-machine-api' } });
  for (const { metadata, spec } of AWS) {
    const { uid: _uid, resourceVersion: _version, ...rest } = metadata;
    cluster.add(SETS, { metadata: rest, spec, status: {} });
  }
  let now = Date.now();
  const clock = { now: () => now, sleep: () => Promise.resolve(), interval: () => () => undefined };
  const world = { store: cluster.store, clock, seed: 1, faults: new Set<never>(), changed: () => undefined };
  const cloud = { ...world, saved: { timers: {} }, release: { kubernetes: 'v1.31.8' } };
  running = setInterval(() => {
    now += 10_000;
    reconcileMachines(cloud);
  }, 50);
}

const infra = (argv: readonly string[], ask?: (prompt: string) => Promise<string | null>) =>
  runLive(infraCommand, [...argv, '--kubeconfig', kubeconfig], { cwd: cluster.cwd, ...(ask ? { ask } : {}) });
const infraSets = () => cluster.store.list(SETS).filter(({ metadata }) => metadata.name.includes('-infra-'));
const labelled = () =>
  cluster.store
    .list('nodes')
    .filter(({ metadata }) => metadata.labels?.[INFRA] !== undefined)
    .map(({ metadata }) => metadata.name.split('.')[0]);

test('nobody is asked without a terminal; nodes are named, found by label, or by name and a yes', async () => {
  const unsaid = await infra(['plan']);
  expect(unsaid).toMatchObject({ code: 2, stdout: '' });
  expect(unsaid.stderr).toContain(`--infra-nodes A,B. By their names it could be: infra-a.${DOMAIN},infra-b.${DOMAIN}`);
  for (const wrong of [
    ['--infra-nodes', 'w9'],
    ['--infra-nodes', ''],
    ['--infra-machines', '3'],
    ['--machine-size', 'x'],
    ['--router-replicas', '0'],
  ])
    expect([wrong, (await infra(['plan', ...wrong])).code]).toEqual([wrong, 2]);
  for (const target of [cluster.files, ['--dir', cluster.dir]])
    expect((await runLive(infraCommand, ['plan', '--infra-nodes', 'w1', ...target], { cwd: cluster.cwd })).code).toBe(
      2,
    );

  const prompts: string[] = [];
  const yes = async (prompt: string) => {
    prompts.push(prompt);
    return 'y';
  };
  expect((await infra(['apply', '--only', 'label'], yes)).code).toBe(0);
  expect(prompts[0]).toContain('infra-a');
  expect(labelled()).toEqual(['infra-a', 'infra-b']);
  // From now on the label says it, and the record beside the kubeconfig gives back what was there.
  expect(existsSync(`${kubeconfig}.infra-before.ndjson`)).toBe(true);
  const verified = await infra(['verify', '--only', 'label,machine-sets,lb-add']);
  expect([verified.code, verified.stdout.match(/^(\S+) +(done|not needed)/gm)?.length]).toEqual([0, 3]);
  const typed: string[] = ['n', 'w1, w2', 'y'];
  cluster.store.list('nodes').forEach(
    ({ metadata }) =>
      void cluster.store.mutate('nodes', null, metadata.name, (node) => {
        delete node.metadata.labels?.[INFRA];
      }),
  );
  expect((await infra(['apply', '--only', 'label'], async () => typed.shift() ?? null)).code).toBe(0);
  expect([typed, labelled()]).toEqual([[], ['w1', 'w2']]);
});

test('machines of a cloud: shown against the workers, made, found again without options, undone', async () => {
  furnish();
  const plan = await infra([
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
  const made = await infra(['apply', '--only', 'machine-sets', '--infra-machines', '2', '--yes']);
  expect([made.code, infraSets().length, labelled().length]).toEqual([0, 2, 2]);
  expect((await infra(['verify', '--only', 'machine-sets,label'])).code).toBe(0);
  const undone = await infra(['undo', '--only', 'machine-sets', '--yes']);
  expect([undone.code, infraSets(), labelled()]).toEqual([0, [], []]);
  const scalers = () => cluster.store.list('machineautoscalers.autoscaling.openshift.io').length;
  expect((await infra(['apply', '--only', 'autoscaler', '--worker-machines', '9'])).code).toBe(2);
  expect((await infra(['apply', '--only', 'autoscaler', '--worker-machines', '3-9', '--yes'])).code).toBe(0);
  expect(scalers()).toBe(3);
  expect([(await infra(['undo', '--only', 'autoscaler', '--yes'])).code, scalers()]).toEqual([0, 0]);
  expect(cluster.store.list(MACHINES).filter(({ metadata }) => metadata.name.includes('-infra-'))).toEqual([]);
});
