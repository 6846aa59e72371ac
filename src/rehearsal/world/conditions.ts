import { isSame } from '../api/json.ts';
import { isRecord, type KubeObject, textAt, timestamp } from '../api/objects.ts';
import type { World } from './world.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The condition with the moment at which its status last changed. */
export function withTransition(world: World, known: readonly unknown[], condition: Condition) {
  const before = known.find((each) => textAt(each, 'type') === condition.type);
  const isUnchanged = textAt(before, 'status') === condition.status;
  const lastTransitionTime = isUnchanged ? textAt(before, 'lastTransitionTime') : timestamp(world.clock.now());
  return { ...condition, lastTransitionTime };
}

/** Lays `changes` over the status of an object, when that makes a difference. */
export function changeStatus(
  world: World,
  resource: string,
  object: KubeObject,
  changes: Record<string, unknown>,
): void {
  const status = { ...(isRecord(object.status) ? object.status : {}), ...changes };
  if (isSame(object.status, status)) return;
  world.store.mutate(resource, object.metadata.namespace ?? null, object.metadata.name, (change) => {
    change.status = status;
  });
}
