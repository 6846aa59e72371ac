import type { Cluster } from '../../cluster/api.ts';
import type { Written } from '../../cluster/infra/edit.ts';
import type { Hold } from '../../cluster/infra/run.ts';
import type { Design } from '../../design/model.ts';
import type { MoveChange } from '../../moves/edit.ts';
import type { Foresight } from '../../moves/foresight.ts';
import type { Move, MoveState, Waiting } from '../../moves/move.ts';
import type { MoveName } from '../../moves/table.ts';
import type { OperatorView } from '../../objects/operator.ts';
import type { Clock } from '../../ports/clock.ts';
import { beforeFile, linesFile } from '../../session/lines-file.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import type { SeenMove } from '../recollection.ts';
import { openCluster } from '../shared/access.ts';
import { type BeforeLog, beforeLog } from './before-log.ts';
import type { UndoConsent, UndoPlan } from './undo.ts';

/** The site of moves: a cluster, and the files of its install directory. */
export interface MoveSite {
  readonly design: Design;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Opens the API anew. */
  readonly connect: () => Promise<Cluster>;
  /** The install directory with the load balancers' files; null where there is none. */
  readonly context: StepContext | null;
  /** What objects had before our writes; null where it is written down nowhere. */
  readonly log: BeforeLog | null;
}

/** One move on its site, on either side: the cluster's objects or the load balancers' files. */
export interface Side {
  /** @param ahead the cluster after earlier moves, to plan on; left out: as it is now */
  probe(ahead?: Foresight): Promise<MoveState>;
  /**
   * Writes what is missing; nothing when all is in place.
   * @param check sees each change before it is written, and throws to stop it
   * @param hold waits between writes for what those before have set in motion; left out: nothing is waited for
   * @throws TroubleError
   */
  apply(tell: (what: Written | string) => void, check?: (change: MoveChange) => void, hold?: Hold): Promise<void>;
  /** What undoing it would do; null where there is nothing of it. @param toDefaults also where nothing is written down */
  planUndo(toDefaults: boolean): Promise<UndoPlan | null>;
  /** @returns the objects that stay as they are, because others changed them since. @throws TroubleError */
  /** How the operator is that carries the move out; null where the cluster has none. */
  operator(): Promise<OperatorView | null>;
  undo(tell: (what: Written | string) => void, consent: UndoConsent): Promise<readonly string[]>;
  /** Empties what undo is going to delete, as far as it was agreed to. @returns the names; null: nothing has to be empty */
  empty(tell: (what: Written | string) => void, consent: UndoConsent): Promise<readonly string[] | null>;
  /** After that: what still has to leave; null: nothing. */
  emptied(names: readonly string[]): Promise<Waiting | null>;
  /** What must happen before it can be taken back; null: nothing. */
  undoWaits(): Promise<Waiting | null>;
  /** After taking it back: what still has to leave; null: nothing. */
  left(): Promise<Waiting | null>;
  /** What a person does, where a person puts files in place. */
  readonly byHand: readonly string[];
}

/** Looks at a move. */
export type Look = (move: Move<MoveName>) => Promise<SeenMove>;

/** The site of an install directory. */
export function siteOf(context: StepContext): MoveSite {
  const { design, clock, signal } = context;
  const connect = async () => {
    const cluster = await openCluster(context);
    if (cluster === null) throw new TroubleError({ code: 'move-failed', ...catalogue().steps.infra.noCluster });
    return cluster;
  };
  return { design, clock, signal, connect, context, log: beforeLog(linesFile(beforeFile(context.dir))) };
}
