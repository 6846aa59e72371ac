import type { Design } from '../design/model.ts';
import { type OperatorView, operatorView } from '../openshift/operator.ts';
import type { ClusterReader } from './cluster-reader.ts';

/** A Deployment or StatefulSet that should run on the infra nodes. */
export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  /** It may be missing (telemetry is disabled). */
  readonly isOptional?: boolean;
  /** The number that we requested; the operator may not have applied it yet. */
  readonly replicas?: number;
}

/** The operator that rolls a move out, and the workloads that it moves. */
export interface RolloutTarget {
  /** The ClusterOperator that must work for it, or a function that combines the operators of OperatorHub. */
  readonly operator: string | ((reader: ClusterReader) => Promise<OperatorView | null>);
  /** The move may make the operator healthy. */
  readonly canFixOperator?: true;
  /** The workloads whose pods go to the infra nodes. */
  readonly workloads?: (reader: ClusterReader, design: Design) => Promise<readonly Workload[]>;
  /** The storage class that the design names for it. */
  readonly storageClass?: (design: Design) => string | null;
}

/** Reads the operator of a move; null where the cluster has none, or does not report it. */
export async function readOperator(reader: ClusterReader, { operator }: RolloutTarget): Promise<OperatorView | null> {
  if (typeof operator === 'function') return await operator(reader);
  const found = await reader.get('ClusterOperator', operator);
  return found && operatorView(found);
}
