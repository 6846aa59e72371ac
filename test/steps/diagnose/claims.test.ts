import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/objects/object.ts';
import { claimsSeen } from '../../../src/steps/diagnose/claims.ts';

const MADE = '2026-11-22T11:00:00Z';
const claim = (name: string, storageClassName: string | undefined, rest: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop', creationTimestamp: MADE, ...rest },
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
const SELECTED = { annotations: { 'volume.kubernetes.io/selected-node': 'w1' } };

test('a claim waits for its provisioner where its class makes volumes at once, or a pod wants it: without a pod it waits for nobody', () => {
  const claims = [
    claim('named', 'now'),
    claim('default', undefined),
    claim('none', ''),
    claim('nobody', 'later'),
    claim('wanted', 'later', SELECTED),
    claim('strange', 'gone'),
    { ...claim('bound', 'now'), status: { phase: 'Bound' } },
    claim('leaving', 'now', { deletionTimestamp: MADE }),
  ];
  expect(claimsSeen(claims, CLASSES).map(({ name, provisioner }) => `${name} ${provisioner}`)).toEqual([
    'shop/named now.csi',
    'shop/default now.csi',
    'shop/none null',
    'shop/nobody null',
    'shop/wanted later.csi',
    'shop/strange null',
  ]);
  expect(claimsSeen([claim('named', 'now')]).map(({ provisioner }) => provisioner)).toEqual([null]);
});

test('that its volume could not be made is told before that it is waited for; events of others are not told', () => {
  const events = [
    event('named', 'ProvisioningFailed', 'failed to provision volume with StorageClass "now":\n rpc error', MADE),
    event('named', 'ExternalProvisioning', 'Waiting for a volume', '2026-11-22T11:05:00Z'),
    event('other', 'ProvisioningFailed', 'not ours', '2026-11-22T11:06:00Z'),
  ];
  const [seen] = claimsSeen([claim('named', 'now')], CLASSES, events);
  expect(seen).toMatchObject({
    storageClass: 'now',
    since: Date.parse(MADE),
    said: 'ProvisioningFailed: failed to provision volume with StorageClass "now": rpc error',
  });
});
