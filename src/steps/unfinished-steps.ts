import { listNodesWithRole } from '../design/derived-facts.ts';
import type { Design } from '../design/model.ts';
import type { StepId } from './contract.ts';
import { getCurrentStage } from './shared/hosts/current-stage.ts';
import { listWorkerMachines, wasEverReady } from './shared/machines/node-facts.ts';
import type { StepState } from './step-state.ts';

/**
 * Lists the steps that other facts of a session show as not done. Sessions of earlier versions do not record which
 * steps were skipped.
 */
export function deriveUnfinishedSteps(design: Design, stepState: StepState): readonly StepId[] {
  const hasBootstrap = listNodesWithRole(design, 'bootstrap').length > 0;
  const isBootstrapIncluded = hasBootstrap && getCurrentStage({ stepState }) === 'install';
  const isNodeMissing = listWorkerMachines(design).some(({ name }) => !wasEverReady({ stepState }, name));
  return [
    ...(isBootstrapIncluded ? ['bootstrap-removal' as const] : []),
    ...(isNodeMissing ? ['certificates' as const] : []),
  ];
}
