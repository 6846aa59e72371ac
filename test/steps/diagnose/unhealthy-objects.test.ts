import { expect, test } from 'vitest';
import type { Cluster } from '../../../src/kube/api.ts';
import { toStatusError } from '../../../src/kube/errors.ts';
import type { KubeObject } from '../../../src/openshift/object.ts';
import { findUnhealthyObjects, toObservedNode } from '../../../src/steps/diagnose/observed-cluster.ts';

const SINCE = '2026-11-22T11:00:00Z';
const object = (kind: string, name: string, ...conditions: readonly (readonly [string, string, string?])[]) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  spec: { service: { name: 'metrics', namespace: 'openshift-monitoring' } },
  status: {
    conditions: conditions.map(([type, status, message = '']) => ({
      type,
      status,
      reason: type === 'NodeDegraded' ? '' : 'R',
      message,
      lastTransitionTime: SINCE,
    })),
  },
});
const hook = (name: string, service: string | null, failurePolicy = 'Fail') => ({
  ...object('ValidatingWebhookConfiguration', name),
  webhooks: [
    {
      failurePolicy,
      clientConfig: service === null ? { url: 'https://x' } : { service: { namespace: 'a', name: service } },
    },
  ],
});
const endpoints = (...addresses: readonly object[]) => ({ ...object('Endpoints', 'e'), subsets: [{ addresses }] });

function createCluster(objects: readonly KubeObject[], endpointsByName: Readonly<Record<string, KubeObject>> = {}) {
  const forbidden = toStatusError({ status: 403, text: '{}', retryAfter: null });
  const cluster: Pick<Cluster, 'list' | 'get'> = {
    async list(kind) {
      if (kind === 'MutatingWebhookConfiguration') throw forbidden;
      return objects.filter((each) => each.kind === kind);
    },
    async get(_, name) {
      if (name === 'secret') throw forbidden;
      return endpointsByName[name] ?? null;
    },
  };
  return cluster;
}

test('unhealthy objects are reported with their own messages; healthy and unreadable ones are not', async () => {
  const terminating = { ...object('Namespace', 'old', ['NamespaceContentRemaining', 'True', 'pods. has 1']), spec: {} };
  const found = await findUnhealthyObjects(
    createCluster(
      [
        object(
          'MachineConfigPool',
          'worker',
          ['Degraded', 'True'],
          ['NodeDegraded', 'True', 'Node m1: unexpected on-disk state'],
        ),
        object('MachineConfigPool', 'master', ['Degraded', 'False'], ['Updated', 'True']),
        object('APIService', 'v1beta1.metrics.k8s.io', ['Available', 'False', 'no endpoints']),
        object('APIService', 'v1.ok', ['Available', 'True']),
        { ...object('APIService', 'v1.', ['Available', 'False']), spec: {} },
        object(
          'ClusterVersion',
          'version',
          ['Available', 'True'],
          ['ReleaseAccepted', 'False', 'Retrieving payload failed'],
        ),
        object('Namespace', 'default'),
        { ...terminating, metadata: { name: 'old', deletionTimestamp: SINCE } },
        hook('gone', 'none'),
        hook('empty', 'empty'),
        hook('served', 'served'),
        hook('unknown', 'secret'),
        hook('lenient', 'none', 'Ignore'),
        hook('elsewhere', null),
      ],
      { empty: endpoints(), served: endpoints({ ip: '10.128.0.9' }) },
    ),
  );
  expect(found.map(({ kind, name, message }) => `${kind} ${name}: ${message}`)).toEqual([
    'MachineConfigPool worker: NodeDegraded=True: Node m1: unexpected on-disk state',
    'APIService v1beta1.metrics.k8s.io: Available=False R: no endpoints',
    'Namespace old: NamespaceContentRemaining=True R: pods. has 1',
    'ClusterVersion version: ReleaseAccepted=False R: Retrieving payload failed',
    'Webhook gone: failurePolicy Fail, Service a/none: no endpoints',
    'Webhook empty: failurePolicy Fail, Service a/empty: no endpoints',
  ]);
  expect(found.map(({ since }) => since)).toEqual([...Array(4).fill(Date.parse(SINCE)), null, null]);
});

test('a cordoned node, and whether the Machine Config Operator is updating it', () => {
  const prefix = 'machineconfiguration.openshift.io';
  const observeCordoned = (state: string, desired: string) =>
    toObservedNode({
      ...object('Node', 'm1'),
      metadata: {
        name: 'm1',
        annotations: {
          [`${prefix}/state`]: state,
          [`${prefix}/currentConfig`]: 'a',
          [`${prefix}/desiredConfig`]: desired,
        },
      },
      spec: { unschedulable: true },
    });
  const nodes = [observeCordoned('Done', 'a'), observeCordoned('Working', 'a'), observeCordoned('Done', 'b')];
  expect(nodes.map(({ isCordoned }) => isCordoned)).toEqual([true, true, true]);
  expect(nodes.map(({ isUpdating }) => isUpdating)).toEqual([false, true, true]);
});
