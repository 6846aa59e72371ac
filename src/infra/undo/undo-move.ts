import type { Design } from '../../design/model.ts';
import type { Cluster } from '../../kube/api.ts';
import { applyEdit, createClusterReader, type EditResult } from '../apply-edits.ts';
import { describeChange, type MoveChange } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findOwningMachineSets } from '../moves/infra-set.ts';
import type { MoveName } from '../moves.ts';
import type { PendingRestore } from './log-line.ts';
import {
  compareObject,
  createRestoreEdit,
  type ObjectComparison,
  planRestore,
  type RestorePlan,
} from './restore-plan.ts';
import type { UndoLog } from './undo-log.ts';

/**
 * Plan of what undoing a move does. `recorded`: its objects get back their recorded settings. `defaults`: the previous
 * settings were not recorded, so the objects can only get the operator defaults. `foreign`: the settings were there
 * before upi-wizard wrote anything, and stay. `inherited`: the machines of these MachineSets inherit the settings,
 * which are removed with the machines. `files`: the load balancers get the files of the previous stage.
 */
export type UndoPlan = { readonly move: MoveName } & (
  | { readonly kind: 'recorded'; readonly objects: readonly ObjectComparison[] }
  | { readonly kind: 'defaults' | 'files'; readonly changes: readonly MoveChange[] }
  | { readonly kind: 'foreign'; readonly isFileMove: boolean }
  | { readonly kind: 'inherited'; readonly sets: readonly string[] }
);

/** Consent of the user to changes beyond restoring recorded settings. */
export interface UndoConsent {
  /** Whether moves without recorded settings are reset to the operator defaults. */
  readonly toDefaults: boolean;
  /** Whether changes that others made since our write are overwritten. */
  readonly shouldOverwrite: (move: MoveName, object: string) => boolean;
}

export const RECORDED_ONLY_CONSENT: UndoConsent = { toDefaults: false, shouldOverwrite: () => false };

/** Plans the restore of a move's objects, the object written last first. */
async function planRestores(cluster: Cluster, pendingRestores: readonly PendingRestore[]): Promise<RestorePlan[]> {
  return await Promise.all(
    pendingRestores
      .toReversed()
      .map(async (restore) =>
        planRestore(restore, await cluster.get(restore.kind, restore.name, restore.namespace ?? undefined)),
      ),
  );
}

/**
 * Plans the undo of a move against the current state of the cluster.
 * @param log null where no undo records are saved
 * @throws UserErrorException `session-unreadable`; ClusterError
 */
export async function planUndo(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  { design, log, toDefaults }: { readonly design: Design; readonly log: UndoLog | null; readonly toDefaults: boolean },
): Promise<UndoPlan> {
  const allPendingRestores = (await log?.listPendingRestores(cluster)) ?? null;
  const pendingRestores = allPendingRestores?.filter((restore) => restore.move === move.name) ?? [];
  if (pendingRestores.length > 0)
    return {
      move: move.name,
      kind: 'recorded',
      objects: (await planRestores(cluster, pendingRestores)).map(compareObject),
    };
  const reader = createClusterReader(cluster);
  const sets = await findOwningMachineSets(reader, move, design);
  if (sets !== null) return { move: move.name, kind: 'inherited', sets };
  if (allPendingRestores !== null && !toDefaults) return { move: move.name, kind: 'foreign', isFileMove: false };
  const edits = await move.planUndoEdits(reader, design);
  const changePromises = edits.map(async (edit) =>
    describeChange(edit, await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined)),
  );
  const changes = (await Promise.all(changePromises)).flatMap((change) => change ?? []);
  return { move: move.name, kind: 'defaults', changes };
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
  const allPendingRestores = (await log?.listPendingRestores(cluster)) ?? null;
  const pendingRestores = allPendingRestores?.filter((restore) => restore.move === move.name) ?? [];
  const changedObjects: string[] = [];
  for (const restore of pendingRestores.toReversed()) {
    const object = await restoreObject(cluster, restore, { log, consent, report });
    if (object !== null) changedObjects.push(object);
  }
  if (pendingRestores.length > 0 || !consent.toDefaults) return changedObjects;
  if ((await findOwningMachineSets(createClusterReader(cluster), move, design)) !== null) return [];
  for (const edit of await move.planUndoEdits(createClusterReader(cluster), design))
    report(await applyEdit(cluster, edit));
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
  context: {
    readonly log: UndoLog | null;
    readonly consent: UndoConsent;
    readonly report: (written: EditResult) => void;
  },
): Promise<readonly string[]> {
  const allPendingRestores = (await context.log?.listPendingRestores(cluster)) ?? [];
  const plans = await planRestores(
    cluster,
    allPendingRestores.filter((restore) => restore.move === move.name),
  );
  const drainPlans = plans.filter((plan) => {
    const isOverwriteAllowed =
      plan.state === 'changed' && context.consent.shouldOverwrite(move.name, compareObject(plan).object);
    return (
      plan.pendingRestore.uid === null &&
      plan.currentContent !== null &&
      (plan.state === 'restore' || isOverwriteAllowed)
    );
  });
  for (const { pendingRestore } of drainPlans) context.report(await applyEdit(cluster, drain.edit(pendingRestore)));
  return drainPlans.map(({ pendingRestore: restore }) => restore.name);
}

/**
 * Restores one object from its undo record.
 * @returns the object if it keeps a change that others made since our write, else null
 */
async function restoreObject(
  cluster: Cluster,
  pendingRestore: PendingRestore,
  context: {
    readonly log: UndoLog | null;
    readonly consent: UndoConsent;
    readonly report: (written: EditResult) => void;
  },
): Promise<string | null> {
  const { log, consent, report } = context;
  const readPlan = async (isOverwriteAllowed: boolean) =>
    planRestore(
      pendingRestore,
      await cluster.get(pendingRestore.kind, pendingRestore.name, pendingRestore.namespace ?? undefined),
      isOverwriteAllowed,
    );
  const planBefore = await readPlan(false);
  const { object } = compareObject(planBefore);
  const isOverwriteAllowed =
    planBefore.state === 'changed' && consent.shouldOverwrite(pendingRestore.move as MoveName, object);
  if (planBefore.state === 'restore' || planBefore.state === 'changed')
    report(await applyEdit(cluster, createRestoreEdit(pendingRestore, isOverwriteAllowed)));
  const planAfter = await readPlan(isOverwriteAllowed);
  if (planAfter.state === 'changed') return object;
  if (planAfter.state !== 'restore') await log?.recordRestored(cluster, pendingRestore);
  return null;
}

/** Whether undoing writes anything. */
export function hasChanges(plan: UndoPlan): boolean {
  switch (plan.kind) {
    case 'recorded':
      return plan.objects.some(({ state }) => state === 'restore' || state === 'changed');
    case 'defaults':
      return plan.changes.length > 0;
    case 'files':
      return true;
    case 'foreign':
    case 'inherited':
      return false;
  }
}
