import type { Design } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import type { Cluster } from '../kube/api.ts';
import { isClusterError } from '../kube/errors.ts';
import type { JsonObject, KubeObject } from '../openshift/object.ts';
import type { ClusterReader, PendingReason } from './cluster-reader.ts';
import {
  describeChange,
  type Edit,
  formatObjectName,
  isApplied,
  isJsonObject,
  type MoveChange,
  shouldRemove,
  summarizeObjects,
} from './edit.ts';
import type { ClusterMove, MoveStatus, PlanFacts } from './infra-move.ts';
import { refinePendingCause } from './pending-pod.ts';
import type { PlannedCluster } from './planned-cluster.ts';

const words = () => catalogue().moves;

const MAX_ATTEMPTS = 5;

/** The effect of an edit on one object. */
export interface EditResult {
  readonly object: string;
  readonly outcome: 'same' | 'changed' | 'created' | 'removed';
}

/**
 * Records the fields of an object before a write to it.
 * @param current null if the object does not exist
 * @throws UserErrorException `session-unwritable`, and nothing is written to the object
 */
export type UndoRecorder = (edit: Edit, current: KubeObject | null) => Promise<void>;

/** Hooks that run before a write. */
interface WriteHooks {
  readonly check?: (change: MoveChange) => void;
  readonly recordUndo?: UndoRecorder;
}

/**
 * Applies the edit: reads, compares, dry-runs, writes, reads again and compares, because the API silently drops unknown
 * fields and operators revert changes. The write carries the resourceVersion that was read; after a conflict, all steps
 * are repeated.
 * @param hooks.check receives the change to the object as it was just read, and throws to stop the write
 * @throws UserErrorException `infra-not-kept`, `infra-conflicts`, `infra-gone`; errors of `hooks`; ClusterError
 */
export async function applyEdit(cluster: Cluster, edit: Edit, hooks: WriteHooks = {}): Promise<EditResult> {
  const object = formatObjectName(edit);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    try {
      return await tryEdit(cluster, edit, object, hooks);
    } catch (error) {
      if (!isClusterError(error, 'conflict')) throw error;
    }
  }
  const { cause, ...rest } = words().userErrors.conflicts;
  throw new UserErrorException({ code: 'infra-conflicts', cause: cause(object), ...rest });
}

async function tryEdit(
  cluster: Cluster,
  edit: Edit,
  object: string,
  { check, recordUndo }: WriteHooks,
): Promise<EditResult> {
  const { kind, name, namespace } = edit;
  const current = await cluster.get(kind, name, namespace ?? undefined);
  const change = describeChange(edit, current);
  if (change === null) return { object, outcome: 'same' };
  check?.(change);
  if (!current) {
    if (!edit.create) return { object, outcome: 'same' };
    await cluster.create(kind, edit.create(), { dryRun: true });
    await recordUndo?.(edit, current);
    await cluster.create(kind, edit.create());
    return { object, outcome: 'created' };
  }
  if (shouldRemove(edit, current)) {
    await cluster.remove(kind, name, namespace ?? undefined, current);
    return { object, outcome: 'removed' };
  }
  const patch = edit.patch?.(current) ?? {};
  const lockedPatch = addResourceVersion(patch, current);
  await cluster.patch(kind, name, namespace, lockedPatch, { dryRun: true });
  await recordUndo?.(edit, current);
  await cluster.patch(kind, name, namespace, lockedPatch);
  const newObject = await cluster.get(kind, name, namespace ?? undefined);
  if (!newObject) throw createWriteError('gone', object);
  if (!isApplied(newObject, patch)) throw createWriteError('pruned', object);
  return { object, outcome: 'changed' };
}

function createWriteError(reason: 'gone' | 'pruned', object: string): UserErrorException {
  const { cause, ...rest } = words().userErrors[reason];
  return new UserErrorException({
    code: reason === 'gone' ? 'infra-gone' : 'infra-not-kept',
    cause: cause(object),
    ...rest,
  });
}

function addResourceVersion(patch: JsonObject, { metadata }: KubeObject): JsonObject {
  if (metadata.resourceVersion === undefined) return patch;
  const oldMetadata = isJsonObject(patch.metadata) ? patch.metadata : {};
  return { ...patch, metadata: { ...oldMetadata, resourceVersion: metadata.resourceVersion } };
}

/** Waits until the changes that edits have started are complete. @throws UserErrorException if they do not complete */
export type PendingWaiter = (findPending: () => Promise<PendingReason | null>) => Promise<void>;

/** Creates the reader through which moves read the cluster. */
export function createClusterReader(cluster: Cluster): ClusterReader {
  return {
    get: (kind, name, namespace) => cluster.getWithManagers(kind, name, namespace),
    list: async (kind, options) =>
      await cluster.list(kind, options).catch((error: unknown) => {
        if (isClusterError(error, 'absent')) return [];
        throw error;
      }),
  };
}

/**
 * Determines the status of a move: the changes that it would make or, with nothing left to write, the rollout.
 * @param cluster the planned cluster; edits are applied to it in order, so that each change follows from the earlier
 * ones
 * @throws ClusterError
 */
export async function probeClusterMove(
  cluster: PlannedCluster,
  move: ClusterMove,
  design: Design,
  facts: PlanFacts,
): Promise<MoveStatus> {
  const movePlan = await move.plan(cluster, design, facts);
  if (movePlan.state !== 'edits') return { ...movePlan, changes: [] };
  const changes: MoveChange[] = [];
  for (const edit of movePlan.edits) {
    const change = await cluster.apply(edit);
    if (change !== null) changes.push(change);
  }
  // The rollout is assessed on the cluster as it is. Nodes that will be created are added after that, for later moves.
  const status = changes.length > 0 ? null : await move.probeRollout(cluster, design);
  const rollout = status?.pending
    ? { ...status, pending: await refinePendingCause(cluster, design, status.pending) }
    : status;
  for (const node of movePlan.expectedNodes ?? []) cluster.addExpected('Node', node);
  const { notes = [], confirmationWord, pending } = movePlan;
  const appendNotes = (why: string) => [why, ...notes].join(' ');
  if (rollout === null)
    return {
      state: 'needed',
      why: appendNotes(words().reasons.needed(summarizeObjects(changes), changes.length)),
      changes,
      notes,
      ...(confirmationWord === undefined ? {} : { confirmationWord }),
      ...(pending === undefined ? {} : { pending }),
    };
  return { ...rollout, why: rollout.state === 'done' ? appendNotes(rollout.why) : rollout.why, changes: [] };
}

/**
 * Applies the missing edits one object after the other: their order is part of the plan. Writes nothing if everything
 * is in place.
 * @param hooks run before each write, `onWrite` after it, and `waitWhilePending` between writes
 * @throws UserErrorException `infra-…` if it is blocked or not kept; errors of the hooks; ClusterError
 */
export async function applyClusterMove(
  cluster: Cluster,
  move: ClusterMove,
  design: Design,
  facts: PlanFacts,
  {
    onWrite,
    waitWhilePending,
    ...hooks
  }: WriteHooks & {
    readonly onWrite: (result: EditResult) => void;
    readonly waitWhilePending?: PendingWaiter | undefined;
  },
): Promise<void> {
  const movePlan = await move.plan(createClusterReader(cluster), design, facts);
  if (movePlan.state === 'absent') return;
  if (movePlan.state !== 'edits') {
    throw new UserErrorException({ code: 'infra-blocked', cause: movePlan.why, ...words().userErrors.blocked });
  }
  for (const edit of movePlan.edits) {
    const { waitFor } = edit;
    if (waitFor && waitWhilePending && (await isEditNeeded(cluster, edit)))
      await waitWhilePending(() => waitFor(createClusterReader(cluster)));
    onWrite(await applyEdit(cluster, edit, hooks));
  }
}

async function isEditNeeded(cluster: Cluster, edit: Edit): Promise<boolean> {
  return describeChange(edit, await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined)) !== null;
}
