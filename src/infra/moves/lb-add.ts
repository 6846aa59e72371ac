import { infraNodeNames } from '../../design/infra-placement.ts';
import type { FilesMove } from '../infra-move.ts';
import { findRoutersOnInfra } from './routers.ts';

/** Adds the infra nodes to the pools of 80 and 443 before the routers move there; they stay in them while routers run there. */
export const lbAddMove: FilesMove<'lb-add'> = {
  name: 'lb-add',
  where: 'files',
  stage: 'infra-added',
  previousStage: 'bootstrap-removed',
  needs: [],
  mustPrecedeTaint: false,
  isWanted: (design) => infraNodeNames(design).length > 0,
  untilUndoable: findRoutersOnInfra,
};
