import { isDeepEqual } from '../api/json.ts';
import { formatTimestamp, getString, isRecord, type KubeObject } from '../api/objects.ts';
import type { World } from './world.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * Adds the time of the last status change to a condition.
 * @param known the current conditions of the object
 */
export function withTransitionTime(world: World, known: readonly unknown[], condition: Condition) {
  const previous = known.find((each) => getString(each, 'type') === condition.type);
  const isUnchanged = getString(previous, 'status') === condition.status;
  const lastTransitionTime = isUnchanged
    ? getString(previous, 'lastTransitionTime')
    : formatTimestamp(world.clock.now());
  return { ...condition, lastTransitionTime };
}

/** Merges `changes` into the status of an object, if that makes a difference. */
export function mergeStatus(
  world: World,
  resource: string,
  object: KubeObject,
  changes: Record<string, unknown>,
): void {
  const status = { ...(isRecord(object.status) ? object.status : {}), ...changes };
  if (isDeepEqual(object.status, status)) return;
  world.store.mutate(resource, object.metadata.namespace ?? null, object.metadata.name, (change) => {
    change.status = status;
  });
}
