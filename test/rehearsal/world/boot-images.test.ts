import { expect, test } from 'vitest';
import { describeBootImageSkew } from '../../../src/rehearsal/world/nodes/pools.ts';
import { infraWorld } from '../../support/infra-world.ts';

const RESOURCE = 'machineconfigurations.operator.openshift.io';
const VERSIONS = 'clusterversions.config.openshift.io';
const byRelease = (ocpVersion: string) => ({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion } });
const byBuild = (rhcosVersion: string) => ({ mode: 'Manual', manual: { mode: 'RHCOSVersion', rhcosVersion } });

function readStatus(world: ReturnType<typeof infraWorld>): unknown {
  const status = world.store.get(RESOURCE, null, 'cluster')?.status ?? {};
  return Reflect.get(status, 'bootImageSkewEnforcementStatus');
}

test('4.22 and later have the object; it reports the release that installed the cluster, once it has', () => {
  expect(infraWorld('4.21.9').store.get(RESOURCE, null, 'cluster')).toBeUndefined();
  const world = infraWorld('4.23.1');
  expect(readStatus(world)).toBeUndefined();
  world.change(VERSIONS, null, 'version', (one) => {
    const history = [
      { state: 'Completed', version: '4.23.1' },
      { state: 'Completed', version: '4.22.0-okd-scos.3' },
    ];
    one.status = { ...(one.status as object), history };
  });
  world.tick();
  expect(readStatus(world)).toEqual(byRelease('4.22.0'));
  expect(describeBootImageSkew(world)).toBeNull();
});

test.each([
  [byRelease('4.13.0'), null],
  [byRelease('4.12.61'), 'OCP boot image version 4.12.61'],
  [byRelease('4.9.0'), 'OCP boot image version 4.9.0'],
  [byBuild('9.2.20251023-0'), null],
  [byBuild('10.0.20251103-0'), null],
  [byBuild('418.94.202410090804-0'), null],
  [byBuild('9.0.20250515-0'), 'RHEL version: 9.0'],
  [byBuild('412.86.202301311551-0'), 'RHEL version: 8.6'],
  [{ mode: 'None' }, null],
])('%j is compared as the machine-config-operator does it', (enforcement, problem) => {
  const world = infraWorld('4.22.1');
  world.change(RESOURCE, null, 'cluster', (one) => {
    one.spec = { bootImageSkewEnforcement: enforcement };
  });
  world.tick();
  expect(readStatus(world)).toEqual(enforcement);
  const skew = describeBootImageSkew(world);
  if (problem === null) expect(skew).toBeNull();
  else expect(skew).toContain(problem);
});
