import type { ClusterSeen } from '../../diagnosis/causes/evidence.ts';
import { eventView } from '../../objects/event.ts';
import { at, type KubeObject, textAt, timeAt } from '../../objects/object.ts';

type Claims = NonNullable<ClusterSeen['pendingClaims']>;

const DEFAULT = /^storageclass(?:\.beta)?\.kubernetes\.io\/is-default-class$/;
/** The scheduler has chosen a node for the first pod of the claim: its volume is wanted now. */
const SELECTED = 'volume.kubernetes.io/selected-node';
/** Reasons of the volume controller and of the provisioners. */
const OF_PROVISIONING = /^(?:Provisioning|ExternalProvisioning)/;

/** Claims without a volume. @param classes null: nobody knows them @param events of these claims, as far as they can be read */
export function claimsSeen(
  claims: readonly KubeObject[],
  classes: readonly KubeObject[] | null = null,
  events: readonly KubeObject[] = [],
): Claims {
  return claims
    .filter(({ status, metadata }) => textAt(status, 'phase') !== 'Bound' && metadata.deletionTimestamp === undefined)
    .map((claim) => {
      const { namespace = '', name } = claim.metadata;
      const named = at(claim.spec, 'storageClassName');
      const storageClass = typeof named === 'string' && named !== '' ? named : null;
      return {
        name: `${namespace}/${name}`,
        storageClass,
        provisioner: named === '' ? null : provisionerOf(claim, storageClass, classes ?? []),
        since: timeAt(claim.metadata, 'creationTimestamp'),
        said: lastSaid(claim, events),
      };
    });
}

/** Who has to make the volume now; null: nobody, since there is no such class, or no pod uses the claim yet. */
function provisionerOf(claim: KubeObject, storageClass: string | null, classes: readonly KubeObject[]): string | null {
  const found = classes.find(({ metadata: { name, annotations = {} } }) =>
    storageClass === null
      ? Object.entries(annotations).some(([key, value]) => DEFAULT.test(key) && value === 'true')
      : name === storageClass,
  );
  const waitsForPod = textAt(found, 'volumeBindingMode') === 'WaitForFirstConsumer';
  if (found === undefined || (waitsForPod && claim.metadata.annotations?.[SELECTED] === undefined)) return null;
  return textAt(found, 'provisioner');
}

function lastSaid({ metadata }: KubeObject, events: readonly KubeObject[]): string {
  const own = events
    .map(eventView)
    .filter(
      ({ namespace, object }) =>
        namespace === metadata.namespace && object === `PersistentVolumeClaim/${metadata.name}`,
    )
    .filter(({ reason }) => OF_PROVISIONING.test(reason))
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  // That it failed says more than that it is waited for.
  const last = own.findLast(({ reason }) => reason === 'ProvisioningFailed') ?? own.at(-1);
  return last === undefined ? '' : `${last.reason}: ${last.message.replace(/\s+/g, ' ')}`;
}
