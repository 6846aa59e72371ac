import type { Stage } from '../../design/choices.ts';
import { listInfraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import type { FilesMove } from '../infra-move.ts';
import { findRoutersOnInfra } from './ingress-controllers.ts';

/** Adds the infra nodes to the pools of ports 80 and 443 before the routers move. Nodes with routers stay in them. */
export const lbAddMove: FilesMove<'lb-add'> = {
  name: 'lb-add',
  where: 'files',
  stage: 'infra-added',
  previousStage: 'bootstrap-removed',
  needs: [],
  mustPrecedeTaint: false,
  isInDesign: (design) => listInfraNodeNames(design).length > 0,
  findUndoBlocker: findRoutersOnInfra,
};

/** Whether the wizard generates the load balancers' files, and the design wants those of this move. */
export function isFilesMoveInDesign(move: FilesMove, design: Design): boolean {
  return move.isInDesign(design) && design.services.loadBalancer.kind !== 'external';
}

/**
 * Derives the progress of a files move from the files generated last. `early`: the files of the move's stage do not
 * contain the bootstrap machine, which is still needed. `due`: they can be written once the needed moves are done.
 */
export function deriveFilesProgress(
  { hasReachedStage }: { readonly hasReachedStage: (stage: Stage) => boolean },
  move: FilesMove,
  design: Design,
): 'unwanted' | 'early' | 'due' | 'written' {
  if (!isFilesMoveInDesign(move, design)) return 'unwanted';
  if (hasReachedStage(move.stage)) return 'written';
  return hasReachedStage('bootstrap-removed') ? 'due' : 'early';
}
