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

/**
 * Whether a blocked move is no obstacle: one before it is still to be made or under way, and moves are made in order.
 * @param moves all moves of the look, in their order
 */
export function isLater(seen: SeenMove, moves: readonly SeenMove[]): boolean {
  const before = moves.slice(
    0,
    moves.findIndex(({ name }) => name === seen.name),
  );
  return seen.state === 'blocked' && before.some(({ state }) => state === 'needed' || state === 'moving');
}
