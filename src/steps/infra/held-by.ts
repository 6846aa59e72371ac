import { MOVES, type MoveName, standingOn } from '../../moves/table.ts';
import { rideOut } from '../shared/ride-out.ts';
import { lookAtMoves, sideOn } from './look.ts';
import type { MoveSite } from './site.ts';
import { isInPlace } from './standing.ts';

/**
 * The moves that depend on this one and are in place, in the order in which they are undone: all before it. None where it can go.
 * @param kept moves that were to be undone, and stay in place
 */
export async function heldBy(
  site: MoveSite,
  name: MoveName,
  kept: ReadonlyMap<MoveName, string> = new Map(),
): Promise<readonly MoveName[]> {
  const others = standingOn(name).map((other) => other.name);
  const above = await rideOut(site, () => lookAtMoves(site, others));
  const standing = above.filter((one) => isInPlace(one) || kept.has(one.name));
  const free = await Promise.all(standing.map((one) => !kept.has(one.name) && standsAlone(site, one.name)));
  return standing.flatMap((one, index) => (free[index] ? [] : one.name)).toReversed();
}

/**
 * Whether a move stays, and what it depends on is taken back all the same. Nodes have it from the machines that a cloud made for them
 * (label, taint): it goes with them. Or nothing of it is ours, and it sends nobody away.
 */
async function standsAlone(site: MoveSite, name: MoveName): Promise<boolean> {
  const move = MOVES.find((one) => one.name === name);
  if (move?.where !== 'cluster' || (move.bornWith === undefined && move.sendsNobodyAway !== true)) return false;
  const plan = await rideOut(site, () => sideOn(site, move).planUndo(false));
  return plan?.to === 'born' || (plan?.to === 'foreign' && move.sendsNobodyAway === true);
}
