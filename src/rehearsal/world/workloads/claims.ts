import { SECOND } from '../../../ports/clock.ts';
import { at, type KubeObject, listAt, textAt, timestamp } from '../../api/objects.ts';
import { noteEvent } from '../events.ts';
import type { Operated } from '../world.ts';
import { PROVISIONER } from './plan-added.ts';

const CLAIMS = 'persistentvolumeclaims';
const BINDING = 8 * SECOND;

/** Binds claims whose storage class exists; the others stay Pending, as in life. */
export function bindClaims(world: Operated): void {
  const { store, clock } = world;
  const classes = store.list('storageclasses.storage.k8s.io');
  const standard = classes.find(
    ({ metadata }) => metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true',
  )?.metadata.name;
  for (const claim of store.list(CLAIMS)) {
    const { namespace = '', name, uid, creationTimestamp } = claim.metadata;
    if (textAt(claim, 'status', 'phase') === 'Bound') continue;
    const className = textAt(claim, 'spec', 'storageClassName') || standard;
    const known = classes.find(({ metadata }) => metadata.name === className);
    if (known !== undefined && !isProvisioned(world)) reportWaiting(world, claim, textAt(known, 'provisioner'));
    if (known === undefined || !isProvisioned(world) || clock.now() < Date.parse(creationTimestamp) + BINDING) {
      if (textAt(claim, 'status', 'phase') === '') {
        store.mutate(CLAIMS, namespace, name, (change) => {
          change.status = { phase: 'Pending' };
        });
      }
      continue;
    }
    const volume = `pvc-${uid}`;
    const storage = textAt(claim, 'spec', 'resources', 'requests', 'storage') || '1Gi';
    const accessModes = listAt(claim, 'spec', 'accessModes');
    if (!store.get('persistentvolumes', null, volume)) {
      store.create('persistentvolumes', {
        metadata: { name: volume },
        spec: {
          capacity: { storage },
          accessModes,
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: className,
          volumeMode: 'Filesystem',
          claimRef: { kind: 'PersistentVolumeClaim', namespace, name, uid },
        },
        status: { phase: 'Bound', lastPhaseTransitionTime: timestamp(clock.now()) },
      });
    }
    store.mutate(CLAIMS, namespace, name, (change) => {
      change.spec = { ...(change.spec as object), volumeName: volume, storageClassName: className };
      change.status = { phase: 'Bound', accessModes, capacity: { storage } };
    });
  }
}

/** Whether somebody makes volumes: where the provisioner runs in the cluster, one of its pods is ready. */
function isProvisioned({ store }: Operated): boolean {
  const [namespace = '', name = ''] = PROVISIONER.split('/');
  const deployment = store.get('deployments.apps', namespace, name);
  return (
    store.get('namespaces', null, namespace) === undefined || Number(at(deployment, 'status', 'readyReplicas') ?? 0) > 0
  );
}

/** The event of the volume controller (pkg/controller/volume/persistentvolume). */
function reportWaiting(world: Operated, claim: KubeObject, provisioner: string): void {
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  const component = 'persistentvolume-controller';
  noteEvent(world, claim, { type: 'Normal', reason: 'ExternalProvisioning', message, component });
}

/** Whether a claim waits for its volume. */
export function hasUnbound({ store }: Operated): boolean {
  return store.list(CLAIMS).some((claim) => textAt(claim, 'status', 'phase') !== 'Bound');
}

/** Whether a claim is there and bound. */
export function isClaimBound(world: Operated, namespace: string, name: string): boolean {
  return textAt(world.store.get(CLAIMS, namespace, name), 'status', 'phase') === 'Bound';
}
