import { infraNames } from '../../design/infra-placement.ts';
import type { FilesMove } from '../move.ts';
import { routersOnInfra } from './routers.ts';

/** Adds the infra nodes to the pools of 80 and 443 before the routers move there; they stay in them while routers run there. */
export const lbAdd: FilesMove<'lb-add'> = {
  name: 'lb-add',
  where: 'files',
  stage: 'infra-added',
  stageBefore: 'bootstrap-removed',
  needs: [],
  taintWaits: false,
  isWanted: (design) => infraNames(design).length > 0,
  undoWaits: routersOnInfra,
};
