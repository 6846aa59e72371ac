import type { Design, Stage } from '../design/model.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Carried } from './carried.ts';
import type { Edit, MoveChange } from './edit.ts';
import type { PendingPod } from './pending.ts';
import type { Sight, Waiting } from './sight.ts';

export type { Sight, Waiting } from './sight.ts';

/**
 * `needed`: apply would write `changes`. `moving`: written, and operators roll it out. `done`: the running workloads confirm it.
 * `blocked`: something else must come first. `absent`: the design or the cluster does not have it. `failed`: an operator reports it.
 */
export interface MoveState {
  readonly state: 'done' | 'needed' | 'blocked' | 'absent' | 'failed' | 'moving';
  readonly why: string;
  readonly changes: readonly MoveChange[];
  /** What it leaves alone or keeps off, in sentences, which are in `why`, too; left out: nothing. */
  readonly says?: readonly string[];
  /** What a person types before it is made; left out: yes is enough. */
  readonly types?: string;
  /** A pod of it that no node takes, or that may not leave its node; left out: none is known. */
  readonly pending?: PendingPod;
}

/** Why there is nothing to do (yet). */
export interface Stopped {
  readonly state: 'blocked' | 'absent';
  readonly why: string;
}

/** The plan of a move: edits in order, or why there is nothing to do. */
export type MovePlan =
  | Stopped
  | {
      readonly state: 'edits';
      readonly edits: readonly Edit[];
      /** What the move leaves alone and why, in sentences; left out: nothing. */
      readonly says?: readonly string[];
      /** What a person types before it is made, because it may lose something; `says` tells what. */
      readonly types?: string;
      /** A pod that may not leave its node yet; left out: none is known. */
      readonly pending?: PendingPod;
      /** Nodes that others will make because of the edits: later moves are planned with them. */
      readonly foreseen?: readonly KubeObject[];
    };

/** State of the running workloads after the edits. */
export interface Settled {
  readonly state: 'done' | 'moving' | 'failed';
  readonly why: string;
  /** A pod that no node takes; left out: none is known. */
  readonly pending?: PendingPod;
}

/** A part of infra.yaml: the objects that the edits produce on a fresh cluster, under one comment (English, as in all files). */
export interface ManifestPart {
  readonly comment: string;
  readonly edits: readonly Edit[];
}

/** Fields of every move. */
interface Common<Name extends string> {
  readonly name: Name;
  /** The moves that it depends on: applied before it, and undone after it. */
  readonly needs: readonly Move[];
  /**
   * Whether the taint waits for this move, because the pods that it moves (or keeps) must tolerate the taint; undo then
   * removes the taint first, too. A function where that depends on the cluster.
   */
  readonly taintWaits: boolean | ((sight: Sight, state: MoveState['state']) => Promise<boolean>);
  /** It is the taint, which depends on all moves with `taintWaits`, too. */
  readonly isTaint?: true;
  /** What else, beside the moves that depend on it, undo waits for in the cluster; null: nothing. */
  readonly undoWaits: null | ((sight: Sight, design: Design) => Promise<Waiting | null>);
}

/** A move of the cluster's objects. */
export interface ClusterMove<Name extends string = string> extends Common<Name> {
  readonly where: 'cluster';
  /** Who carries it out, and what it moves; null: no operator does. */
  readonly carried: Carried | null;
  /** @param notYet titles of needed moves that are not done; only for moves that cannot see it in the cluster */
  plan(sight: Sight, design: Design, notYet: () => Promise<readonly string[]>): Promise<MovePlan>;
  /** Looks at the running workloads, once there is nothing left to write. */
  settled(sight: Sight, design: Design): Promise<Settled>;
  /** The edits that restore the operators' defaults. */
  undoEdits(sight: Sight, design: Design): Promise<readonly Edit[]>;
  /** Looks at the running workloads after undo; resolves to null when they have left. Null itself: nothing to wait for. */
  readonly left: null | ((sight: Sight, design: Design) => Promise<Waiting | null>);
  /**
   * What comes before undo deletes an object that the move made, and what is waited for then (machines that go): `left`
   * resolves to null when nothing is. @param kept the object of the record
   */
  readonly emptying?: {
    readonly edit: (kept: Pick<Edit, 'kind' | 'namespace' | 'name'>) => Edit;
    readonly left: (sight: Sight, names: readonly string[]) => Promise<Waiting | null>;
  };
  /** Whether machines of a MachineSet are born with what it sets. @param template of the set: `spec.template.spec` */
  readonly bornWith?: (template: unknown, design: Design) => boolean;
  /** Where it was there before us, what it depends on may be taken back: no pod leaves its node for that. */
  readonly sendsNobodyAway?: true;
  /** Its part of infra.yaml. */
  manifest(design: Design): readonly ManifestPart[];
}

/** A move of the load balancers' files: to those of a stage, and back to those of the one before. */
export interface FilesMove<Name extends string = string> extends Common<Name> {
  readonly where: 'files';
  readonly stage: Stage;
  readonly stageBefore: Stage;
  isWanted(design: Design): boolean;
}

/** One infra move, with everything about it. */
export type Move<Name extends string = string> = ClusterMove<Name> | FilesMove<Name>;
