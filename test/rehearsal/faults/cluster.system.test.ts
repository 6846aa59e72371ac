import { afterEach, expect, test } from 'vitest';
import type { Design } from '../../../src/design/model.ts';
import { type KubeObject, listAt, textAt } from '../../../src/rehearsal/api/objects.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { exampleSite } from '../../support/example-design.ts';
import { type PlantedSite, plantedSite } from '../../support/planted-site.ts';

let open: PlantedSite | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** Three nodes that are everything: nobody has to approve what they ask for while the bootstrap node is there. */
function compactSite(): Design {
  const { nodes, ...others } = exampleSite();
  return { ...others, topology: 'compact', nodes: nodes.filter(({ role }) => /bootstrap|control-plane/.test(role)) };
}

async function begin(faults: readonly FaultId[]): Promise<PlantedSite> {
  open = await plantedSite(compactSite(), faults);
  for (const { name } of open.design.nodes) open.site.powerOn(name);
  return open;
}

function objects({ site }: PlantedSite, resource: 'nodes' | 'clusteroperators'): KubeObject[] {
  return listAt(site.inside('172.16.0.11')?.resources[resource], 'items') as KubeObject[];
}

/** What a condition of an object says while it is True; empty while it is not. */
function said(object: KubeObject | undefined, type: string): string {
  const found = listAt(object, 'status', 'conditions').find((each) => textAt(each, 'type') === type);
  return textAt(found, 'status') === 'True' ? textAt(found, 'message') : '';
}

const degraded = (game: PlantedSite, name: string) =>
  said(
    objects(game, 'clusteroperators').find(({ metadata }) => metadata.name === name),
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
] as const)('%s: operator %s says what it cannot do', async (fault, operator, message) => {
  const game = await begin([fault]);
  await game.until(() => message.test(degraded(game, operator)));
  expect(game.site.status().isBootstrapComplete).toBe(true);
});

test('disk-too-small: the images fill the disk of one node, and it takes no more pods', async () => {
  const game = await begin(['disk-too-small']);
  const full = () => objects(game, 'nodes').filter((node) => said(node, 'DiskPressure') !== '');
  await game.until(() => full().length > 0);
  expect(full()).toHaveLength(1);
  expect(listAt(full()[0], 'spec', 'taints')).toContainEqual(
    expect.objectContaining({ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }),
  );
});

test('without faults no operator stays degraded, and no disk is full', async () => {
  const game = await begin([]);
  await game.until(() => game.site.status().isBootstrapComplete);
  const isUp = (operator: KubeObject) =>
    listAt(operator, 'status', 'conditions').some(
      (each) => textAt(each, 'type') === 'Available' && textAt(each, 'status') === 'True',
    );
  await game.until(
    () => objects(game, 'clusteroperators').length > 25 && objects(game, 'clusteroperators').every(isUp),
  );
  for (const operator of objects(game, 'clusteroperators')) expect(said(operator, 'Degraded')).toBe('');
  for (const node of objects(game, 'nodes')) expect(said(node, 'DiskPressure')).toBe('');
});
