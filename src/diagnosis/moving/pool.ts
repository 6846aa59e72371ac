import { catalogue } from '../../i18n/catalogue.ts';
import { check } from '../rule.ts';
import type { MoveCheckEvidence } from './evidence.ts';

/**
 * A paused MachineConfigPool applies nothing, a degraded one stops at a node, and an updating one restarts nodes during
 * the move.
 */
export const pool = check<MoveCheckEvidence, 'move-pool'>('move-pool', 'fatal', ({ pools }) => {
  if (pools === null) return { state: 'unknown' };
  const words = catalogue().diagnosis.moving.pool;
  const wrong = pools.flatMap(({ name, isPaused, isUpdating, degraded, held }) => [
    ...(isPaused ? [words.paused(name)] : []),
    ...(degraded === null ? [] : [words.degraded(name, degraded)]),
    ...(isUpdating && degraded === null ? [words.updating(name, held)] : []),
  ]);
  return wrong.length === 0 ? { state: 'ok' } : { state: 'failed', detail: wrong.join('; ') };
});
