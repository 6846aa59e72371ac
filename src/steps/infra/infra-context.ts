import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import type { PendingReason } from '../../infra/cluster-reader.ts';
import type { MoveChange } from '../../infra/edit.ts';
import {
  type ExistingCluster,
  readExistingCluster as find,
  type PlannedCluster,
} from '../../infra/existing-cluster.ts';
import type { InfraMove, MoveStatus } from '../../infra/infra-move.ts';
import type { MoveName } from '../../infra/moves.ts';
import { createClusterReader, type EditResult, type PendingWaiter } from '../../infra/send-edits.ts';
import type { Cluster } from '../../kube/api.ts';
import type { OperatorView } from '../../openshift/operator.ts';
import type { Clock } from '../../platform/clock.ts';
import { openNdjsonFile, undoRecordFile } from '../../session/ndjson-file.ts';
import type { StepContext } from '../contract.ts';
import type { ObservedMove } from '../probe-cache.ts';
import { openCluster } from '../shared/cluster-access.ts';
import { createUndoLog, type UndoConsent, type UndoLog, type UndoPlan } from './undo.ts';

/** The context of infra moves: a cluster, and the files of its install directory. */
export interface InfraContext {
  readonly design: Design;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Opens a new connection to the API. */
  readonly connect: () => Promise<Cluster>;
  /** The install directory with the load balancers' files; null where there is none. */
  readonly context: StepContext | null;
  /** Records what objects had before the wizard's writes; null if nothing is recorded. */
  readonly log: UndoLog | null;
}

/** Executes one move, on the objects of the cluster or on the files of the load balancers. */
export interface MoveExecutor {
  /** @param planned the cluster after earlier moves; left out: as it is now */
  probe(planned?: PlannedCluster): Promise<MoveStatus>;
  /**
   * Applies the missing edits; nothing if everything is in place.
   * @param check gets each change before it is written, and throws to stop it
   * @param waitWhilePending waits between writes until the earlier ones are rolled out; left out: no waiting
   * @throws UserErrorException
   */
  apply(
    onWrite: (what: EditResult | string) => void,
    check?: (change: MoveChange) => void,
    waitWhilePending?: PendingWaiter,
  ): Promise<void>;
  /** Plans the undo; null if there is nothing to undo. @param toDefaults whether to plan it without records as well */
  planUndo(toDefaults: boolean): Promise<UndoPlan | null>;
  /** Reads the operator that rolls the move out; null if the cluster has none. */
  getOperator(): Promise<OperatorView | null>;
  /**
   * Undoes the move as far as confirmed.
   * @returns the objects that stay as they are, because others changed them since
   * @throws UserErrorException
   */
  undo(onWrite: (what: EditResult | string) => void, consent: UndoConsent): Promise<readonly string[]>;
  /**
   * Drains the objects that undo is going to delete, as far as confirmed. @returns their names; null if nothing needs a
   * drain
   */
  drain(onWrite: (what: EditResult | string) => void, consent: UndoConsent): Promise<readonly string[] | null>;
  /** Returns why the drain is not complete; null if it is. */
  untilDrained(names: readonly string[]): Promise<PendingReason | null>;
  /** Returns why the move cannot be undone yet; null if it can. */
  untilUndoable(): Promise<PendingReason | null>;
  /** Returns which pods still remain after the undo; null if they are gone. */
  untilPodsGone(): Promise<PendingReason | null>;
  /** The manual steps, if the user puts files in place by hand; otherwise empty. */
  readonly manualSteps: readonly string[];
}

/** Probes a move. */
export type MoveProbe = (move: InfraMove<MoveName>) => Promise<ObservedMove>;

/** Creates the context of an install directory. */
export function createInfraContext(context: StepContext): InfraContext {
  const { design, clock, signal } = context;
  const connect = async () => {
    const cluster = await openCluster(context);
    if (cluster === null) throw new UserErrorException({ code: 'move-failed', ...catalogue().steps.infra.noCluster });
    return cluster;
  };
  return { design, clock, signal, connect, context, log: createUndoLog(openNdjsonFile(undoRecordFile(context.dir))) };
}

/** Examines a cluster without a design. @throws ClusterError */
export async function findCluster(cluster: Cluster): Promise<ExistingCluster> {
  return await find(createClusterReader(cluster));
}
