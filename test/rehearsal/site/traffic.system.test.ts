import { afterEach, expect, test } from 'vitest';
import { generateNameSuffix } from '../../../src/rehearsal/site/seeded-random.ts';
import { exampleSite } from '../../support/example-design.ts';
import { createExampleDesign } from '../../support/example-document.ts';
import type { SimulatedInstallation } from './play.ts';
import { waitUntil } from './play.ts';
import { bootstrapSimulatedCluster, startCsrApprover, waitForAllNodes, waitForInstaller } from './play-install.ts';

const MERGE = 'application/merge-patch+json';
const INFRA = { 'node-role.kubernetes.io/infra': '' };
const ROUTER = '/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default';

let current: SimulatedInstallation | null = null;
afterEach(async () => {
  await current?.close();
  current = null;
});

async function getCondition(installation: SimulatedInstallation, operator: string, type: string) {
  const { body } = await installation.api(`/apis/config.openshift.io/v1/clusteroperators/${operator}`);
  return body.status?.conditions?.find((each: { type: string }) => each.type === type);
}

test('routers that move where the load balancer does not send traffic degrade ingress until it does', async () => {
  const installation = await bootstrapSimulatedCluster(exampleSite(), 600);
  current = installation;
  const stop = startCsrApprover(installation);
  const result = await waitForInstaller(installation, 'install-complete');
  await waitForAllNodes(installation);
  await stop();
  expect(result.code).toBe(0);
  for (const name of ['i1', 'i2', 'i3']) {
    const path = `/api/v1/nodes/${name}.ocp45.example.localdomain`;
    expect((await installation.api(path, 'PATCH', { metadata: { labels: INFRA } }, MERGE)).status).toBe(200);
  }
  const withoutInfraServers = (file: string, text: string) =>
    file.endsWith('haproxy.cfg') ? text.replace(/^ *server i\d.*\n/gm, '') : text;
  await installation.putInPlace('infra-added', withoutInfraServers);
  await installation.api(
    ROUTER,
    'PATCH',
    { spec: { replicas: 3, nodePlacement: { nodeSelector: { matchLabels: INFRA } } } },
    MERGE,
  );
  await waitUntil(
    'ingress to be degraded',
    async () => (await getCondition(installation, 'ingress', 'Degraded'))?.status === 'True',
  );
  expect((await getCondition(installation, 'ingress', 'Degraded')).message).toContain('CanaryChecksRepetitiveFailures');
  await installation.putInPlace('infra-only');
  await waitUntil(
    'ingress to recover',
    async () => (await getCondition(installation, 'ingress', 'Degraded'))?.status === 'False',
  );
});

test('a taint that drives pods away moves them, and one that nothing tolerates leaves them pending with a reason', async () => {
  const installation = await bootstrapSimulatedCluster(exampleSite(), 600);
  current = installation;
  const routers = '/api/v1/namespaces/openshift-ingress/pods';
  // The infra nodes join first, so that the routers run there and the installation can finish.
  const listRouterNodes = async () => {
    const { body } = await installation.api(routers);
    return body.items.map((pod: { spec: { nodeName?: string } }) => pod.spec.nodeName?.split('.')[0]);
  };
  const infra = ['i1', 'i2', 'i3'];
  const infraRequests = infra.flatMap((name) =>
    [1, 2, 3, 4, 5].map((n) => `csr-${generateNameSuffix(1, 5, name, 'request', n)}`),
  );
  let areRoutersPlaced = false;
  const stop = startCsrApprover(installation, (name) => areRoutersPlaced || infraRequests.includes(name));
  await waitUntil('routers', async () => {
    const found = await listRouterNodes();
    return found.length === 2 && found.every((name: string) => infra.includes(name));
  });
  areRoutersPlaced = true;
  expect((await waitForInstaller(installation, 'install-complete')).code).toBe(0);
  await waitForAllNodes(installation);
  await stop();
  const taint = { spec: { taints: [{ key: 'infra', value: 'reserved', effect: 'NoExecute' }] } };
  for (const name of ['w1', 'w2', 'w3', 'i1', 'i2', 'i3']) {
    await installation.api(`/api/v1/nodes/${name}.ocp45.example.localdomain`, 'PATCH', taint, MERGE);
  }
  const getMessage = async () =>
    (await installation.api(routers)).body.items[0]?.status?.conditions?.[0]?.message ?? '';
  await waitUntil('the reason', async () =>
    (await getMessage()).includes('node(s) had untolerated taint {infra: reserved}'),
  );
  const exporters = '/apis/apps/v1/namespaces/openshift-monitoring/daemonsets/node-exporter';
  await waitUntil('an exporter on each', async () => (await installation.api(exporters)).body.status.numberReady === 9);
});

test('a compact cluster runs its routers on the control plane', async () => {
  const site = exampleSite();
  const nodes = site.nodes.filter(({ role }) => role === 'bootstrap' || role === 'control-plane');
  const installation = await bootstrapSimulatedCluster({ ...site, topology: 'compact', nodes }, 600, [], {
    mastersSchedulable: true,
  });
  current = installation;
  const result = await waitForInstaller(installation, 'install-complete');
  expect(result.stderr).toContain('Install complete!');
  const { body } = await installation.api('/api/v1/nodes');
  expect(body.items).toHaveLength(3);
  expect(body.items[0].metadata.labels).toHaveProperty('node-role.kubernetes.io/worker');
  expect(body.items[0].spec.taints ?? []).toEqual([]);
});

test('an arbiter runs what runs on every node, and neither routers nor other applications', async () => {
  const design = createExampleDesign('arbiter');
  const installation = await bootstrapSimulatedCluster(design, 600, [], { mastersSchedulable: true });
  current = installation;
  const result = await waitForInstaller(installation, 'install-complete');
  expect(result.stderr).toContain('Install complete!');
  const arbiter = 'a1.ocp45.example.localdomain';
  const { metadata, spec } = (await installation.api(`/api/v1/nodes/${arbiter}`)).body;
  expect(Object.keys(metadata.labels).filter((label) => label.startsWith('node-role.kubernetes.io/'))).toEqual([
    'node-role.kubernetes.io/arbiter',
  ]);
  expect(spec.taints).toEqual([{ key: 'node-role.kubernetes.io/arbiter', effect: 'NoSchedule' }]);
  const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools';
  const { items } = (await installation.api(pools)).body;
  const counts = items.map((pool: { metadata: { name: string }; status: { machineCount: number } }) => [
    pool.metadata.name,
    pool.status.machineCount,
  ]);
  expect(Object.fromEntries(counts)).toEqual({ master: 2, arbiter: 1, worker: 0 });
  const { body } = await installation.api('/api/v1/pods');
  const own = body.items.filter((pod: { spec: { nodeName?: string } }) => pod.spec.nodeName === arbiter);
  const names = own.map((pod: { metadata: { name: string } }) => pod.metadata.name.replace(/-[^-]+$/, ''));
  expect(names.sort()).toEqual([
    ...['etcd', 'machine-config-daemon', 'network-check-target', 'node-ca', 'node-exporter', 'node-resolver'],
  ]);
});

test('two nodes with fencing: Pacemaker runs etcd, and the logins of their BMCs are secrets of the cluster', async () => {
  const design = createExampleDesign('fencing');
  const installation = await bootstrapSimulatedCluster(design, 600, [], { mastersSchedulable: true });
  current = installation;
  const result = await waitForInstaller(installation, 'install-complete');
  expect(result.stderr).toContain('Install complete!');
  const infrastructures = '/apis/config.openshift.io/v1/infrastructures/cluster';
  expect((await installation.api(infrastructures)).body.status.controlPlaneTopology).toBe('DualReplica');
  const { body } = await installation.api('/api/v1/namespaces/openshift-etcd/secrets');
  const names = body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  expect(names.filter((name: string) => name.startsWith('fencing-')).sort()).toEqual([
    'fencing-credentials-m1.ocp45.example.localdomain',
    'fencing-credentials-m2.ocp45.example.localdomain',
  ]);
  const etcd = (await installation.api('/apis/operator.openshift.io/v1/etcds/cluster')).body;
  expect(etcd.status.conditions.map(({ type }: { type: string }) => type)).toEqual([
    'EtcdBootstrapMemberRemoved',
    'ExternalEtcdReadyForTransition',
    'ExternalEtcdHasCompletedTransition',
  ]);
});
