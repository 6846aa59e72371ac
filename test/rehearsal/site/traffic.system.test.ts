import { afterEach, expect, test } from 'vitest';
import { nameSuffix } from '../../../src/rehearsal/site/random.ts';
import { exampleSite } from '../../support/example-design.ts';
import type { Play } from './play.ts';
import { until } from './play.ts';
import { approve, everyNode, playBootstrap, waitedFor } from './play-install.ts';

const MERGE = 'application/merge-patch+json';
const INFRA = { 'node-role.kubernetes.io/infra': '' };
const ROUTER = '/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default';

let open: Play | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function condition(game: Play, operator: string, type: string) {
  const { body } = await game.api(`/apis/config.openshift.io/v1/clusteroperators/${operator}`);
  return body.status?.conditions?.find((each: { type: string }) => each.type === type);
}

test('routers that move where the load balancer does not send traffic degrade ingress until it does', async () => {
  const game = await playBootstrap(exampleSite(), 600);
  open = game;
  const stop = approve(game);
  const installed = await waitedFor(game, 'install-complete');
  await everyNode(game);
  await stop();
  expect(installed.code).toBe(0);
  for (const name of ['i1', 'i2', 'i3']) {
    const path = `/api/v1/nodes/${name}.ocp45.example.localdomain`;
    expect((await game.api(path, 'PATCH', { metadata: { labels: INFRA } }, MERGE)).status).toBe(200);
  }
  const infraOnly = (file: string, text: string) =>
    file.endsWith('haproxy.cfg') ? text.replace(/^ *server i\d.*\n/gm, '') : text;
  await game.putInPlace('infra-added', infraOnly);
  await game.api(
    ROUTER,
    'PATCH',
    { spec: { replicas: 3, nodePlacement: { nodeSelector: { matchLabels: INFRA } } } },
    MERGE,
  );
  await until('ingress to be degraded', async () => (await condition(game, 'ingress', 'Degraded'))?.status === 'True');
  expect((await condition(game, 'ingress', 'Degraded')).message).toContain('CanaryChecksRepetitiveFailures');
  await game.putInPlace('infra-only');
  await until('ingress to recover', async () => (await condition(game, 'ingress', 'Degraded'))?.status === 'False');
});

test('a taint that drives pods away moves them, and one that nothing tolerates leaves them pending with a reason', async () => {
  const game = await playBootstrap(exampleSite(), 600);
  open = game;
  const routers = '/api/v1/namespaces/openshift-ingress/pods';
  // The infra nodes join first: the routers go there, and the installation comes to its end with them.
  const routerNodes = async () => {
    const { body } = await game.api(routers);
    return body.items.map((pod: { spec: { nodeName?: string } }) => pod.spec.nodeName?.split('.')[0]);
  };
  const infra = ['i1', 'i2', 'i3'];
  const first = infra.flatMap((name) => [1, 2, 3, 4, 5].map((n) => `csr-${nameSuffix(1, 5, name, 'request', n)}`));
  let arePlaced = false;
  const stop = approve(game, (name) => arePlaced || first.includes(name));
  await until('routers', async () => {
    const found = await routerNodes();
    return found.length === 2 && found.every((name: string) => infra.includes(name));
  });
  arePlaced = true;
  expect((await waitedFor(game, 'install-complete')).code).toBe(0);
  await everyNode(game);
  await stop();
  const taint = { spec: { taints: [{ key: 'infra', value: 'reserved', effect: 'NoExecute' }] } };
  for (const name of ['w1', 'w2', 'w3', 'i1', 'i2', 'i3']) {
    await game.api(`/api/v1/nodes/${name}.ocp45.example.localdomain`, 'PATCH', taint, MERGE);
  }
  const message = async () => (await game.api(routers)).body.items[0]?.status?.conditions?.[0]?.message ?? '';
  await until('the reason', async () => (await message()).includes('node(s) had untolerated taint {infra: reserved}'));
  const exporters = '/apis/apps/v1/namespaces/openshift-monitoring/daemonsets/node-exporter';
  await until('an exporter on each', async () => (await game.api(exporters)).body.status.numberReady === 9);
});

test('a compact cluster carries its routers on the control plane', async () => {
  const site = exampleSite();
  const nodes = site.nodes.filter(({ role }) => role === 'bootstrap' || role === 'control-plane');
  const game = await playBootstrap({ ...site, topology: 'compact', nodes }, 600, [], { mastersSchedulable: true });
  open = game;
  const installed = await waitedFor(game, 'install-complete');
  expect(installed.stderr).toContain('Install complete!');
  const { body } = await game.api('/api/v1/nodes');
  expect(body.items).toHaveLength(3);
  expect(body.items[0].metadata.labels).toHaveProperty('node-role.kubernetes.io/worker');
  expect(body.items[0].spec.taints ?? []).toEqual([]);
});
