/** What a person reads of each cause, under the id of its rule. */
import { clusterCauses } from './causes/cluster.ts';
import { machineCauses } from './causes/machines.ts';
import { networkCauses } from './causes/network.ts';
import { serviceCauses } from './causes/services.ts';
import { stateCauses } from './causes/state.ts';

export const causes = { ...serviceCauses, ...networkCauses, ...machineCauses, ...clusterCauses, ...stateCauses };
