import { stringify } from 'yaml';
import { type Edit, isApplied, isFields, type MoveChange, merged, objectName, restrict } from '../../moves/edit.ts';
import type { JsonObject, KubeObject, NewObject } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Cluster } from '../client.ts';
import { isClusterError } from '../errors.ts';

const words = () => catalogue().moves;

const TRIES = 5;

/** What an edit did to one object. */
export interface Written {
  readonly object: string;
  readonly did: 'same' | 'changed' | 'created' | 'removed';
}

/** What the edit would change now; null: nothing. */
export async function changeOf(cluster: Cluster, edit: Edit): Promise<MoveChange | null> {
  const current = await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined);
  const object = objectName(edit);
  if (!current) return edit.create ? { object, before: null, after: toYaml(withoutName(edit.create())) } : null;
  if (edit.isRemoval) return { object, before: toYaml({ spec: current.spec }), after: null };
  const patch = edit.patch?.(current) ?? {};
  if (isApplied(current, patch)) return null;
  return { object, before: toYaml(restrict(current, patch)), after: toYaml(merged({}, patch)) };
}

/**
 * Makes the edit: reads, compares, tries dry, writes, reads again and compares, because the API silently drops unknown
 * fields and operators set things back. The write carries the resourceVersion that was read; after a conflict it starts
 * again.
 * @throws TroubleError `infra-not-kept`, `infra-conflicts`, `infra-gone`; ClusterError
 */
export async function applyEdit(cluster: Cluster, edit: Edit): Promise<Written> {
  const object = objectName(edit);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      return await tryEdit(cluster, edit, object);
    } catch (error) {
      if (!isClusterError(error, 'conflict')) throw error;
    }
  }
  const { cause, ...rest } = words().trouble.conflicts;
  throw new TroubleError({ code: 'infra-conflicts', cause: cause(object), ...rest });
}

async function tryEdit(cluster: Cluster, edit: Edit, object: string): Promise<Written> {
  const { kind, name, namespace } = edit;
  const current = await cluster.get(kind, name, namespace ?? undefined);
  if (!current) {
    if (!edit.create) return { object, did: 'same' };
    await cluster.create(kind, edit.create(), { dryRun: true });
    await cluster.create(kind, edit.create());
    return { object, did: 'created' };
  }
  if (edit.isRemoval) {
    await cluster.remove(kind, name, namespace ?? undefined);
    return { object, did: 'removed' };
  }
  const patch = edit.patch?.(current) ?? {};
  if (isApplied(current, patch)) return { object, did: 'same' };
  const locked = withVersion(patch, current);
  await cluster.patch(kind, name, namespace, locked, { dryRun: true });
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

function withoutName({ metadata: _metadata, ...rest }: NewObject): object {
  return rest;
}

function toYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}
