import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';

/** A running provisioner creates a volume in seconds, or in minutes if the storage is remote. */
const GRACE_PERIOD = 5 * MINUTE;

/**
 * A claim names an existing class and needs its volume now, but no volume is created. (A claim whose class binds it
 * with its first pod has no `provisioner` until a pod uses it.)
 */
export const volumeNotProvisioned = diagnosticRule('volume-not-provisioned', 'registry', ({ cluster, now }) =>
  (cluster?.pendingClaims ?? []).flatMap(({ name, storageClass, provisioner, since, lastEvent }): Symptom[] => {
    if (provisioner === undefined || provisioner === null || now - (since ?? now) < GRACE_PERIOD) return [];
    const [namespace = '', claim = ''] = name.split('/');
    const symptom = `${name} Pending, StorageClass ${storageClass ?? 'default'} (${provisioner}): ${lastEvent || 'no event'}`;
    return [
      {
        // A failure that the provisioner itself reports is certain; its silence may have more than one reason.
        likelihood: lastEvent?.startsWith('ProvisioningFailed') ? 'certain' : 'likely',
        subject: name,
        symptom,
        command: shellCommand`oc describe pvc -n ${namespace} ${claim}`,
      },
    ];
  }),
);
