import { lbAddMove } from '../../infra/moves/lb-add.ts';
import type { PlannedChange, StepContext } from '../contract.ts';
import { applyStage, planStageChanges } from '../shared/hosts/load-balancer.ts';
import { filesProgress } from './load-balancer-executor.ts';

// Infra nodes are compute nodes at first: a router may be scheduled on one before the moves, and must be reachable
// there. So lb-add is applied when they join. Nothing waits for the load balancer then: no router runs yet.

/** Whether the load balancer lacks the infra nodes, although the bootstrap is already removed from it. */
export function isBalancerOutdated(context: StepContext): boolean {
  return filesProgress(context, lbAddMove) === 'due';
}

/** Plans the changes of lb-add on the load balancers; empty if it is not due. */
export async function planBalancerChanges(context: StepContext): Promise<PlannedChange[]> {
  return isBalancerOutdated(context) ? await planStageChanges(context, lbAddMove.stage) : [];
}

/** Applies lb-add if it is due, without waiting for the load balancers. */
export async function addToBalancer(context: StepContext, report: (line: string) => void): Promise<void> {
  if (isBalancerOutdated(context)) await applyStage(context, lbAddMove.stage, report);
}
