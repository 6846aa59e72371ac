import { catalogue } from '../../text/catalogue.ts';
import { check } from '../rule.ts';
import type { MovingEvidence } from './evidence.ts';

/** NooBaa's claims are for buckets, and back no volume (seen in a user's installation notes: the claim stays Pending). */
const BUCKETS = /\/obc$|\/bucket$/;
const BY_HAND = 'kubernetes.io/no-provisioner';

/** Whether volumes can come of the class. That it exists is the move's own condition. */
export const storage = check<MovingEvidence, 'move-storage'>('move-storage', 'fatal', ({ storageClass }) => {
  if (storageClass === undefined) return null;
  if (storageClass === null) return { state: 'unknown' };
  const { name, provisioner } = storageClass;
  return BUCKETS.test(provisioner)
    ? { state: 'failed', subject: name, detail: provisioner }
    : { state: 'ok', subject: name };
});

/** Without a provisioner, somebody has to have made the volumes. */
export const volumesByHand = check<MovingEvidence, 'move-volumes'>('move-volumes', 'warning', ({ storageClass }) =>
  storageClass?.provisioner === BY_HAND
    ? { state: 'failed', subject: storageClass.name, detail: catalogue().diagnosis.moving.byHand }
    : null,
);
