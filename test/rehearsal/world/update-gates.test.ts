import { expect, test } from 'vitest';
import { createUpdateObjects, findUpdateRefusal } from '../../../src/rehearsal/world/operators/update-gates.ts';
import { infraWorld } from '../../support/infra-world.ts';

const OPERATORS = 'clusteroperators.config.openshift.io';
const refuse = (reason: string) => ({
  conditions: [{ type: 'Upgradeable', status: 'False', reason, message: `message of ${reason}` }],
});

test('4.18 has a gate for the APIs that 4.19 removes; an acknowledgment opens it', () => {
  const world = infraWorld('4.18.9');
  createUpdateObjects(world.operatorContext);
  expect(findUpdateRefusal(world.store, '4.18.9')).toEqual({
    reason: 'AdminAckRequired',
    message: expect.stringMatching(/^Kubernetes 1\.32 and therefore OpenShift 4\.19 remove several APIs/),
  });
  // The gate stays with a later version, and is not of it.
  expect(findUpdateRefusal(world.store, '4.19.1')).toBeNull();
  world.change('configmaps', 'openshift-config', 'admin-acks', (map) => {
    map.data = { 'ack-4.18-kube-1.32-api-removals-in-4.19': 'true' };
  });
  expect(findUpdateRefusal(world.store, '4.18.9')).toBeNull();
});

test('operators that refuse are named, one with its reason, several in a list', () => {
  const world = infraWorld('4.22.3');
  createUpdateObjects(world.operatorContext);
  expect(findUpdateRefusal(world.store, '4.22.3')).toBeNull();
  world.add(OPERATORS, { metadata: { name: 'storage' }, status: refuse('OldDriver') });
  expect(findUpdateRefusal(world.store, '4.22.3')).toEqual({
    reason: 'OldDriver',
    message: 'Cluster operator storage should not be upgraded between minor versions: message of OldDriver',
  });
  world.add(OPERATORS, { metadata: { name: 'dns' }, status: refuse('OldDns') });
  const both = findUpdateRefusal(world.store, '4.22.3');
  expect(both?.reason).toBe('ClusterOperatorsNotUpgradeable');
  expect(both?.message.split('\n')).toHaveLength(3);
});

test('APIs are counted while they are served', () => {
  const list = (version: string) => {
    const world = infraWorld(version);
    createUpdateObjects(world.operatorContext);
    return world.store.list('apirequestcounts.apiserver.openshift.io').map(({ metadata }) => metadata.name);
  };
  expect(list('4.22.3')).toEqual(['pods.v1']);
  expect(list('4.18.9')).toEqual(['flowschemas.v1beta3.flowcontrol.apiserver.k8s.io', 'pods.v1']);
});
