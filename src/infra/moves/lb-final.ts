import { listInfraNodeNames } from '../../design/infra-placement.ts';
import type { FilesMove } from '../infra-move.ts';
import { routerMove } from './router.ts';

/** Removes all nodes but the infra nodes from the pools of ports 80 and 443 when the routers run on the infra nodes. */
export const lbFinalMove: FilesMove<'lb-final'> = {
  name: 'lb-final',
  where: 'files',
  stage: 'infra-only',
  previousStage: 'infra-added',
  needs: [routerMove],
  mustPrecedeTaint: false,
  isInDesign: (design) => listInfraNodeNames(design).length > 0 && design.infra.removeWorkersFromLoadBalancer,
  findUndoBlocker: null,
};
