import type { Carried } from './carried.ts';
import { autoscaler } from './machine-sets/autoscaler.ts';
import { machineSets } from './machine-sets/index.ts';
import type { Move } from './move.ts';
import { dns } from './networking/dns.ts';
import { lbAdd } from './networking/lb-add.ts';
import { lbFinal } from './networking/lb-final.ts';
import { networkDiagnostics } from './networking/network-diagnostics.ts';
import { router } from './networking/router.ts';
import { label } from './nodes/label.ts';
import { pool } from './nodes/pool.ts';
import { taint } from './nodes/taint.ts';
import { logging } from './observability/logging.ts';
import { monitoring } from './observability/monitoring.ts';
import { userWorkload } from './observability/user-workload.ts';
import { registry } from './registry/registry.ts';
import { registryStorage } from './registry/storage.ts';
import { storage } from './storage/ceph.ts';

/**
 * The infra moves in the order that avoids an outage: what lets pods run there first, what keeps others off last. Undo
 * runs in reverse. Every lookup and list of moves uses this table.
 */
const TABLE = [
  machineSets,
  autoscaler,
  label,
  pool,
  lbAdd,
  dns,
  storage,
  router,
  registryStorage,
  registry,
  monitoring,
  userWorkload,
  logging,
  networkDiagnostics,
  taint,
  lbFinal,
] as const;

export type MoveName = (typeof TABLE)[number]['name'];

export const MOVES: readonly Move<MoveName>[] = TABLE;
export const MOVE_NAMES: readonly MoveName[] = TABLE.map(({ name }) => name);

/** The move of that name; null where there is none. */
export function moveNamed(name: string): Move<MoveName> | null {
  return MOVES.find((move) => move.name === name) ?? null;
}

/** The moves that this one depends on, in their order: those it names, and for the taint all that it waits for. */
export function needsOf(move: Move): readonly Move<MoveName>[] {
  return MOVES.filter((other) => move.needs.includes(other) || (move.isTaint === true && other.taintWaits !== false));
}

/** The moves that depend on the one of this name: undo takes them first. */
export function standingOn(move: MoveName): readonly Move<MoveName>[] {
  return MOVES.filter((other) => needsOf(other).some(({ name }) => name === move));
}

/** Who carries the move of that name out; null where no operator does. */
export function carriedBy(name: MoveName): Carried | null {
  const move = moveNamed(name);
  return move?.where === 'cluster' ? move.carried : null;
}
