import type { ObservedCluster } from '../../checks/rules/evidence.ts';
import { getField, getString, getTime, type KubeObject, parseEvent } from '../../openshift/object.ts';

type PendingClaims = NonNullable<ObservedCluster['pendingClaims']>;

const DEFAULT_CLASS_ANNOTATION = /^storageclass(?:\.beta)?\.kubernetes\.io\/is-default-class$/;
/** Set when the scheduler has chosen a node for the first pod of the claim: the volume has to be created now. */
const SELECTED_NODE_ANNOTATION = 'volume.kubernetes.io/selected-node';
/** Event reasons of the volume controller and of the provisioners. */
const PROVISIONING_REASON = /^(?:Provisioning|ExternalProvisioning)/;

/**
 * Lists the PersistentVolumeClaims that are not bound and not being deleted.
 * @param storageClasses null: not known
 * @param events those of these claims, as far as they can be read
 */
export function listPendingClaims(
  claims: readonly KubeObject[],
  storageClasses: readonly KubeObject[] | null = null,
  events: readonly KubeObject[] = [],
): PendingClaims {
  return claims
    .filter(
      ({ status, metadata }) => getString(status, 'phase') !== 'Bound' && metadata.deletionTimestamp === undefined,
    )
    .map((claim) => {
      const { namespace = '', name } = claim.metadata;
      const className = getField(claim.spec, 'storageClassName');
      const storageClass = typeof className === 'string' && className !== '' ? className : null;
      return {
        name: `${namespace}/${name}`,
        storageClass,
        provisioner: className === '' ? null : findProvisioner(claim, storageClass, storageClasses ?? []),
        since: getTime(claim.metadata, 'creationTimestamp'),
        lastEvent: findLastEvent(claim, events),
      };
    });
}

/**
 * Finds the provisioner that has to create the volume now. Null if the StorageClass is unknown, or waits for a first
 * pod that uses the claim.
 */
function findProvisioner(
  claim: KubeObject,
  storageClass: string | null,
  classes: readonly KubeObject[],
): string | null {
  const matchingClass = classes.find(({ metadata: { name, annotations = {} } }) =>
    storageClass === null
      ? Object.entries(annotations).some(([key, value]) => DEFAULT_CLASS_ANNOTATION.test(key) && value === 'true')
      : name === storageClass,
  );
  const waitsForPod = getString(matchingClass, 'volumeBindingMode') === 'WaitForFirstConsumer';
  if (
    matchingClass === undefined ||
    (waitsForPod && claim.metadata.annotations?.[SELECTED_NODE_ANNOTATION] === undefined)
  )
    return null;
  return getString(matchingClass, 'provisioner');
}

function findLastEvent({ metadata }: KubeObject, events: readonly KubeObject[]): string {
  const claimEvents = events
    .map(parseEvent)
    .filter(
      ({ namespace, object }) =>
        namespace === metadata.namespace && object === `PersistentVolumeClaim/${metadata.name}`,
    )
    .filter(({ reason }) => PROVISIONING_REASON.test(reason))
    .sort((a, b) => (a.lastSeenAt ?? 0) - (b.lastSeenAt ?? 0));
  // A failure says more than a wait.
  const lastEvent = claimEvents.findLast(({ reason }) => reason === 'ProvisioningFailed') ?? claimEvents.at(-1);
  return lastEvent === undefined ? '' : `${lastEvent.reason}: ${lastEvent.message.replace(/\s+/g, ' ')}`;
}
