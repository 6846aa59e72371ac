import { check } from '../rule.ts';
import type { MoveCheckEvidence } from './evidence.ts';

/**
 * During an update of OpenShift, operators and nodes restart on their own: two changes at once hide each other's
 * faults.
 */
export const update = check<MoveCheckEvidence, 'move-update'>('move-update', 'fatal', ({ update: status }) => {
  if (status === null) return { state: 'unknown' };
  return status === 'at-rest' ? { state: 'ok' } : { state: 'failed', detail: status.message };
});
