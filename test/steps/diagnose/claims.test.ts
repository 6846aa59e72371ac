import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/openshift/object.ts';
import { listPendingClaims } from '../../../src/steps/diagnose/pending-claims.ts';

const CREATED_AT = '2026-11-22T11:00:00Z';
const claim = (name: string, storageClassName: string | undefined, rest: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop', creationTimestamp: CREATED_AT, ...rest },
  spec: storageClassName === undefined ? {} : { storageClassName },
  status: { phase: 'Pending' },
});
const storageClass = (name: string, rest: object, annotations = {}): KubeObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations },
  provisioner: `${name}.csi`,
  ...rest,
});
const event = (name: string, reason: string, message: string, lastTimestamp: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `${name}.1`, namespace: 'shop' },
  involvedObject: { kind: 'PersistentVolumeClaim', name },
  reason,
  message,
  lastTimestamp,
});
const CLASSES = [
  storageClass('now', { volumeBindingMode: 'Immediate' }, { 'storageclass.kubernetes.io/is-default-class': 'true' }),
  storageClass('later', { volumeBindingMode: 'WaitForFirstConsumer' }),
];
const SELECTED_NODE = { annotations: { 'volume.kubernetes.io/selected-node': 'w1' } };

test('a claim waits for its provisioner if its class binds at once or a pod needs it; without a pod it waits for none', () => {
  const claims = [
    claim('named', 'now'),
    claim('default', undefined),
    claim('none', ''),
    claim('nobody', 'later'),
    claim('wanted', 'later', SELECTED_NODE),
    claim('strange', 'gone'),
    { ...claim('bound', 'now'), status: { phase: 'Bound' } },
    claim('leaving', 'now', { deletionTimestamp: CREATED_AT }),
  ];
  expect(listPendingClaims(claims, CLASSES).map(({ name, provisioner }) => `${name} ${provisioner}`)).toEqual([
    'shop/named now.csi',
    'shop/default now.csi',
    'shop/none null',
    'shop/nobody null',
    'shop/wanted later.csi',
    'shop/strange null',
  ]);
  expect(listPendingClaims([claim('named', 'now')]).map(({ provisioner }) => provisioner)).toEqual([null]);
});

test('a provisioning failure takes precedence over a waiting event; events of other claims are ignored', () => {
  const events = [
    event('named', 'ProvisioningFailed', 'failed to provision volume with StorageClass "now":\n rpc error', CREATED_AT),
    event('named', 'ExternalProvisioning', 'Waiting for a volume', '2026-11-22T11:05:00Z'),
    event('other', 'ProvisioningFailed', 'not ours', '2026-11-22T11:06:00Z'),
  ];
  const [pending] = listPendingClaims([claim('named', 'now')], CLASSES, events);
  expect(pending).toMatchObject({
    storageClass: 'now',
    since: Date.parse(CREATED_AT),
    lastEvent: 'ProvisioningFailed: failed to provision volume with StorageClass "now": rpc error',
  });
});
