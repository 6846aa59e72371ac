/** How one state became another: a new value, or what changed inside. Plain data. */
export type Difference =
  | { readonly value: unknown }
  | { readonly inside: Changes<string>; readonly gone: readonly string[] }
  /** Of an array: so many elements left at its front, and the indices are those after that. */
  | { readonly elements: Changes<number>; readonly left: number; readonly length: number };

type Changes<Key> = readonly (readonly [key: Key, difference: Difference])[];

/**
 * What changed between two states that share what did not: whatever is the same object in both is not looked into.
 * @returns null where nothing changed
 */
export function differenceOf(before: unknown, after: unknown): Difference | null {
  if (Object.is(before, after)) return null;
  if (Array.isArray(before) && Array.isArray(after)) return differenceOfArrays(before, after);
  if (!isRecord(before) || !isRecord(after)) return { value: after };
  const inside: [string, Difference][] = [];
  for (const key of Object.keys(after)) {
    const difference = Object.hasOwn(before, key) ? differenceOf(before[key], after[key]) : { value: after[key] };
    if (difference !== null) inside.push([key, difference]);
  }
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return inside.length + gone.length === 0 ? null : { inside, gone };
}

/** A log grows at its end, and loses lines at its front once it is as long as it may be. */
function differenceOfArrays(before: readonly unknown[], after: readonly unknown[]): Difference | null {
  const left = after.length === 0 ? 0 : Math.max(0, before.indexOf(after[0]));
  const elements: [number, Difference][] = [];
  for (let index = 0; index < after.length; index += 1) {
    const isNew = index + left >= before.length;
    const difference = isNew ? { value: after[index] } : differenceOf(before[index + left], after[index]);
    if (difference !== null) elements.push([index, difference]);
  }
  const isSame = elements.length === 0 && left === 0 && before.length === after.length;
  return isSame ? null : { elements, left, length: after.length };
}

/** The dotted paths at which two documents differ; of an array with more or fewer elements in its middle, its own. */
export function changedPaths(before: unknown, after: unknown): string[] {
  const difference = differenceOf(before, after);
  return difference === null ? [] : pathsIn(difference, before, '');
}

function pathsIn(difference: Difference, before: unknown, path: string): string[] {
  const at = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`);
  if ('value' in difference) return [path];
  if ('inside' in difference) {
    const of = (key: string) => (isRecord(before) ? before[key] : undefined);
    return [...difference.inside.flatMap(([key, each]) => pathsIn(each, of(key), at(key))), ...difference.gone.map(at)];
  }
  const old: readonly unknown[] = Array.isArray(before) ? before : [];
  if (difference.left > 0 || difference.length < old.length) return [path];
  return difference.elements.flatMap(([index, each]) => pathsIn(each, old[index], at(index)));
}

/** The state that the difference leads to; shares with `before` what did not change. */
export function withDifference(before: unknown, difference: Difference): unknown {
  if ('value' in difference) return difference.value;
  if ('elements' in difference) {
    if (!Array.isArray(before)) throw new TypeError('a difference of another state');
    const { elements, left, length } = difference;
    const after: unknown[] = before.slice(left, left + length);
    for (const [index, change] of elements) after[index] = withDifference(after[index], change);
    return after;
  }
  if (!isRecord(before)) throw new TypeError('a difference of another state');
  const after = { ...before };
  for (const key of difference.gone) delete after[key];
  for (const [key, change] of difference.inside) {
    // A key named __proto__ is a key like others.
    const value = withDifference(Object.hasOwn(after, key) ? after[key] : undefined, change);
    Object.defineProperty(after, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return after;
}

/** Whether a value that was saved is a difference. */
export function isDifference(value: unknown): value is Difference {
  if (!isRecord(value)) return false;
  if ('value' in value) return Object.keys(value).length === 1;
  const { inside, gone, elements, left, length } = value;
  if (elements === undefined) return isChanges(inside, 'string') && Array.isArray(gone);
  return isChanges(elements, 'number') && Number.isInteger(left) && Number.isInteger(length);
}

function isChanges(value: unknown, key: 'string' | 'number'): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((each: unknown) => Array.isArray(each) && typeof each[0] === key && isDifference(each[1]));
}

/** A plain object; anything else (a set, a date) is one value. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
