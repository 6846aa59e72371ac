import { changeBy, type Edit, isApplied, isFields, type MoveChange, objectName, removes } from '../../moves/edit.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Cluster } from '../api.ts';
import { isClusterError } from '../errors.ts';

const words = () => catalogue().moves;

const TRIES = 5;

/** What an edit did to one object. */
export interface Written {
  readonly object: string;
  readonly did: 'same' | 'changed' | 'created' | 'removed';
}

/**
 * Writes down what an object has, before a write to it. @param current null where there is no object
 * @throws TroubleError `session-unwritable`, and nothing is written to the object
 */
export type Note = (edit: Edit, current: KubeObject | null) => Promise<void>;

/** What happens before a write. */
export interface BeforeWrite {
  readonly check?: (change: MoveChange) => void;
  readonly note?: Note;
}

/**
 * Makes the edit: reads, compares, tries dry, writes, reads again and compares, because the API silently drops unknown
 * fields and operators set things back. The write carries the resourceVersion that was read; after a conflict it starts
 * again.
 * @param before.check sees what is about to be written to the object as it was just read, and throws to stop it
 * @throws TroubleError `infra-not-kept`, `infra-conflicts`, `infra-gone`; what `before` throws; ClusterError
 */
export async function applyEdit(cluster: Cluster, edit: Edit, before: BeforeWrite = {}): Promise<Written> {
  const object = objectName(edit);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      return await tryEdit(cluster, edit, object, before);
    } catch (error) {
      if (!isClusterError(error, 'conflict')) throw error;
    }
  }
  const { cause, ...rest } = words().trouble.conflicts;
  throw new TroubleError({ code: 'infra-conflicts', cause: cause(object), ...rest });
}

async function tryEdit(cluster: Cluster, edit: Edit, object: string, { check, note }: BeforeWrite): Promise<Written> {
  const { kind, name, namespace } = edit;
  const current = await cluster.get(kind, name, namespace ?? undefined);
  const change = changeBy(edit, current);
  if (change === null) return { object, did: 'same' };
  check?.(change);
  if (!current) {
    if (!edit.create) return { object, did: 'same' };
    await cluster.create(kind, edit.create(), { dryRun: true });
    await note?.(edit, current);
    await cluster.create(kind, edit.create());
    return { object, did: 'created' };
  }
  if (removes(edit, current)) {
    await cluster.remove(kind, name, namespace ?? undefined, current);
    return { object, did: 'removed' };
  }
  const patch = edit.patch?.(current) ?? {};
  const locked = withVersion(patch, current);
  await cluster.patch(kind, name, namespace, locked, { dryRun: true });
  await note?.(edit, current);
  await cluster.patch(kind, name, namespace, locked);
  const after = await cluster.get(kind, name, namespace ?? undefined);
  if (!after) throw troubleOf('gone', object);
  if (!isApplied(after, patch)) throw troubleOf('pruned', object);
  return { object, did: 'changed' };
}

function troubleOf(what: 'gone' | 'pruned', object: string): TroubleError {
  const { cause, ...rest } = words().trouble[what];
  return new TroubleError({ code: what === 'gone' ? 'infra-gone' : 'infra-not-kept', cause: cause(object), ...rest });
}

function withVersion(patch: JsonObject, { metadata }: KubeObject): JsonObject {
  if (metadata.resourceVersion === undefined) return patch;
  const before = isFields(patch.metadata) ? patch.metadata : {};
  return { ...patch, metadata: { ...before, resourceVersion: metadata.resourceVersion } };
}
