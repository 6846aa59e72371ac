import { SECOND } from '../../../platform/clock.ts';
import { formatTimestamp, getField, getList, getString, type KubeObject } from '../../api/objects.ts';
import { type OperatorContext, recordEvent } from '../world.ts';
import { PROVISIONER_PATH } from './plan.ts';

const CLAIM_RESOURCE = 'persistentvolumeclaims';
const BINDING_DELAY = 8 * SECOND;

/** Binds claims whose storage class exists. The others stay Pending, as in a real cluster. */
export function bindClaims(world: OperatorContext): void {
  const { store, clock } = world;
  const classes = store.list('storageclasses.storage.k8s.io');
  const defaultClass = classes.find(
    ({ metadata }) => metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true',
  )?.metadata.name;
  for (const claim of store.list(CLAIM_RESOURCE)) {
    const { namespace = '', name, uid, creationTimestamp } = claim.metadata;
    if (getString(claim, 'status', 'phase') === 'Bound') continue;
    const className = getString(claim, 'spec', 'storageClassName') || defaultClass;
    const storageClass = classes.find(({ metadata }) => metadata.name === className);
    if (storageClass !== undefined && !canProvision(world))
      reportExternalProvisioning(world, claim, getString(storageClass, 'provisioner'));
    if (
      storageClass === undefined ||
      !canProvision(world) ||
      clock.now() < Date.parse(creationTimestamp) + BINDING_DELAY
    ) {
      if (getString(claim, 'status', 'phase') === '') {
        store.mutate(CLAIM_RESOURCE, namespace, name, (change) => {
          change.status = { phase: 'Pending' };
        });
      }
      continue;
    }
    const volume = `pvc-${uid}`;
    const storage = getString(claim, 'spec', 'resources', 'requests', 'storage') || '1Gi';
    const accessModes = getList(claim, 'spec', 'accessModes');
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
        status: { phase: 'Bound', lastPhaseTransitionTime: formatTimestamp(clock.now()) },
      });
    }
    store.mutate(CLAIM_RESOURCE, namespace, name, (change) => {
      change.spec = { ...(change.spec as object), volumeName: volume, storageClassName: className };
      change.status = { phase: 'Bound', accessModes, capacity: { storage } };
    });
  }
}

/** True if volumes can be provisioned: if the provisioner runs in the cluster, one of its pods must be ready. */
function canProvision({ store }: OperatorContext): boolean {
  const [namespace = '', name = ''] = PROVISIONER_PATH.split('/');
  const deployment = store.get('deployments.apps', namespace, name);
  return (
    store.get('namespaces', null, namespace) === undefined ||
    Number(getField(deployment, 'status', 'readyReplicas') ?? 0) > 0
  );
}

/** Records the event of the volume controller (pkg/controller/volume/persistentvolume). */
function reportExternalProvisioning(world: OperatorContext, claim: KubeObject, provisioner: string): void {
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  const component = 'persistentvolume-controller';
  recordEvent(world, claim, { type: 'Normal', reason: 'ExternalProvisioning', message, component });
}

/** True if any claim is not bound. */
export function hasUnboundClaims({ store }: OperatorContext): boolean {
  return store.list(CLAIM_RESOURCE).some((claim) => getString(claim, 'status', 'phase') !== 'Bound');
}

/** True if a claim exists and is bound. */
export function isClaimBound(world: OperatorContext, namespace: string, name: string): boolean {
  return getString(world.store.get(CLAIM_RESOURCE, namespace, name), 'status', 'phase') === 'Bound';
}
