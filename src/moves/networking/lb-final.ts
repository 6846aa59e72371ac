import { infraNames } from '../../design/infra-placement.ts';
import type { FilesMove } from '../move.ts';
import { router } from './router.ts';

/** Removes all other nodes from the pools of 80 and 443 when the routers run on the infra nodes. */
export const lbFinal: FilesMove<'lb-final'> = {
  name: 'lb-final',
  where: 'files',
  stage: 'infra-only',
  stageBefore: 'infra-added',
  needs: [router],
  taintWaits: false,
  isWanted: (design) => infraNames(design).length > 0 && design.infra.removeWorkersFromLoadBalancer,
  undoWaits: null,
};
