import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import {
  describeChange,
  type Edit,
  isApplied,
  isJsonObject,
  type MoveChange,
  objectName,
  shouldRemove,
} from '../../moves/edit.ts';
import type { JsonObject, KubeObject } from '../../openshift/object.ts';
import type { Cluster } from '../api.ts';
import { isClusterError } from '../errors.ts';

const words = () => catalogue().moves;

const TRIES = 5;

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
export interface WriteHooks {
  readonly check?: (change: MoveChange) => void;
  readonly recordUndo?: UndoRecorder;
}

/**
 * Applies the edit: reads, compares, dry-runs, writes, reads again and compares, because the API silently drops unknown
 * fields and operators revert changes. The write carries the resourceVersion that was read; after a conflict it starts
 * again.
 * @param hooks.check gets the change to the object as it was just read, and throws to stop the write
 * @throws UserErrorException `infra-not-kept`, `infra-conflicts`, `infra-gone`; errors of `hooks`; ClusterError
 */
export async function applyEdit(cluster: Cluster, edit: Edit, hooks: WriteHooks = {}): Promise<EditResult> {
  const object = objectName(edit);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      return await tryEdit(cluster, edit, object, hooks);
    } catch (error) {
      if (!isClusterError(error, 'conflict')) throw error;
    }
  }
  const { cause, ...rest } = words().trouble.conflicts;
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
  const lockedPatch = withResourceVersion(patch, current);
  await cluster.patch(kind, name, namespace, lockedPatch, { dryRun: true });
  await recordUndo?.(edit, current);
  await cluster.patch(kind, name, namespace, lockedPatch);
  const after = await cluster.get(kind, name, namespace ?? undefined);
  if (!after) throw createWriteError('gone', object);
  if (!isApplied(after, patch)) throw createWriteError('pruned', object);
  return { object, outcome: 'changed' };
}

function createWriteError(what: 'gone' | 'pruned', object: string): UserErrorException {
  const { cause, ...rest } = words().trouble[what];
  return new UserErrorException({
    code: what === 'gone' ? 'infra-gone' : 'infra-not-kept',
    cause: cause(object),
    ...rest,
  });
}

function withResourceVersion(patch: JsonObject, { metadata }: KubeObject): JsonObject {
  if (metadata.resourceVersion === undefined) return patch;
  const before = isJsonObject(patch.metadata) ? patch.metadata : {};
  return { ...patch, metadata: { ...before, resourceVersion: metadata.resourceVersion } };
}
