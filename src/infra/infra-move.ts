import type { Stage } from '../design/choices.ts';
import type { Design } from '../design/model.ts';
import type { KubeObject } from '../openshift/object.ts';
import { type OperatorView, parseClusterOperator } from '../openshift/operator.ts';
import type { ClusterReader, PendingReason } from './cluster-reader.ts';
import type { Edit, MoveChange } from './edit.ts';
import type { PendingPod } from './pending-pod.ts';

/**
 * Status of one infra move. `needed`: apply would write `changes`. `moving`: written, and operators roll it out.
 * `done`: the running workloads confirm it. `blocked`: something else must come first. `absent`: the design or the
 * cluster does not have it. `failed`: an operator reports it.
 */
export interface MoveStatus {
  readonly state: 'done' | 'needed' | 'blocked' | 'absent' | 'failed' | 'moving';
  readonly why: string;
  readonly changes: readonly MoveChange[];
  /** Sentences about what the move leaves alone or repels; they are in `why`, too. Absent if there are none. */
  readonly notes?: readonly string[];
  /** The word that the user types to confirm the move; absent if yes is enough. */
  readonly confirmationWord?: string;
  /** A pod of the move that no node accepts, or that may not leave its node; absent if none is known. */
  readonly pending?: PendingPod;
}

/** Why there is nothing to do (yet). */
export interface NotApplicable {
  readonly state: 'blocked' | 'absent';
  readonly why: string;
}

/** The plan of a move: edits in order, or why there is nothing to do. */
type MovePlan =
  | NotApplicable
  | {
      readonly state: 'edits';
      readonly edits: readonly Edit[];
      /** Sentences about what the move leaves alone, and why; absent if there are none. */
      readonly notes?: readonly string[];
      /** The word that the user types to confirm a possible loss, which `notes` explains. */
      readonly confirmationWord?: string;
      /** A pod that may not leave its node yet; absent if none is known. */
      readonly pending?: PendingPod;
      /** Nodes that will appear because of the edits: later moves are planned with them. */
      readonly expectedNodes?: readonly KubeObject[];
    };

/** Facts that a plan cannot read from the cluster. */
export interface PlanFacts {
  /** Lists the titles of the needed moves that are not done. */
  readonly listUnfinished: () => Promise<readonly string[]>;
  /** Reads which boot images the nodes were installed with; null if that is not known. */
  readonly readBootImages: () => Promise<BootImages | null>;
}

/** The boot images of an install directory, checked against the installer that names them. */
export interface BootImages {
  /** The build of RHCOS or SCOS: `9.6.20260423-0`. */
  readonly build: string;
  /** The release of the installer: `4.22.3`. */
  readonly release: string;
}

/** Rollout of the running workloads after the edits. */
export interface RolloutStatus {
  readonly state: 'done' | 'moving' | 'failed';
  readonly why: string;
  /** A pod that no node accepts; absent if none is known. */
  readonly pending?: PendingPod;
}

/**
 * A part of infra.yaml: the objects that the edits produce on a fresh cluster, under one comment (English, as in all
 * files).
 */
export interface ManifestPart {
  readonly comment: string;
  readonly edits: readonly Edit[];
}

/** Fields of every move. */
interface MoveBase<Name extends string> {
  readonly name: Name;
  /** The moves that it depends on: applied before it, and undone after it. */
  readonly needs: readonly InfraMove[];
  /**
   * Whether the taint must wait for this move, because the pods that it moves (or keeps) must tolerate the taint. Undo
   * then removes the taint first, too. A function if that depends on the cluster.
   */
  readonly mustPrecedeTaint: boolean | ((cluster: ClusterReader, state: MoveStatus['state']) => Promise<boolean>);
  /** Whether the move is the taint, which also depends on all moves with `mustPrecedeTaint`. */
  readonly isTaint?: true;
  /**
   * Finds what undo waits for in the cluster, besides the moves that depend on this one. Resolves to null once there is
   * nothing left to wait for. The property is null if undo never waits.
   */
  readonly findUndoBlocker: null | ((cluster: ClusterReader, design: Design) => Promise<PendingReason | null>);
}

/** An infra move that edits objects of the cluster. */
export interface ClusterMove<Name extends string = string> extends MoveBase<Name> {
  readonly where: 'cluster';
  /** The operator that rolls it out, and the workloads that it moves; null: no operator does. */
  readonly rolloutTarget: RolloutTarget | null;
  plan(cluster: ClusterReader, design: Design, facts: PlanFacts): Promise<MovePlan>;
  /** Probes the running workloads, once there is nothing left to write. */
  probeRollout(cluster: ClusterReader, design: Design): Promise<RolloutStatus>;
  /** Plans the edits that restore the operators' defaults. */
  planUndoEdits(cluster: ClusterReader, design: Design): Promise<readonly Edit[]>;
  /**
   * Probes the running workloads after undo; resolves to null when they have left. The property is null if undo does
   * not wait for them.
   */
  readonly untilPodsGone: null | ((cluster: ClusterReader, design: Design) => Promise<PendingReason | null>);
  /**
   * Empties an object that the move created, before undo deletes it: a MachineSet is scaled to zero. `untilDrained`
   * resolves to null when nothing is left to wait for. @param record the object of the undo record
   */
  readonly drainBeforeDelete?: {
    readonly edit: (record: Pick<Edit, 'kind' | 'namespace' | 'name'>) => Edit;
    readonly untilDrained: (cluster: ClusterReader, names: readonly string[]) => Promise<PendingReason | null>;
  };
  /**
   * Whether the template of a MachineSet already sets what this move sets. @param template `spec.template.spec` of the
   * set
   */
  readonly isSetByMachineSet?: (template: unknown, design: Design) => boolean;
  /**
   * The move evicts no pod. If it was in place before our writes, the moves that it depends on can be undone while it
   * stays.
   */
  readonly evictsNothing?: true;
  /** Builds the move's part of infra.yaml. */
  buildManifest(design: Design): readonly ManifestPart[];
}

/**
 * An infra move that replaces the load balancers' files with those of its stage; undo replaces them with those of the
 * previous stage.
 */
export interface FilesMove<Name extends string = string> extends MoveBase<Name> {
  readonly where: 'files';
  readonly stage: Stage;
  readonly previousStage: Stage;
  isInDesign(design: Design): boolean;
}

/** An infra move: it edits objects of the cluster, or replaces the files of the load balancers. */
export type InfraMove<Name extends string = string> = ClusterMove<Name> | FilesMove<Name>;

/** A Deployment or StatefulSet that should run on the infra nodes. */
export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  /** Whether the workload may be missing (for example, if telemetry is disabled). */
  readonly isOptional?: boolean;
  /** The number that we requested; the operator may not have applied it yet. */
  readonly replicas?: number;
}

/** The operator that rolls a move out, and the workloads that it moves. */
export interface RolloutTarget {
  /** The ClusterOperator that must be healthy, or a function that combines the operators of OperatorHub. */
  readonly operator: string | ((reader: ClusterReader) => Promise<OperatorView | null>);
  /** The move may make the operator healthy. */
  readonly canFixOperator?: true;
  /** Lists the workloads whose pods go to the infra nodes. */
  readonly workloads?: (reader: ClusterReader, design: Design) => Promise<readonly Workload[]>;
  /** The operator rolls out a DaemonSet with a pod on every node. */
  readonly needsEveryNode?: true;
  /** Returns the StorageClass that the design names for the move; null if it names none. */
  readonly storageClass?: (design: Design) => string | null;
}

/** Reads the operator of a move; null where the cluster has none, or does not report it. */
export async function readOperator(reader: ClusterReader, { operator }: RolloutTarget): Promise<OperatorView | null> {
  if (typeof operator === 'function') return await operator(reader);
  const operatorObject = await reader.get('ClusterOperator', operator);
  return operatorObject && parseClusterOperator(operatorObject);
}
