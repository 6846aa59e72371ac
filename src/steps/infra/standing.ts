import type { MoveState } from '../../moves/move.ts';
import { MOVES } from '../../moves/table.ts';
import type { SeenMove } from '../recollection.ts';

/** Nothing is to be done: the move is done, or the design does not want it. */
export function isThere({ state }: Pick<MoveState, 'state'>): boolean {
  return state === 'done' || state === 'absent';
}

/** The move was made, whether or not what runs has followed. */
export function isInPlace({ state }: Pick<MoveState, 'state'>): boolean {
  return state === 'done' || state === 'moving' || state === 'failed';
}

/**
 * Whether the move can be undone. In the cluster, undoing what is not there writes nothing, and what is only partly there has
 * to go too. The load balancer's files only go back from a stage that they have reached.
 */
export function isToUndo(seen: SeenMove): boolean {
  const isOfFiles = MOVES.some(({ name, where }) => name === seen.name && where === 'files');
  return isOfFiles ? isInPlace(seen) : seen.state !== 'absent';
}

/** Whether a person is offered to undo it: it was made, or has begun to write. */
export function isOffered(seen: SeenMove): boolean {
  return isToUndo(seen) && (isInPlace(seen) || seen.hasWritten === true);
}

/** The moves that one yes starts, in their order, and the first that stops them: it is blocked, or failed. */
export function startedWith(moves: readonly SeenMove[]): {
  readonly started: readonly SeenMove[];
  readonly stop: SeenMove | null;
} {
  const end = moves.findIndex(({ state }) => state === 'blocked' || state === 'failed');
  const started = (end < 0 ? moves : moves.slice(0, end)).filter(({ state }) => state === 'needed');
  return { started, stop: moves[end] ?? null };
}
