export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Returns the value at a path of keys and indexes, or undefined where the path ends early. */
export function getField(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (current, key) =>
      typeof current === 'object' && current !== null ? (current as Record<string | number, unknown>)[key] : undefined,
    value,
  );
}

/** Lists the `conditions` of a status: that of an object, or of one entry of `status.ingress`. */
export function listConditions(status: unknown): readonly Condition[] {
  const list = getField(status, 'conditions');
  return Array.isArray(list) ? (list as Condition[]) : [];
}

/** Finds a condition by type in `status.conditions` of an object. */
export function findCondition(object: unknown, type: string): Condition | undefined {
  return listConditions(getField(object, 'status')).find((condition) => condition.type === type);
}

/** Lists the `items` of a Kubernetes list. Empty if it has none. */
export function listItems(list: unknown): readonly unknown[] {
  const items = getField(list, 'items');
  return Array.isArray(items) ? items : [];
}
