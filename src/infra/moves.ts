import type { Finding } from '../checks/check.ts';
import { getClusterDomain } from '../design/derived-facts.ts';
import type { Design } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { stripBackticks } from '../i18n/prose.ts';
import { getObjectKind } from '../openshift/kinds.ts';
import { type MoveChange, summarizeObjects } from './edit.ts';
import type { InfraMove, MoveStatus, RolloutTarget } from './infra-move.ts';
import { autoscalerMove } from './moves/autoscaler.ts';
import { bootImageRecordMove } from './moves/boot-image-record.ts';
import { storageMove } from './moves/ceph.ts';
import { dnsMove } from './moves/dns.ts';
import { labelMove } from './moves/label.ts';
import { lbFinalMove } from './moves/lb-final.ts';
import { lbAddMove } from './moves/load-balancer.ts';
import { loggingMove } from './moves/logging.ts';
import { machineSetsMove } from './moves/machine-sets.ts';
import { monitoringMove, userWorkloadMove } from './moves/monitoring.ts';
import { networkDiagnosticsMove } from './moves/network-diagnostics.ts';
import { poolMove } from './moves/pool.ts';
import { registryMove, registryStorageMove } from './moves/registry.ts';
import { routerMove } from './moves/router.ts';
import { taintMove } from './moves/taint.ts';
import { isObstacle } from './status-checks.ts';

/**
 * The infra moves in the order that avoids an outage. The first ones let pods run on the infra nodes, the last ones
 * repel other pods from them. Undo runs in reverse. Every lookup and list of moves uses this table.
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
  bootImageRecordMove,
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
 * Lists the moves that a move depends on, in their order: its `needs`, and for the taint all moves that must precede
 * it.
 */
export function listDependencies(move: InfraMove): readonly InfraMove<MoveName>[] {
  return MOVES.filter(
    (candidate) => move.needs.includes(candidate) || (move.isTaint === true && candidate.mustPrecedeTaint !== false),
  );
}

/** Lists moves in the order of the screens: that of the table, but moves that do not apply to the cluster last. */
export const sortPresentFirst = (moves: readonly ObservedMove[]): readonly ObservedMove[] => [
  ...moves.filter(({ state }) => state !== 'absent'),
  ...moves.filter(({ state }) => state === 'absent'),
];

/** Lists the dependencies of a move that are not done, in their order. */
export function listMissingDependencies(
  name: MoveName,
  observed: readonly Pick<ObservedMove, 'name' | 'state'>[],
): readonly MoveName[] {
  const move = findMove(name);
  const dependencies = move === null ? [] : listDependencies(move).map((dependency) => dependency.name);
  return dependencies.filter((dependencyName) =>
    observed.some((observedMove) => observedMove.name === dependencyName && !isSatisfied(observedMove)),
  );
}

/** Lists the moves that depend on the move of this name: undo reverts them first. */
export function listDependents(move: MoveName): readonly InfraMove<MoveName>[] {
  return MOVES.filter((candidate) => listDependencies(candidate).some(({ name }) => name === move));
}

/** Returns the rollout target of the move of that name; null if no operator rolls it out. */
export function getRolloutTarget(name: MoveName): RolloutTarget | null {
  const move = findMove(name);
  return move?.where === 'cluster' ? move.rolloutTarget : null;
}

/** Status of one infra move at a probe. */
export interface ObservedMove extends MoveStatus {
  readonly name: MoveName;
  /** Findings of its preflight, passed and failed; absent if nothing was checked. */
  readonly preflightFindings?: readonly Finding[];
  /** The move wrote something that undo can still restore; missing: it did not. */
  readonly hasWritten?: boolean;
  /** When the move was undone (ms of the clock); missing: it was not, or was applied again since. */
  readonly undoneAt?: number;
}

/** Whether nothing is to be done: the move is done, or does not apply. */
export function isSatisfied({ state }: Pick<MoveStatus, 'state'>): boolean {
  return state === 'done' || state === 'absent';
}

/** Whether the move was applied, whatever the state of its rollout. */
export function isInPlace({ state }: Pick<MoveStatus, 'state'>): boolean {
  return state === 'done' || state === 'moving' || state === 'failed';
}

/**
 * Whether the move can be undone. A cluster move that is only partly applied has to be undone too, and undoing missing
 * objects writes nothing. Load balancer files can only return from a stage that they have reached.
 */
export function canUndo(move: ObservedMove): boolean {
  const writesFiles = MOVES.some(({ name, where }) => name === move.name && where === 'files');
  return writesFiles ? isInPlace(move) : move.state !== 'absent';
}

/** Whether to offer the user to undo the move: it was applied, or has begun to write. */
export function shouldOfferUndo(move: ObservedMove): boolean {
  return canUndo(move) && (isInPlace(move) || move.hasWritten === true);
}

/**
 * Selects the moves that one confirmation starts, in their order, and the first that stops them because it is blocked
 * or failed.
 */
export function selectStartableMoves(moves: readonly ObservedMove[]): {
  readonly startableMoves: readonly ObservedMove[];
  readonly stoppingMove: ObservedMove | null;
} {
  const stopIndex = moves.findIndex(({ state }) => state === 'blocked' || state === 'failed');
  const startableMoves = (stopIndex < 0 ? moves : moves.slice(0, stopIndex)).filter(({ state }) => state === 'needed');
  return { startableMoves, stoppingMove: moves[stopIndex] ?? null };
}

/**
 * Selects the moves that a run carries out: those that one confirmation starts, and those in progress that they depend
 * on, whose rollout it waits for. If there is nothing to start, it waits for all in progress before the stopping move.
 */
export function selectMovesToRun(moves: readonly ObservedMove[]): readonly ObservedMove[] {
  const { startableMoves, stoppingMove } = selectStartableMoves(moves);
  const end = stoppingMove === null ? moves.length : moves.indexOf(stoppingMove);
  const pendingMoves = moves.slice(0, end).filter((move) => !isSatisfied(move));
  const isAwaited = ({ name }: ObservedMove) =>
    listDependents(name).some((dependent) => startableMoves.some((move) => move.name === dependent.name));
  return startableMoves.length === 0
    ? pendingMoves
    : pendingMoves.filter((move) => startableMoves.includes(move) || isAwaited(move));
}

/**
 * Explains the state of a move in one line, for the lists of the screen and of the commands. A needed move without
 * notes says what it does: its objects are among its changes.
 * @param stoppingMove the move at which a run stops, if this one comes after it
 */
export function explainMoveState(
  { name, state, why, notes = [] }: Pick<ObservedMove, 'name' | 'state' | 'why' | 'notes'>,
  stoppingMove: MoveName | null,
): string {
  const { action } = catalogue().moves.byName[name];
  if (state === 'needed' && stoppingMove !== null) return catalogue().moves.after(stoppingMove);
  return state === 'needed' && notes.length === 0 ? action : why || action;
}

/** Consequences of a move beyond its changes, as sentences. */
interface MoveEffects {
  /** The workloads that restart; empty if none does. */
  readonly restarts: readonly string[];
  /** The expected outage and its reason. */
  readonly outage: string;
  /** Some users may notice the move; missing: none should. */
  readonly hasOutage?: boolean;
  /** Facts that are unknown before the move is applied, each with its reason. */
  readonly knownLater: readonly string[];
}

/** A move, and what applying or undoing it changes: each object by its name, which begins with its kind. */
export interface MoveObjects {
  readonly name: MoveName;
  readonly changes: readonly Pick<MoveChange, 'object'>[];
}

/** Describes the consequences of these changes of a move for this design. */
export function describeEffects({ name, changes }: MoveObjects, { infra }: Pick<Design, 'infra'>): MoveEffects {
  const changesOnly = (...kinds: readonly string[]) =>
    changes.length > 0 && changes.every(({ object }) => kinds.some((kind) => object.startsWith(`${kind} `)));
  return catalogue().moves.byName[name].effects({
    changesOnly,
    hasRegistryVolume: infra.registry.storage === 'pvc',
    hasMonitoringVolumes: infra.monitoring.storageClass !== null,
    noExecute: infra.taint.noExecute,
  });
}

/**
 * The usual duration of each move in minutes, from the first write to the end of its rollout: pods are replaced one at
 * a time, and its operator must then be healthy for a minute. A machine of a cloud takes five to ten minutes.
 */
export const USUAL_MINUTES: Readonly<Record<MoveName, readonly [minimum: number, maximum: number]>> = {
  'machine-sets': [5, 15],
  autoscaler: [1, 2],
  label: [0, 1],
  pool: [1, 5],
  'lb-add': [0, 2],
  dns: [1, 3],
  storage: [1, 5],
  router: [2, 6],
  'registry-storage': [1, 4],
  registry: [1, 4],
  monitoring: [3, 10],
  'user-workload': [2, 6],
  logging: [2, 10],
  'network-diagnostics': [1, 2],
  'boot-image-record': [1, 2],
  taint: [0, 2],
  'lb-final': [0, 2],
};

/** A line of the summary of a plan. */
interface SummaryLine {
  readonly label: string;
  readonly text: string;
}

/**
 * Describes each move in one line: its objects, and whether workloads restart or an outage occurs. Empty for one move.
 */
export function listMoveLines(
  startable: readonly ObservedMove[],
  design: Pick<Design, 'infra' | 'cluster'>,
): { readonly label: string; readonly text: string; readonly end: string }[] {
  if (startable.length < 2) return [];
  const domain = `.${getClusterDomain(design)}`;
  return startable.map((move) => {
    const { name, changes } = move;
    const { restarts, hasOutage = false } = describeEffects(move, design);
    const end = catalogue().moves.shortEffects(restarts.length > 0, hasOutage);
    // The line has no room for full names of nodes, which its changes have.
    return { label: name, text: summarizeObjects(changes).replaceAll(domain, ''), end };
  });
}

/**
 * Summarizes the moves that one confirmation starts in five lines: what changes, what restarts, the outage, the usual
 * duration, and undo. One more line follows for each move that undo cannot fully revert.
 * @param undoInstruction the key or the command that undoes them
 * @param areListedBelow each move has a line of its own below, so the summary only counts them
 */
export function summarizePlan(
  startable: readonly ObservedMove[],
  design: Pick<Design, 'infra'>,
  undoInstruction: string,
  areListedBelow = false,
): SummaryLine[] {
  const { summary, byName } = catalogue().moves;
  const { labels } = summary;
  const limits = startable.flatMap(({ name }) => {
    const { undoLimits } = byName[name];
    return undoLimits === null ? [] : { label: '', text: summary.undoLimits(name, undoLimits) };
  });
  const names = startable.map(({ name }) => name);
  const isSingle = names.length === 1;
  const changes = startable.flatMap((move) => move.changes);
  const objectCount = new Set(changes.map(({ object }) => object)).size;
  const text = isSingle ? formatKinds(changes) : (areListedBelow ? summary.count : summary.what)(names, objectCount);
  return [
    { label: labels.what, text },
    ...summarizeEffects(startable, design, summary.outage),
    { label: labels.undo, text: (isSingle ? summary.undoOne : summary.undo)(undoInstruction) },
    ...limits,
  ];
}

/**
 * Lists the pending moves that one confirmation does not start, in a line for each reason: those that are in progress,
 * blocked or have failed, and those that come after the first that stops them. Of a finding that blocks a move, the
 * title is enough here.
 */
export function listMovesNotStarted(moves: readonly ObservedMove[]): SummaryLine[] {
  const { startableMoves, stoppingMove } = selectStartableMoves(moves);
  const { summary, states } = catalogue().moves;
  const otherMoves = moves.filter((move) => !isSatisfied(move) && !startableMoves.includes(move));
  const laterNames = otherMoves.flatMap(({ name, state }) => (state === 'needed' ? [name] : []));
  return [
    ...otherMoves
      .filter(({ state }) => state !== 'needed')
      .map(({ name, state, why, preflightFindings }) =>
        summary.stopped(name, states[state], stripBackticks(preflightFindings?.find(isObstacle)?.title ?? why)),
      ),
    ...(stoppingMove === null || laterNames.length === 0 ? [] : [summary.comesAfter(laterNames, stoppingMove.name)]),
  ].map((text) => ({ label: summary.labels.notStarted, text }));
}

/** Describes what a move causes, and how long it takes, in one line. */
export function describeInShort(move: MoveObjects, design: Pick<Design, 'infra'>): string {
  const { summary, shortEffects } = catalogue().moves;
  const { restarts, hasOutage = false } = describeEffects(move, design);
  const effects = shortEffects(restarts.length > 0, hasOutage);
  return summary.inShort(effects, summary.duration(...USUAL_MINUTES[move.name]));
}

/** Counts the objects of changes by kind: `3 Nodes, 1 MachineConfigPool`. */
function formatKinds(changes: ObservedMove['changes']): string {
  const { summary } = catalogue().moves;
  const kinds = new Map(
    changes.map(({ object, editTarget, isFile = false }) => [
      object,
      editTarget !== undefined ? getObjectKind(editTarget.kind) : isFile ? summary.file : summary.object,
    ]),
  );
  const groups = Map.groupBy(kinds.values(), (kind) => kind);
  return summary.kinds([...groups].map(([kind, { length }]) => ({ kind, count: length })));
}

/** Summarizes what undoing these moves causes: what restarts, the outage, and the usual duration. */
export const summarizeUndo = (moves: readonly MoveObjects[], design: Pick<Design, 'infra'>): SummaryLine[] =>
  summarizeEffects(moves, design, (movesWithOutage) =>
    catalogue().moves.summary.undoOutage(movesWithOutage.map(({ name }) => name)),
  );

/** A move and its undo restart the same workloads, and take as long. */
function summarizeEffects(
  moves: readonly MoveObjects[],
  design: Pick<Design, 'infra'>,
  formatOutage: (moves: readonly { readonly name: MoveName; readonly outage: string }[]) => string,
): SummaryLine[] {
  const { summary } = catalogue().moves;
  const { labels } = summary;
  const effects = moves.map((move) => ({ name: move.name, ...describeEffects(move, design) }));
  const [onlyMove, ...otherMoves] = effects;
  // One move says what restarts; several say which of them restart something.
  const restarts = otherMoves.length === 0 && onlyMove !== undefined ? onlyMove.restarts.join('; ') : '';
  const movesWithRestarts = effects.filter(({ restarts }) => restarts.length > 0).map(({ name }) => name);
  const movesWithOutage = effects.filter(({ hasOutage = false }) => hasOutage);
  const [minimum, maximum] = moves.reduce<readonly [number, number]>(
    ([low, high], { name }) => [low + USUAL_MINUTES[name][0], high + USUAL_MINUTES[name][1]],
    [0, 0],
  );
  return [
    {
      label: labels.restarts,
      text: movesWithRestarts.length === 0 ? summary.restartsNothing : restarts || summary.restarts(movesWithRestarts),
    },
    { label: labels.outage, text: movesWithOutage.length === 0 ? summary.noOutage : formatOutage(movesWithOutage) },
    { label: labels.duration, text: summary.duration(minimum, maximum) },
  ];
}
