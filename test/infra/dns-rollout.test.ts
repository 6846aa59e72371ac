import { expect, test } from 'vitest';
import { createClusterReader } from '../../src/infra/apply-edits.ts';
import { createPreflight } from '../../src/infra/preflight.ts';
import { probeMoves } from '../../src/infra/probe.ts';
import { getNumber, getString } from '../../src/openshift/object.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { type InfraWorld, infraWorld } from '../support/infra-world.ts';

const WORKER = `w1.${DOMAIN}`;

function addTaint(world: InfraWorld, key: string): void {
  world.change('nodes', null, WORKER, (node) => {
    node.spec = { ...(node.spec as object), taints: [{ key, effect: 'NoSchedule' }] };
  });
  world.tick();
}

function setPressure(world: InfraWorld): void {
  world.change('nodes', null, WORKER, (node) => {
    const conditions = ['Ready', 'DiskPressure'].map((type) => ({ type, status: 'True' }));
    node.status = { ...(node.status as object), conditions };
  });
  addTaint(world, 'node.kubernetes.io/disk-pressure');
}

function readCounts(world: InfraWorld) {
  const status = world.store.get('daemonsets.apps', 'openshift-dns', 'dns-default')?.status;
  return {
    desired: getNumber(status, 'desiredNumberScheduled'),
    current: getNumber(status, 'currentNumberScheduled'),
    updated: getNumber(status, 'updatedNumberScheduled'),
    misscheduled: getNumber(status, 'numberMisscheduled'),
  };
}

const findDnsPod = (world: InfraWorld) =>
  world.store
    .list('pods')
    .find(({ metadata, spec }) => metadata.name.startsWith('dns-default-') && getString(spec, 'nodeName') === WORKER);

test('DNS is rolled out on a node with DiskPressure too, as its pods tolerate that', async () => {
  const world = infraWorld('4.18.9');
  setPressure(world);
  expect(await world.applyAndSettle('dns')).toMatchObject({ state: 'done', why: 'Cluster DNS tolerates the taint.' });
  expect(readCounts(world)).toEqual({ desired: 5, current: 5, updated: 5, misscheduled: 0 });
});

test('a DNS pod on a node that repels it is reported, and the move does not wait for it', async () => {
  const world = infraWorld('4.18.9');
  addTaint(world, 'team/gpu');
  expect(await world.applyAndSettle('dns')).toMatchObject({
    state: 'done',
    why: `Cluster DNS tolerates the taint. ${findDnsPod(world)?.metadata.name} still runs on w1, although it does not tolerate the taint there.`,
  });
  expect(readCounts(world)).toEqual({ desired: 4, current: 4, updated: 4, misscheduled: 1 });
});

test('a rollout of DNS names the nodes and pods that it waits for', async () => {
  const world = infraWorld('4.18.9');
  await world.apply('dns');
  const whys: string[] = [];
  for (let status = await world.probe('dns'); status.state === 'moving'; status = await world.probe('dns')) {
    whys.push(status.why);
    world.tick();
  }
  expect(whys.at(-1)).toMatch(
    /^dns-default: \d of 5 replicas updated and available\. Not yet on (?:\w+ \(dns-default-\w+ is not ready\)(?:, | and \d more)?)+\.$/,
  );
});

test('a node under pressure is a warning before the first move of a plan, and only there', async () => {
  const world = infraWorld('4.18.9');
  setPressure(world);
  const names = ['label', 'pool', 'dns', 'router'] as const;
  const preflight = createPreflight(createClusterReader(world.cluster), world.design, names);
  const found = [];
  for (const move of await probeMoves(world.site, names)) {
    const { name, preflightFindings = [] } = await preflight.check(move);
    for (const finding of preflightFindings) if (finding.code === 'move-pressure') found.push({ name, ...finding });
  }
  expect(found).toMatchObject([{ name: 'label', state: 'failed', severity: 'warning', cause: 'w1 (DiskPressure)' }]);
  expect(found[0]?.remedy).toContain(`\`oc describe nodes ${WORKER}\``);
});
