import { afterEach, expect, test } from 'vitest';
import type { Design } from '../../../src/design/model.ts';
import { getList, getString, type KubeObject } from '../../../src/rehearsal/api/objects.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { exampleSite } from '../../support/example-design.ts';
import { createPlantedSite, type PlantedSite } from '../../support/planted-site.ts';

let open: PlantedSite | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** Three nodes with all roles. Their requests need no approval while the bootstrap node runs. */
function compactSite(): Design {
  const { nodes, ...others } = exampleSite();
  return { ...others, topology: 'compact', nodes: nodes.filter(({ role }) => /bootstrap|control-plane/.test(role)) };
}

async function startInstallation(faults: readonly FaultId[]): Promise<PlantedSite> {
  open = await createPlantedSite(compactSite(), faults);
  for (const { name } of open.design.nodes) open.site.powerOn(name);
  return open;
}

function listObjects({ site }: PlantedSite, resource: 'nodes' | 'clusteroperators'): KubeObject[] {
  return getList(site.inspectMachine('172.16.0.11')?.resources[resource], 'items') as KubeObject[];
}

/** Returns the message of a condition that is True, otherwise an empty text. */
function getConditionMessage(object: KubeObject | undefined, type: string): string {
  const found = getList(object, 'status', 'conditions').find((each) => getString(each, 'type') === type);
  return getString(found, 'status') === 'True' ? getString(found, 'message') : '';
}

const getDegradedMessage = (installation: PlantedSite, name: string) =>
  getConditionMessage(
    listObjects(installation, 'clusteroperators').find(({ metadata }) => metadata.name === name),
    'Degraded',
  );

test.each([
  ['apps-wildcard-missing', 'console', /canary\S+\.apps\.ocp45\.example\.localdomain: no such host/],
  ['routers-outside-pool', 'console', /canary\S+\.apps\.\S+": EOF/],
  ['proxy-without-no-proxy', 'authentication', /canary\S+\.apps\.\S+": Service Unavailable/],
  [
    'wildcard-too-wide',
    'insights',
    /certificate is valid for \*\.apps\.ocp45\.example\.localdomain, not console\.redhat\.com/,
  ],
] as const)('%s: operator %s reports what it cannot do', async (fault, operator, message) => {
  const installation = await startInstallation([fault]);
  await installation.waitUntil(() => message.test(getDegradedMessage(installation, operator)));
  expect(installation.site.getStatus().isBootstrapComplete).toBe(true);
});

test('disk-too-small: the images fill the disk of one node, and it takes no more pods', async () => {
  const installation = await startInstallation(['disk-too-small']);
  const listFull = () =>
    listObjects(installation, 'nodes').filter((node) => getConditionMessage(node, 'DiskPressure') !== '');
  await installation.waitUntil(() => listFull().length > 0);
  expect(listFull()).toHaveLength(1);
  expect(getList(listFull()[0], 'spec', 'taints')).toContainEqual(
    expect.objectContaining({ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }),
  );
  const getSize = () =>
    getString(
      listObjects(installation, 'nodes').find(({ metadata }) => metadata.name === name),
      'status',
      'capacity',
      'ephemeral-storage',
    );
  const name = listFull()[0]?.metadata.name;
  const smallSize = getSize();
  expect(installation.site.repair('disk-too-small')).toBe(true);
  await installation.waitUntil(() => listFull().length === 0);
  expect(getSize()).not.toBe(smallSize);
  expect(JSON.stringify(listObjects(installation, 'nodes'))).not.toContain('node.kubernetes.io/disk-pressure');
});

test('without faults no operator stays degraded, and no disk is full', async () => {
  const installation = await startInstallation([]);
  await installation.waitUntil(() => installation.site.getStatus().isBootstrapComplete);
  const isAvailable = (operator: KubeObject) =>
    getList(operator, 'status', 'conditions').some(
      (each) => getString(each, 'type') === 'Available' && getString(each, 'status') === 'True',
    );
  await installation.waitUntil(
    () =>
      listObjects(installation, 'clusteroperators').length > 25 &&
      listObjects(installation, 'clusteroperators').every(isAvailable),
  );
  for (const operator of listObjects(installation, 'clusteroperators'))
    expect(getConditionMessage(operator, 'Degraded')).toBe('');
  for (const node of listObjects(installation, 'nodes')) expect(getConditionMessage(node, 'DiskPressure')).toBe('');
});
