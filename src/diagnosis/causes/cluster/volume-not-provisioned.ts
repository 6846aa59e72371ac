import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { type Clue, cause } from '../cause.ts';

/** A provisioner that runs makes a volume in seconds, and in minutes where the storage is far. */
const LONG = 5 * MINUTE;

/**
 * A claim asks for a class that exists, its volume is wanted now, and nobody makes it. (One whose class binds it with its first
 * pod has no `provisioner` until a pod comes.)
 */
export const volumeNotProvisioned = cause('volume-not-provisioned', 'registry', ({ cluster, now }) =>
  (cluster?.pendingClaims ?? []).flatMap(({ name, storageClass, provisioner, since, said }): Clue[] => {
    if (provisioner === undefined || provisioner === null || now - (since ?? now) < LONG) return [];
    const [namespace = '', claim = ''] = name.split('/');
    const symptom = `${name} Pending, StorageClass ${storageClass ?? 'default'} (${provisioner}): ${said || 'no event'}`;
    return [
      {
        // The provisioner itself says that it failed; that it is silent may have more than one reason.
        likelihood: said?.startsWith('ProvisioningFailed') ? 'certain' : 'likely',
        subject: name,
        symptom,
        command: shell`oc describe pvc -n ${namespace} ${claim}`,
      },
    ];
  }),
);
