import { lbAdd } from '../../moves/networking/lb-add.ts';
import type { Change, StepContext } from '../contract.ts';
import { applyStage, stageChanges } from '../shared/hosts/load-balancer.ts';
import { filesProgress } from './files-side.ts';

// Infra nodes are compute nodes at first: a router may land on one before the moves, and must be reachable there. So lb-add is
// made when they join. Nobody waits for the load balancer then: no router runs yet.

/** Whether the load balancer does not know the infra nodes yet, although the bootstrap is out of it. */
export function isBalancerBehind(context: StepContext): boolean {
  return filesProgress(context, lbAdd) === 'due';
}

/** What lb-add changes on the load balancers; empty when it is not due. */
export async function balancerChanges(context: StepContext): Promise<Change[]> {
  return isBalancerBehind(context) ? await stageChanges(context, lbAdd.stage) : [];
}

/** Makes lb-add when it is due, without waiting for the load balancers. */
export async function addToBalancer(context: StepContext, report: (line: string) => void): Promise<void> {
  if (isBalancerBehind(context)) await applyStage(context, lbAdd.stage, report);
}
