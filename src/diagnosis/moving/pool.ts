import { catalogue } from '../../text/catalogue.ts';
import { check } from '../rule.ts';
import type { MovingEvidence } from './evidence.ts';

/** A paused pool applies nothing, a degraded one stops at a node, and one that updates restarts nodes under the move. */
export const pool = check<MovingEvidence, 'move-pool'>('move-pool', 'fatal', ({ pools }) => {
  if (pools === null) return { state: 'unknown' };
  const words = catalogue().diagnosis.moving.pool;
  const wrong = pools.flatMap(({ name, isPaused, isUpdating, degraded, held }) => [
    ...(isPaused ? [words.paused(name)] : []),
    ...(degraded === null ? [] : [words.degraded(name, degraded)]),
    ...(isUpdating && degraded === null ? [words.updating(name, held)] : []),
  ]);
  return wrong.length === 0 ? { state: 'ok' } : { state: 'failed', detail: wrong.join('; ') };
});
