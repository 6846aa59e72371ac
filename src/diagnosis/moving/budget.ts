import { check } from '../rule.ts';
import type { MovingEvidence } from './evidence.ts';

/** A budget that allows no disruption holds up a drain for ever; a rollout does not ask it. */
export const budget = check<MovingEvidence, 'move-budget'>('move-budget', 'warning', ({ tightBudgets }) => {
  if (tightBudgets === null) return { state: 'unknown' };
  return tightBudgets.length === 0 ? { state: 'ok' } : { state: 'failed', detail: tightBudgets.join(', ') };
});
