import type { Design } from '../design/model.ts';
import { type OperatorView, operatorView } from '../objects/operator.ts';
import { loggingOperators, loggingWorkloads } from './logging-found.ts';
import { monitoringWorkloads } from './monitoring.ts';
import type { Sight } from './move.ts';
import { CHECK_SOURCE } from './network-diagnostics.ts';
import { REGISTRY } from './registry-place.ts';
import type { Workload } from './rollout.ts';
import { movedRouters } from './routers.ts';
import type { MoveName } from './table.ts';
import { USER_WORKLOADS } from './user-workload.ts';

/** Who carries a move out, and what it moves. */
export interface Carried {
  /** The ClusterOperator that has to work for it, or the operators of OperatorHub's as one. */
  readonly operator: string | ((sight: Sight) => Promise<OperatorView | null>);
  /** The move may be what makes the operator healthy. */
  readonly isCure?: true;
  /** The workloads whose pods go to the infra nodes. */
  readonly workloads?: (sight: Sight, design: Design) => Promise<readonly Workload[]>;
  /** The storage class that the design names for it. */
  readonly storageClass?: (design: Design) => string | null;
}

const CARRIED: Readonly<Partial<Record<MoveName, Carried>>> = {
  pool: { operator: 'machine-config' },
  dns: { operator: 'dns' },
  router: { operator: 'ingress', workloads: movedRouters },
  'registry-storage': {
    operator: 'image-registry',
    // Without storage the registry is degraded until this move gives it some.
    isCure: true,
    workloads: async () => [REGISTRY],
    storageClass: ({ infra }) => (infra.registry.storage === 'pvc' ? infra.registry.storageClass : null),
  },
  registry: { operator: 'image-registry', isCure: true, workloads: async () => [REGISTRY] },
  monitoring: {
    operator: 'monitoring',
    workloads: monitoringWorkloads,
    storageClass: ({ infra }) => infra.monitoring.storageClass,
  },
  logging: { operator: loggingOperators, workloads: loggingWorkloads },
  'network-diagnostics': { operator: 'network', workloads: async () => [CHECK_SOURCE] },
  'user-workload': { operator: 'monitoring', workloads: async () => USER_WORKLOADS },
};

/** How the operator of a move is; null where the cluster has none, or does not tell. */
export async function operatorOf(sight: Sight, { operator }: Carried): Promise<OperatorView | null> {
  if (typeof operator === 'function') return await operator(sight);
  const found = await sight.get('ClusterOperator', operator);
  return found && operatorView(found);
}

/** Who carries the move out; null where no operator does. */
export function carriedBy(name: MoveName): Carried | null {
  return CARRIED[name] ?? null;
}
