import type { Stage } from '../design/choices.ts';
import type { Design } from '../design/model.ts';
import type { Cluster } from '../kube/api.ts';
import type { Clock } from '../platform/clock.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import type { AuditLog } from '../session/audit-log.ts';
import type { ClusterReader } from './cluster-reader.ts';
import type { MoveChange } from './edit.ts';
import type { BootImages } from './infra-move.ts';
import type { MoveName } from './moves.ts';
import type { UndoLog } from './undo/undo-log.ts';

/** The context of infra moves: a cluster, and its install directory. */
export interface InfraContext {
  readonly design: Design;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Opens a new connection to the API. */
  readonly connect: () => Promise<Cluster>;
  /** The install directory; null where only a design and a kubeconfig were given. */
  readonly directory: InfraDirectory | null;
  /** Records the fields of objects before the wizard writes them; null if nothing is recorded. */
  readonly undoLog: UndoLog | null;
}

/** The parts of an install directory that infra moves use. */
interface InfraDirectory {
  readonly loadBalancers: LoadBalancerFiles;
  readonly resolveEndpoint: ResolveEndpoint;
  readonly auditLog: AuditLog;
  /** Reads which boot images the nodes were installed with; null if the files do not show that. */
  readBootImages(): Promise<BootImages | null>;
  /** Results of this process, for the next probe. */
  readonly cache: InfraCache;
  /** Finds the failure of the last job of infra moves; null if it did not fail while it applied a move. */
  findLastFailure(): MoveFailure | null;
  /** Saves, for the report, how many test requests failed while the move was applied. */
  saveTraffic(move: MoveName, traffic: Traffic): void;
  /** Saves that a move was undone now. */
  saveUndone(move: MoveName): void;
  /** Saves which pods moved during a move, for the report. Applying a move again replaces its earlier transitions. */
  savePodTransitions(move: MoveName, action: 'apply' | 'undo', transitions: readonly PodTransition[]): void;
}

/** The move that a job could not finish. `at`: ms of the clock; null if its end has no time. */
export interface MoveFailure {
  readonly move: MoveName;
  readonly reason: string;
  readonly at: number | null;
}

/** Results of earlier probes, not saved. */
export interface InfraCache {
  /** The reader of the last preflight of the infra moves, and when it read (ms of the clock). */
  preflight: { readonly at: number; readonly clusterReader: ClusterReader } | null;
  /** Results of the simulated user requests during the current or the last infra move. */
  traffic: (Traffic & { readonly move: MoveName }) | null;
}

/** Results of simulated user requests while a move was applied. */
export interface Traffic {
  readonly requests: number;
  readonly failed: number;
  /** The error of the first failed request, as text; null if none failed. */
  readonly failure: string | null;
}

/** A pod that left a node, or became Ready on one. `at`: ms of the clock. */
export interface PodTransition {
  readonly did: 'left' | 'ready';
  readonly pod: string;
  readonly node: string;
  readonly at: number;
}

/** The load balancers' files of an install directory, by stage. */
export interface LoadBalancerFiles {
  /** Whether the files generated last are of this stage or of a later one. */
  hasReachedStage(stage: Stage): boolean;
  /**
   * Plans the changes of a stage.
   * @param previousStage the stage that will have been written before it; omitted: compares with the files on disk
   */
  plan(stage: Stage, previousStage?: Stage): Promise<readonly Pick<MoveChange, 'object' | 'before' | 'after'>[]>;
  /** Writes the files of a stage, and puts them in place on the load balancers. */
  apply(stage: Stage, report: (line: string) => void): Promise<void>;
  /**
   * Finds the running load balancers that have other members than the files generated last, with the commands that put
   * their files in place. `hasOutdatedRecord`: by the session's records, one of them does not have the files generated
   * last.
   */
  findOutdated(): Promise<{
    readonly hosts: readonly string[];
    readonly commands: readonly string[];
    readonly hasOutdatedRecord: boolean;
  }>;
  /** Finds an ingress endpoint that does not answer on port 443, and returns why; null: all answer. */
  findClosedEndpoint(): Promise<string | null>;
  /** Lists the manual steps, if the user puts files in place manually; otherwise empty. */
  listManualSteps(): readonly string[];
}
