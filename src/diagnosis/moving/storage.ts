import { catalogue } from '../../i18n/catalogue.ts';
import { check } from '../rule.ts';
import type { MoveCheckEvidence } from './evidence.ts';

/**
 * NooBaa's claims create buckets instead of volumes (observed in a user's installation notes: the claim stays Pending).
 */
const BUCKET_PROVISIONER = /\/obc$|\/bucket$/;
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Whether the class can provide volumes. Its existence is a condition of the move itself. */
export const storage = check<MoveCheckEvidence, 'move-storage'>('move-storage', 'fatal', ({ storageClass }) => {
  if (storageClass === undefined) return null;
  if (storageClass === null) return { state: 'unknown' };
  const { name, provisioner } = storageClass;
  return BUCKET_PROVISIONER.test(provisioner)
    ? { state: 'failed', subject: name, detail: provisioner }
    : { state: 'ok', subject: name };
});

/** Without a provisioner, the volumes have to be created manually. */
export const manualVolumes = check<MoveCheckEvidence, 'move-volumes'>('move-volumes', 'warning', ({ storageClass }) =>
  storageClass?.provisioner === NO_PROVISIONER
    ? { state: 'failed', subject: storageClass.name, detail: catalogue().diagnosis.moving.noProvisioner }
    : null,
);
