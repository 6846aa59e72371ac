import type { InfraMove, RolloutTarget } from './infra-move.ts';
import { autoscalerMove } from './moves/autoscaler.ts';
import { storageMove } from './moves/ceph.ts';
import { dnsMove } from './moves/dns.ts';
import { labelMove } from './moves/label.ts';
import { lbAddMove } from './moves/lb-add.ts';
import { lbFinalMove } from './moves/lb-final.ts';
import { loggingMove } from './moves/logging.ts';
import { machineSetsMove } from './moves/machine-sets.ts';
import { monitoringMove, userWorkloadMove } from './moves/monitoring.ts';
import { networkDiagnosticsMove } from './moves/network-diagnostics.ts';
import { poolMove } from './moves/pool.ts';
import { registryMove, registryStorageMove } from './moves/registry.ts';
import { routerMove } from './moves/router.ts';
import { taintMove } from './moves/taint.ts';

/**
 * The infra moves in the order that avoids an outage: first the moves that let pods run there, last those that repel
 * others. Undo runs in reverse. Every lookup and list of moves uses this table.
 */
const TABLE = [
  machineSetsMove,
  autoscalerMove,
  labelMove,
  poolMove,
  lbAddMove,
  dnsMove,
  storageMove,
  routerMove,
  registryStorageMove,
  registryMove,
  monitoringMove,
  userWorkloadMove,
  loggingMove,
  networkDiagnosticsMove,
  taintMove,
  lbFinalMove,
] as const;

export type MoveName = (typeof TABLE)[number]['name'];

export const MOVES: readonly InfraMove<MoveName>[] = TABLE;
export const MOVE_NAMES: readonly MoveName[] = TABLE.map(({ name }) => name);

/** Finds the move of that name; null if there is none. */
export function findMove(name: string): InfraMove<MoveName> | null {
  return MOVES.find((move) => move.name === name) ?? null;
}

/**
 * The moves that this one depends on, in their order: its `needs`, and for the taint all moves that must precede it.
 */
export function listDependencies(move: InfraMove): readonly InfraMove<MoveName>[] {
  return MOVES.filter(
    (other) => move.needs.includes(other) || (move.isTaint === true && other.mustPrecedeTaint !== false),
  );
}

/** The moves that depend on the one of this name: undo reverts them first. */
export function listDependents(move: MoveName): readonly InfraMove<MoveName>[] {
  return MOVES.filter((other) => listDependencies(other).some(({ name }) => name === move));
}

/** Returns the rollout target of the move of that name; null if no operator rolls it out. */
export function getRolloutTarget(name: MoveName): RolloutTarget | null {
  const move = findMove(name);
  return move?.where === 'cluster' ? move.rolloutTarget : null;
}
