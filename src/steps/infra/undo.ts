import type { Design } from '../../design/model.ts';
import { describeChange, type MoveChange } from '../../infra/edit.ts';
import type { ClusterMove } from '../../infra/infra-move.ts';
import { findOwningMachineSets } from '../../infra/moves/infra-set.ts';
import type { MoveName } from '../../infra/moves.ts';
import { applyEdit, createClusterReader, type EditResult } from '../../infra/send-edits.ts';
import type { PendingRestore } from '../../infra/undo/log-line.ts';
import {
  compareObject,
  type ObjectComparison,
  planRestore,
  type RestorePlan,
  restoreEdit,
} from '../../infra/undo/restore-plan.ts';
import type { Cluster } from '../../kube/api.ts';

import type { UndoLog } from './undo-log.ts';

/**
 * Plan of what undoing a move does. `before`: its objects get back their recorded settings. `defaults`: the previous
 * settings were not recorded, so the objects can only get the operator defaults. `foreign`: the settings were there
 * before upi-wizard wrote anything, and stay. `born`: the machines of these MachineSets inherit the settings, which are
 * removed with the machines. `files`: the load balancers get the files of the previous stage.
 */
export type UndoPlan = { readonly move: MoveName } & (
  | { readonly to: 'before'; readonly objects: readonly ObjectComparison[] }
  | { readonly to: 'defaults' | 'files'; readonly changes: readonly MoveChange[] }
  | { readonly to: 'foreign'; readonly isFileMove: boolean }
  | { readonly to: 'born'; readonly sets: readonly string[] }
);

/** Consent of the user to changes beyond restoring recorded settings. */
export interface UndoConsent {
  /** Whether moves without recorded settings are reset to the operator defaults. */
  readonly toDefaults: boolean;
  /** Whether changes that others made since our write are overwritten. */
  readonly overwrites: (move: MoveName, object: string) => boolean;
}

export const NO_CONSENT: UndoConsent = { toDefaults: false, overwrites: () => false };

/** Plans the restore of a move's objects, the object written last first. */
async function planRestores(cluster: Cluster, pending: readonly PendingRestore[]): Promise<RestorePlan[]> {
  return await Promise.all(
    pending
      .toReversed()
      .map(async (one) => planRestore(one, await cluster.get(one.kind, one.name, one.namespace ?? undefined))),
  );
}

/**
 * Plans the undo of a move against the current state of the cluster.
 * @param log null if nothing is ever recorded
 * @throws UserErrorException `session-unreadable`; ClusterError
 */
export async function planUndo(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  { design, log, toDefaults }: { readonly design: Design; readonly log: UndoLog | null; readonly toDefaults: boolean },
): Promise<UndoPlan> {
  const known = (await log?.listPendingRestores(cluster)) ?? null;
  const pending = known?.filter((one) => one.move === move.name) ?? [];
  if (pending.length > 0)
    return { move: move.name, to: 'before', objects: (await planRestores(cluster, pending)).map(compareObject) };
  const reader = createClusterReader(cluster);
  const sets = await findOwningMachineSets(reader, move, design);
  if (sets !== null) return { move: move.name, to: 'born', sets };
  if (known !== null && !toDefaults) return { move: move.name, to: 'foreign', isFileMove: false };
  const edits = await move.undoEdits(reader, design);
  const found = edits.map(async (edit) =>
    describeChange(edit, await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined)),
  );
  const changes = (await Promise.all(found)).flatMap((each) => each ?? []);
  return { move: move.name, to: 'defaults', changes };
}

/**
 * Undoes the move as far as the user consented: restores each object, or resets it to the operator defaults.
 * @returns the objects that keep a change that others made since our write
 * @throws UserErrorException as applyEdit does, and `session-unreadable`; ClusterError
 */
export async function undoMove(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  { design, log, consent }: { readonly design: Design; readonly log: UndoLog | null; readonly consent: UndoConsent },
  report: (written: EditResult) => void,
): Promise<readonly string[]> {
  const known = (await log?.listPendingRestores(cluster)) ?? null;
  const pending = known?.filter((one) => one.move === move.name) ?? [];
  const changed: string[] = [];
  for (const one of pending.toReversed()) {
    const object = await restoreObject(cluster, one, { log, consent, report });
    if (object !== null) changed.push(object);
  }
  if (pending.length > 0 || !consent.toDefaults) return changed;
  if ((await findOwningMachineSets(createClusterReader(cluster), move, design)) !== null) return [];
  for (const edit of await move.undoEdits(createClusterReader(cluster), design)) report(await applyEdit(cluster, edit));
  return [];
}

/**
 * Drains the objects that undo is going to delete: those that the move created. An object that others changed is
 * drained only with consent.
 * @returns their names
 */
export async function drainCreatedObjects(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  drain: NonNullable<ClusterMove['drainBeforeDelete']>,
  run: {
    readonly log: UndoLog | null;
    readonly consent: UndoConsent;
    readonly report: (written: EditResult) => void;
  },
): Promise<readonly string[]> {
  const known = (await run.log?.listPendingRestores(cluster)) ?? [];
  const plans = await planRestores(
    cluster,
    known.filter((one) => one.move === move.name),
  );
  const due = plans.filter((plan) => {
    const isAgreed = plan.state === 'changed' && run.consent.overwrites(move.name, compareObject(plan).object);
    return plan.pending.uid === null && plan.now !== null && (plan.state === 'back' || isAgreed);
  });
  for (const { pending } of due) run.report(await applyEdit(cluster, drain.edit(pending)));
  return due.map(({ pending: restore }) => restore.name);
}

/**
 * Restores one object from its undo record.
 * @returns the object if it keeps a change that others made since our write, else null
 */
async function restoreObject(
  cluster: Cluster,
  pending: PendingRestore,
  run: {
    readonly log: UndoLog | null;
    readonly consent: UndoConsent;
    readonly report: (written: EditResult) => void;
  },
): Promise<string | null> {
  const { log, consent, report } = run;
  const planNow = async (isAll: boolean) =>
    planRestore(pending, await cluster.get(pending.kind, pending.name, pending.namespace ?? undefined), isAll);
  const first = await planNow(false);
  const { object } = compareObject(first);
  const isAll = first.state === 'changed' && consent.overwrites(pending.move as MoveName, object);
  if (first.state === 'back' || first.state === 'changed')
    report(await applyEdit(cluster, restoreEdit(pending, isAll)));
  const after = await planNow(isAll);
  if (after.state === 'changed') return object;
  if (after.state !== 'back') await log?.recordRestored(cluster, pending);
  return null;
}

/** Whether undoing writes anything. */
export function hasChanges(plan: UndoPlan): boolean {
  switch (plan.to) {
    case 'before':
      return plan.objects.some(({ state }) => state === 'back' || state === 'changed');
    case 'defaults':
      return plan.changes.length > 0;
    case 'files':
      return true;
    case 'foreign':
    case 'born':
      return false;
  }
}
