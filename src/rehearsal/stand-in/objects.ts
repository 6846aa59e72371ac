export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** The value at a path of keys and indexes, or undefined where the path ends early. */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (current, key) =>
      typeof current === 'object' && current !== null ? (current as Record<string | number, unknown>)[key] : undefined,
    value,
  );
}

/** The conditions in `status.conditions` of an object, or in `conditions` of a status. */
export function conditionsOf(status: unknown): readonly Condition[] {
  const list = valueAt(status, 'conditions');
  return Array.isArray(list) ? (list as Condition[]) : [];
}

export function conditionOf(object: unknown, type: string): Condition | undefined {
  return conditionsOf(valueAt(object, 'status')).find((condition) => condition.type === type);
}

export function itemsOf(list: unknown): readonly unknown[] {
  const items = valueAt(list, 'items');
  return Array.isArray(items) ? items : [];
}
