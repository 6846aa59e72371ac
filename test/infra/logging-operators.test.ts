import { expect, test } from 'vitest';
import { english } from '../../src/i18n/en/index.ts';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import { probeMoves } from '../../src/infra/probe.ts';
import { type InfraWorld, infraWorld } from '../support/infra-world.ts';

// Before logging moves, its operators are installed and work, they manage the edited objects, and the nodes have room.

const NAMESPACE = 'openshift-logging';
const texts = words.byName.logging;
const { operatorHubRemedy: ofHub, checks } = english.diagnosis.infraMove;

type OperatorVersion = readonly [name: string, phase: string, message?: string];

function createWorld(...versions: readonly OperatorVersion[]): InfraWorld {
  const world = infraWorld('4.18.9');
  for (const name of ['openshift-operators-redhat', 'openshift-operator-lifecycle-manager'])
    world.add('namespaces', { metadata: { name } });
  const addVersion = (namespace: string, name: string, phase: string, message = '') =>
    world.add('clusterserviceversions.operators.coreos.com', {
      metadata: { name, namespace },
      status: { phase, message },
    });
  if (versions.length > 0) addVersion('openshift-operator-lifecycle-manager', 'packageserver', 'Succeeded');
  for (const [name, phase, message] of versions) addVersion(NAMESPACE, name, phase, message);
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

async function probeLogging(world: InfraWorld) {
  const status = (await probeMoves(world.site, ['label', 'logging'])).find(({ name }) => name === 'logging');
  const operator = status?.preflightFindings?.find(({ code }) => code === 'move-operator');
  return {
    state: status?.state,
    why: status?.why,
    notes: status?.notes,
    operator,
    preflight: status?.preflightFindings,
  };
}

const LOKI = ['loki-operator.v6.1.0', 'Succeeded'] as const;
const COLLECTOR = ['cluster-logging.v6.1.0', 'Succeeded'] as const;

test.each<[what: string, versions: readonly OperatorVersion[], state: string, text: RegExp]>([
  ['both work', [COLLECTOR, LOKI], 'ok', /^cluster-logging\.v6\.1\.0, loki-operator\.v6\.1\.0: /],
  ['no operator is reported', [], 'unknown', /^its operator works/],
  ['one takes the place of another', [COLLECTOR, ['loki-operator.v6.0.3', 'Replacing'], LOKI], 'ok', /v6\.1\.0: /],
  ['one is missing', [COLLECTOR], 'failed', /^loki-operator: .*: not installed$/],
  ['all are missing', [['other.v1.0.0', 'Succeeded']], 'failed', /^cluster-logging: .*: not installed$/],
  [
    'one has failed',
    [COLLECTOR, ['loki-operator.v6.1.0', 'Failed', 'requirements not met']],
    'failed',
    /^loki-operator\.v6\.1\.0: .*: Failed: requirements not met$/,
  ],
])('%s', async (_what, versions, state, titlePattern) => {
  const { operator, ...status } = await probeLogging(createWorld(...versions));
  expect([operator?.state, `${operator?.title}${state === 'failed' ? `: ${operator?.cause}` : ''}`]).toEqual([
    state,
    expect.stringMatching(titlePattern),
  ]);
  expect(status.state).toBe(state === 'failed' ? 'blocked' : 'needed');
  if (state === 'failed') expect(status.why).toContain(ofHub);
});

test('operator versions that the user may not list; resources that are Unmanaged, left over, or too large for the nodes', async () => {
  const world = createWorld(COLLECTOR, LOKI);
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' };
  world.intercept = ({ path }) => (path.includes('clusterserviceversions') ? { status: 403, body } : null);
  expect(await probeLogging(world)).toMatchObject({ state: 'needed', operator: { state: 'unknown' } });
  world.intercept = () => null;
  world.add('clusterloggings.logging.openshift.io', {
    metadata: { name: 'instance', namespace: NAMESPACE },
    spec: { collection: { type: 'vector' } },
  });
  const leftOver = texts.legacyObjects([`ClusterLogging ${NAMESPACE}/instance`]);
  expect(await probeLogging(world)).toMatchObject({ state: 'needed', notes: [leftOver] });
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
  const withoutCapacity = await probeLogging(world);
  expect([withoutCapacity.state, withoutCapacity.why]).toEqual([
    'blocked',
    expect.stringContaining(checks['move-room'].wrong),
  ]);
  world.change('lokistacks.loki.grafana.com', NAMESPACE, 'loki', (one) => {
    one.spec = { ...(one.spec as object), managementState: 'Unmanaged' };
  });
  expect(await probeLogging(world)).toMatchObject({
    state: 'blocked',
    why: texts.unmanaged([`LokiStack ${NAMESPACE}/loki`]),
  });
});
