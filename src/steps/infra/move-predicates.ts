import type { MoveStatus } from '../../infra/infra-move.ts';
import { MOVES } from '../../infra/moves.ts';
import type { ObservedMove } from '../probe-cache.ts';

/** Whether nothing is to be done: the move is done, or does not apply. */
export function isSatisfied({ state }: Pick<MoveStatus, 'state'>): boolean {
  return state === 'done' || state === 'absent';
}

/** Whether the move was applied, whatever the state of its rollout. */
export function isInPlace({ state }: Pick<MoveStatus, 'state'>): boolean {
  return state === 'done' || state === 'moving' || state === 'failed';
}

/**
 * Whether the move can be undone. In the cluster, undoing missing objects writes nothing, and a partly applied move has
 * to be undone too. The load balancer's files only return from a stage that they have reached.
 */
export function canUndo(move: ObservedMove): boolean {
  const isOfFiles = MOVES.some(({ name, where }) => name === move.name && where === 'files');
  return isOfFiles ? isInPlace(move) : move.state !== 'absent';
}

/** Whether the user is offered to undo it: it was applied, or has begun to write. */
export function isUndoOffered(move: ObservedMove): boolean {
  return canUndo(move) && (isInPlace(move) || move.hasWritten === true);
}

/**
 * Selects the moves that one confirmation starts, in their order, and the first that stops them because it is blocked
 * or failed.
 */
export function selectStartable(moves: readonly ObservedMove[]): {
  readonly started: readonly ObservedMove[];
  readonly stop: ObservedMove | null;
} {
  const end = moves.findIndex(({ state }) => state === 'blocked' || state === 'failed');
  const started = (end < 0 ? moves : moves.slice(0, end)).filter(({ state }) => state === 'needed');
  return { started, stop: moves[end] ?? null };
}
