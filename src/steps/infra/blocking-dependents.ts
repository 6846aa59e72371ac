import { listDependents, MOVES, type MoveName } from '../../infra/moves.ts';
import { retryWhileApiDown } from '../shared/cluster-access.ts';
import type { InfraContext } from './infra-context.ts';
import { isInPlace } from './move-predicates.ts';
import { executorFor, probeMoves } from './probe.ts';

/**
 * Finds the moves that depend on this one, are in place, and must be undone first, in the order in which they are
 * undone; empty if it can be undone.
 * @param blockedMoves moves that were to be undone, and stay in place
 */
export async function findBlockingDependents(
  infra: InfraContext,
  name: MoveName,
  blockedMoves: ReadonlyMap<MoveName, string> = new Map(),
): Promise<readonly MoveName[]> {
  const dependents = listDependents(name).map((other) => other.name);
  const observed = await retryWhileApiDown(infra, () => probeMoves(infra, dependents));
  const inPlace = observed.filter((one) => isInPlace(one) || blockedMoves.has(one.name));
  const isFree = await Promise.all(inPlace.map((one) => !blockedMoves.has(one.name) && isIndependent(infra, one.name)));
  return inPlace.flatMap((one, index) => (isFree[index] ? [] : one.name)).toReversed();
}

/**
 * Whether a move may stay while the moves that it depends on are undone. Either nodes inherit it from the MachineSets
 * of a cloud (label, taint), and it is removed with their machines. Or the wizard wrote nothing of it, and undoing
 * those moves evicts no pods.
 */
async function isIndependent(infra: InfraContext, name: MoveName): Promise<boolean> {
  const move = MOVES.find((one) => one.name === name);
  if (move?.where !== 'cluster' || (move.inheritedByMachineSet === undefined && move.evictsNothing !== true))
    return false;
  const plan = await retryWhileApiDown(infra, () => executorFor(infra, move).planUndo(false));
  return plan?.to === 'born' || (plan?.to === 'foreign' && move.evictsNothing === true);
}
