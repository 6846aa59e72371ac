/** Texts of every diagnostic rule, by the id of the rule. */
import { clusterCauses } from './causes/cluster.ts';
import { machineCauses } from './causes/machines.ts';
import { networkCauses } from './causes/network.ts';
import { serviceCauses } from './causes/services.ts';
import { stateCauses } from './causes/state.ts';

export const causes = { ...serviceCauses, ...networkCauses, ...machineCauses, ...clusterCauses, ...stateCauses };
