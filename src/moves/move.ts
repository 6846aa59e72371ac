import type { Design, Stage } from '../design/model.ts';
import type { Kind } from '../objects/kinds.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Edit, MoveChange } from './edit.ts';

/** What moves read the cluster through: the API as it is, or as it will be when earlier moves are made. */
export interface Sight {
  /** Null when there is no such object, or the kind is not served. */
  get(kind: Kind, name: string, namespace?: string): Promise<KubeObject | null>;
  /** Empty when the kind is not served. */
  list(kind: Kind, options?: { readonly namespace?: string }): Promise<readonly KubeObject[]>;
  /** Whether the cluster knows the kind at all. */
  serves(kind: Kind): Promise<boolean>;
}

/**
 * `needed`: apply would write `changes`. `moving`: written, and the operators are at it. `done`: what runs says so.
 * `blocked`: something has to come first. `absent`: the design or the cluster does not have it. `failed`: an operator says so.
 */
export interface MoveState {
  readonly state: 'done' | 'needed' | 'blocked' | 'absent' | 'failed' | 'moving';
  readonly why: string;
  readonly changes: readonly MoveChange[];
}

/** Why there is nothing to do (yet). */
export interface Stopped {
  readonly state: 'blocked' | 'absent';
  readonly why: string;
}

/** What a move wants: edits to be made, one after the other, or why there is nothing to do. */
export type MovePlan = Stopped | { readonly state: 'edits'; readonly edits: readonly Edit[] };

/** What the running thing says after the edits. */
export interface Settled {
  readonly state: 'done' | 'moving' | 'failed';
  readonly why: string;
}

/** What taking back has to wait for. `blocked`: it does not pass by itself. */
export interface Waiting {
  readonly state: 'moving' | 'blocked';
  readonly why: string;
}

/** A part of infra.yaml: objects as the edits make them where nothing of theirs is set, under one comment (English, as all files). */
export interface ManifestPart {
  readonly comment: string;
  readonly edits: readonly Edit[];
}

/** What every move says of itself. */
interface Common<Name extends string> {
  readonly name: Name;
  /** The moves it stands on: made before it, and not taken back before it is. */
  readonly needs: readonly Move[];
  /**
   * Whether the taint waits until it is done, because what it moves (or lets stay) has to tolerate the taint; the taint is
   * then taken back before it, too. A function where that depends on what is there.
   */
  readonly taintWaits: boolean | ((sight: Sight, state: MoveState['state']) => Promise<boolean>);
  /** What has to have happened in the cluster before it is taken back, besides the moves that stand on it; null: nothing. */
  readonly undoWaits: null | ((sight: Sight, design: Design) => Promise<Waiting | null>);
}

/** A move of the cluster's objects. */
export interface ClusterMove<Name extends string = string> extends Common<Name> {
  readonly where: 'cluster';
  /** @param notYet the titles of the moves it needs that are not done; asked only by who does not see it in the cluster */
  plan(sight: Sight, design: Design, notYet: () => Promise<readonly string[]>): Promise<MovePlan>;
  /** Asks what runs, once there is nothing left to write. */
  settled(sight: Sight, design: Design): Promise<Settled>;
  /** Takes the settings back to what the operators do by themselves. */
  undoEdits(sight: Sight, design: Design): Promise<readonly Edit[]>;
  /** Asks what runs after it was taken back: null when it has left. `left` itself is null where there is nothing to wait for. */
  readonly left: null | ((sight: Sight) => Promise<Waiting | null>);
  /** What it is in infra.yaml. */
  manifest(design: Design): readonly ManifestPart[];
}

/** A move of the load balancers' files: to those of a stage, and back to those of the one before. */
export interface FilesMove<Name extends string = string> extends Common<Name> {
  readonly where: 'files';
  readonly stage: Stage;
  readonly stageBefore: Stage;
  isWanted(design: Design): boolean;
}

/** One infra move: everything that is to be known of it. */
export type Move<Name extends string = string> = ClusterMove<Name> | FilesMove<Name>;
