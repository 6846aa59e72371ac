import { check } from '../rule.ts';
import type { MovingEvidence } from './evidence.ts';

/** While OpenShift is updated, operators and nodes restart by themselves: two changes at once hide each other's faults. */
export const update = check<MovingEvidence, 'move-update'>('move-update', 'fatal', ({ update: seen }) => {
  if (seen === null) return { state: 'unknown' };
  return seen === 'at-rest' ? { state: 'ok' } : { state: 'failed', detail: seen.said };
});
