import type { Design } from '../design/model.ts';
import { type OperatorView, operatorView } from '../objects/operator.ts';
import type { Sight } from './sight.ts';

/** A Deployment or StatefulSet that should run on the infra nodes. */
export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  /** It may be missing (telemetry disabled). */
  readonly isOptional?: boolean;
  /** As many as we requested; the operator may not have applied that yet. */
  readonly replicas?: number;
}

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

/** How the operator of a move is; null where the cluster has none, or does not tell. */
export async function operatorOf(sight: Sight, { operator }: Carried): Promise<OperatorView | null> {
  if (typeof operator === 'function') return await operator(sight);
  const found = await sight.get('ClusterOperator', operator);
  return found && operatorView(found);
}
