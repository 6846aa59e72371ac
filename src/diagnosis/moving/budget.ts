import { check } from '../rule.ts';
import type { MoveCheckEvidence } from './evidence.ts';

/** A PodDisruptionBudget that allows no disruption blocks a drain for ever; a rollout ignores it. */
export const budget = check<MoveCheckEvidence, 'move-budget'>('move-budget', 'warning', ({ tightBudgets }) => {
  if (tightBudgets === null) return { state: 'unknown' };
  return tightBudgets.length === 0 ? { state: 'ok' } : { state: 'failed', detail: tightBudgets.join(', ') };
});
