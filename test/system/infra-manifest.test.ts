import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { MOVES, type MoveName } from '../../src/infra/moves.ts';
import { exampleSite, generateFileText } from '../support/example-design.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import { captureCommand } from '../support/run-command.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

const FILE = 'bastion/root/upi-wizard/infra.yaml';
const CLUSTER_MOVES = MOVES.filter(({ where }) => where === 'cluster').map(({ name }) => name);

/** Starts a cluster in the state that the installer leaves it in. */
async function startInstalledCluster(): Promise<SimulatedCluster> {
  const cluster = await startSimulatedCluster();
  onTestFinished(() => cluster.close());
  for (const [index, name] of ['i1', 'i2', 'i3'].entries()) cluster.addNode(name, `172.16.0.4${index + 1}`);
  for (const name of ['openshift-monitoring', 'openshift-image-registry', 'openshift-ingress-operator']) {
    cluster.add('namespaces', { metadata: { name } });
  }
  cluster.add('clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: {},
    status: { desired: { version: '4.18.11' } },
  });
  cluster.add('dnses.operator.openshift.io', { metadata: { name: 'default' }, spec: {} });
  cluster.add('ingresscontrollers.operator.openshift.io', {
    metadata: { name: 'default', namespace: 'openshift-ingress-operator' },
    spec: {},
  });
  cluster.add('configs.imageregistry.operator.openshift.io', {
    metadata: { name: 'cluster' },
    spec: { managementState: 'Removed', replicas: 1, storage: {} },
  });
  cluster.add('imagepruners.imageregistry.operator.openshift.io', { metadata: { name: 'cluster' }, spec: {} });
  cluster.add('storageclasses.storage.k8s.io', {
    metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'example.com/fast',
  });
  return cluster;
}

testWith('kubectl')('after kubectl applies infra.yaml, the wizard has nothing to set', async () => {
  const cluster = await startInstalledCluster();
  const dir = mkdtempSync(join(tmpdir(), 'infra-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'infra.yaml'), generateFileText(exampleSite(), FILE));
  const kubeconfig = cluster.fileOptions.at(-1) ?? '';
  const kubectl = (...args: readonly string[]) =>
    execa(
      requireProgram('kubectl'),
      ['--kubeconfig', kubeconfig, '--cache-dir', join(dir, 'cache'), ...args, '-f', join(dir, 'infra.yaml')],
      { all: true, reject: false },
    );
  const objects = [
    ...['i1', 'i2', 'i3'].map((name) => `node/${name}.ocp45.example.localdomain`),
    'machineconfigpool.machineconfiguration.openshift.io/infra',
    'dns.operator.openshift.io/default',
    'ingresscontroller.operator.openshift.io/default',
    'persistentvolumeclaim/image-registry-storage',
    'config.imageregistry.operator.openshift.io/cluster',
    'imagepruner.imageregistry.operator.openshift.io/cluster',
    'configmap/cluster-monitoring-config',
    ...['i1', 'i2', 'i3'].map((name) => `node/${name}.ocp45.example.localdomain`),
  ];

  const dry = await kubectl('apply', '--dry-run=client', '-o', 'name');
  expect({ code: dry.exitCode, said: dry.all.split('\n') }).toEqual({ code: 0, said: objects });
  const applied = await kubectl('apply', '--server-side', '--force-conflicts');
  expect({ code: applied.exitCode, said: applied.all.split('\n') }).toEqual({
    code: 0,
    said: objects.map((object) => `${object} serverside-applied`),
  });

  const { stdout } = await captureCommand(['infra', 'plan', ...cluster.fileOptions, '--json'], { cwd: cluster.cwd });
  const moves: { name: MoveName; changes: unknown[] }[] = JSON.parse(stdout).moves;
  const planned = moves
    .filter(({ name }) => CLUSTER_MOVES.includes(name))
    .map(({ name, changes }) => ({ name, changes }));
  expect(planned).toEqual(CLUSTER_MOVES.map((name) => ({ name, changes: [] })));
});
