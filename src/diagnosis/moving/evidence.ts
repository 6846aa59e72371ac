import type { Taint } from '../../objects/node.ts';
import type { OperatorView } from '../../objects/operator.ts';
import type { Room } from '../../objects/room.ts';

/** What is looked at before an infra move. Null, everywhere: it could not be looked at. */
export interface MovingEvidence {
  /** The operator that carries the move out. */
  readonly operator: OperatorView | null;
  /** It comes from OperatorHub: no ClusterOperator tells of it. */
  readonly isOfHub: boolean;
  /** The move may be what makes the operator healthy. */
  readonly isCure: boolean;
  /** What the ClusterVersion says while it updates; `at-rest` while it does not. */
  readonly update: { readonly said: string } | 'at-rest' | null;
  /** The pools that infra nodes are in, or are going to be in. */
  readonly pools: readonly PoolState[] | null;
  readonly infra: readonly InfraNode[] | null;
  /** Nodes with the label of infra nodes that nobody planned as such, and that take what moves. */
  readonly strays: readonly string[] | null;
  /** What the pods ask for that go to the infra nodes with this move, and with those before it. */
  readonly moving: readonly Room[] | null;
  /** The storage class that the design names; undefined where it names none. */
  readonly storageClass: { readonly name: string; readonly provisioner: string } | null | undefined;
  /** The PodDisruptionBudgets over what moves that allow no disruption now. */
  readonly tightBudgets: readonly string[] | null;
}

export interface PoolState {
  readonly name: string;
  readonly isPaused: boolean;
  readonly isUpdating: boolean;
  /** What it says while it is degraded; null while it is not. */
  readonly degraded: string | null;
  /** A drain of one of its nodes that a budget holds up, in a sentence; empty: none is known. */
  readonly held: string;
}

export interface InfraNode {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  /** Its taints that what moves does not tolerate, NoSchedule or NoExecute; a cordon is none. */
  readonly repelling: readonly Taint[];
  /** What its pods leave of what it has. */
  readonly free: Room | null;
}
