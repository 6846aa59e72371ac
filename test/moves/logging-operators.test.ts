import { expect, test } from 'vitest';
import { lookAtMoves } from '../../src/steps/infra/look.ts';
import { english } from '../../src/text/en/index.ts';
import { moves as words } from '../../src/text/en/moves/index.ts';
import { type InfraWorld, infraWorld } from '../support/infra-world.ts';

// Before logging moves: its operators are there and work, they look at what we write, and the nodes have room for it.

const NAMESPACE = 'openshift-logging';
const said = words.each.logging;
const { ofHub, checks } = english.diagnosis.moving;

type Version = readonly [name: string, phase: string, message?: string];

function worldWith(...versions: readonly Version[]): InfraWorld {
  const world = infraWorld('4.18.9');
  for (const name of ['openshift-operators-redhat', 'openshift-operator-lifecycle-manager'])
    world.add('namespaces', { metadata: { name } });
  const put = (namespace: string, name: string, phase: string, message = '') =>
    world.add('clusterserviceversions.operators.coreos.com', {
      metadata: { name, namespace },
      status: { phase, message },
    });
  if (versions.length > 0) put('openshift-operator-lifecycle-manager', 'packageserver', 'Succeeded');
  for (const [name, phase, message] of versions) put(NAMESPACE, name, phase, message);
  world.add('lokistacks.loki.grafana.com', {
    metadata: { name: 'loki', namespace: NAMESPACE },
    spec: { size: '1x.small', storageClassName: 'fast', storage: { secret: { name: 's3', type: 's3' } }, template: {} },
  });
  world.add('clusterlogforwarders.observability.openshift.io', {
    metadata: { name: 'collector', namespace: NAMESPACE },
    spec: { serviceAccount: { name: 'collector' } },
  });
  world.tick(4);
  return world;
}

async function looked(world: InfraWorld) {
  const seen = (await lookAtMoves(world.site, ['label', 'logging'])).find(({ name }) => name === 'logging');
  const operator = seen?.preflight?.find(({ code }) => code === 'move-operator');
  return { state: seen?.state, why: seen?.why, says: seen?.says, operator, preflight: seen?.preflight };
}

const LOKI = ['loki-operator.v6.1.0', 'Succeeded'] as const;
const COLLECTING = ['cluster-logging.v6.1.0', 'Succeeded'] as const;

test.each<[what: string, versions: readonly Version[], state: string, told: RegExp]>([
  ['both work', [COLLECTING, LOKI], 'ok', /^cluster-logging\.v6\.1\.0, loki-operator\.v6\.1\.0: /],
  ['nothing tells of operators', [], 'unknown', /^its operator works/],
  ['one takes the place of another', [COLLECTING, ['loki-operator.v6.0.3', 'Replacing'], LOKI], 'ok', /v6\.1\.0: /],
  ['one is missing', [COLLECTING], 'failed', /^loki-operator: .*: not installed$/],
  ['all are missing', [['other.v1.0.0', 'Succeeded']], 'failed', /^cluster-logging: .*: not installed$/],
  [
    'one has failed',
    [COLLECTING, ['loki-operator.v6.1.0', 'Failed', 'requirements not met']],
    'failed',
    /^loki-operator\.v6\.1\.0: .*: Failed: requirements not met$/,
  ],
])('%s', async (_what, versions, state, told) => {
  const { operator, ...seen } = await looked(worldWith(...versions));
  expect([operator?.state, `${operator?.title}${state === 'failed' ? `: ${operator?.cause}` : ''}`]).toEqual([
    state,
    expect.stringMatching(told),
  ]);
  expect(seen.state).toBe(state === 'failed' ? 'blocked' : 'needed');
  if (state === 'failed') expect(seen.why).toContain(ofHub);
});

test('who may not see versions is told so; what is Unmanaged, left over, or too large for the nodes', async () => {
  const world = worldWith(COLLECTING, LOKI);
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' };
  world.instead = ({ path }) => (path.includes('clusterserviceversions') ? { status: 403, body } : null);
  expect(await looked(world)).toMatchObject({ state: 'needed', operator: { state: 'unknown' } });
  world.instead = () => null;
  world.add('clusterloggings.logging.openshift.io', {
    metadata: { name: 'instance', namespace: NAMESPACE },
    spec: { collection: { type: 'vector' } },
  });
  const old = said.leftOver([`ClusterLogging ${NAMESPACE}/instance`]);
  expect(await looked(world)).toMatchObject({ state: 'needed', says: [old] });
  // The nodes have no room for one of its pods.
  for (const { metadata } of world.store.list('nodes'))
    world.change('nodes', null, metadata.name, (node) => {
      node.status = { ...(node.status as object), allocatable: { cpu: '4', memory: '16Gi' } };
    });
  const [pod] = world.store.list('pods', NAMESPACE).filter(({ metadata }) => metadata.name.startsWith('loki-'));
  world.change('pods', NAMESPACE, pod?.metadata.name ?? '', (one) => {
    const containers = [{ name: 'loki', image: 'loki', resources: { requests: { cpu: '1', memory: '64Gi' } } }];
    one.spec = { ...(one.spec as object), containers, nodeName: `w1.${pod?.metadata.name}` };
  });
  const full = await looked(world);
  expect([full.state, full.why]).toEqual(['blocked', expect.stringContaining(checks['move-room'].wrong)]);
  world.change('lokistacks.loki.grafana.com', NAMESPACE, 'loki', (one) => {
    one.spec = { ...(one.spec as object), managementState: 'Unmanaged' };
  });
  expect(await looked(world)).toMatchObject({
    state: 'blocked',
    why: said.unmanaged([`LokiStack ${NAMESPACE}/loki`]),
  });
});
