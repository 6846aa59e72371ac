import { SECOND } from '../../../ports/clock.ts';
import { listAt, textAt, timestamp } from '../../api/objects.ts';
import type { Operated } from '../world.ts';

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
    const isKnown = classes.some(({ metadata }) => metadata.name === className);
    if (!isKnown || clock.now() < Date.parse(creationTimestamp) + BINDING) {
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

/** Whether a claim is there and bound. */
export function isClaimBound(world: Operated, namespace: string, name: string): boolean {
  return textAt(world.store.get(CLAIMS, namespace, name), 'status', 'phase') === 'Bound';
}
