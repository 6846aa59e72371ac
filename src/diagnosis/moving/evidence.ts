import type { Taint } from '../../openshift/node.ts';
import type { OperatorView } from '../../openshift/operator.ts';
import type { ResourceAmounts } from '../../openshift/resource-amounts.ts';

/** Evidence before an infra move. Null always means: not readable. */
export interface MoveCheckEvidence {
  /** The operator that rolls the move out. */
  readonly operator: OperatorView | null;
  /** The operator comes from OperatorHub: it has no ClusterOperator. */
  readonly isFromOperatorHub: boolean;
  /** The move may repair an unhealthy operator. */
  readonly canFixOperator: boolean;
  /** The ClusterVersion's message during an update; `at-rest` without an update. */
  readonly update: { readonly message: string } | 'at-rest' | null;
  /** The MachineConfigPools that infra nodes are in, or will be in. */
  readonly pools: readonly PoolStatus[] | null;
  readonly infra: readonly InfraNode[] | null;
  /** Nodes that carry the infra label without being planned as infra nodes, and that accept the relocated pods. */
  readonly unplannedNodes: readonly string[] | null;
  /** Requests of the pods that go to the infra nodes with this move and the earlier ones. */
  readonly podRequests: readonly ResourceAmounts[] | null;
  /** The storage class that the design names; undefined if it names none. */
  readonly storageClass: { readonly name: string; readonly provisioner: string } | null | undefined;
  /** PodDisruptionBudgets of the relocated pods that currently allow no disruption. */
  readonly tightBudgets: readonly string[] | null;
}

/** The state of a MachineConfigPool. */
export interface PoolStatus {
  readonly name: string;
  readonly isPaused: boolean;
  readonly isUpdating: boolean;
  /** The pool's message if it is degraded; null otherwise. */
  readonly degraded: string | null;
  /** A drain in the pool that a PodDisruptionBudget blocks, in a sentence; empty: none known. */
  readonly held: string;
}

/** The state of an infra node. */
export interface InfraNode {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  /** Its taints NoSchedule or NoExecute that the relocated pods do not tolerate, except the taint of a cordon. */
  readonly repelling: readonly Taint[];
  /** Allocatable resources minus the requests of its pods. */
  readonly free: ResourceAmounts | null;
}
