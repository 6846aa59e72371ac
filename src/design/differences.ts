/** The difference between two states: a new value, or the changes inside. It is stored as JSON. */
export type Difference =
  | { readonly value: unknown }
  | { readonly inside: Changes<string>; readonly gone: readonly string[] }
  /** An array: `left` elements were dropped at its front, and the indices count after that. */
  | { readonly elements: Changes<number>; readonly left: number; readonly length: number };

type Changes<Key> = readonly (readonly [key: Key, difference: Difference])[];

/**
 * Compares two states that share their unchanged objects: the same object in both is not visited.
 * @returns null if nothing changed
 */
export function compareStates(before: unknown, after: unknown): Difference | null {
  if (Object.is(before, after)) return null;
  if (Array.isArray(before) && Array.isArray(after)) return compareArrays(before, after);
  if (!isPlainObject(before) || !isPlainObject(after)) return { value: after };
  const inside: [string, Difference][] = [];
  for (const key of Object.keys(after)) {
    const difference = Object.hasOwn(before, key) ? compareStates(before[key], after[key]) : { value: after[key] };
    if (difference !== null) inside.push([key, difference]);
  }
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return inside.length + gone.length === 0 ? null : { inside, gone };
}

/** Compares arrays. A log grows at its end, and drops lines at its front at its maximum length. */
function compareArrays(before: readonly unknown[], after: readonly unknown[]): Difference | null {
  const left = after.length === 0 ? 0 : Math.max(0, before.indexOf(after[0]));
  const elements: [number, Difference][] = [];
  for (let index = 0; index < after.length; index += 1) {
    const isNew = index + left >= before.length;
    const difference = isNew ? { value: after[index] } : compareStates(before[index + left], after[index]);
    if (difference !== null) elements.push([index, difference]);
  }
  const isSame = elements.length === 0 && left === 0 && before.length === after.length;
  return isSame ? null : { elements, left, length: after.length };
}

/** Lists the dotted paths at which two documents differ; for an array with more or fewer elements, its own path. */
export function listChangedPaths(before: unknown, after: unknown): string[] {
  const difference = compareStates(before, after);
  return difference === null ? [] : listPaths(difference, before, '');
}

function listPaths(difference: Difference, before: unknown, path: string): string[] {
  const joinPath = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`);
  if ('value' in difference) return [path];
  if ('inside' in difference) {
    const getChild = (key: string) => (isPlainObject(before) ? before[key] : undefined);
    return [
      ...difference.inside.flatMap(([key, innerDifference]) =>
        listPaths(innerDifference, getChild(key), joinPath(key)),
      ),
      ...difference.gone.map(joinPath),
    ];
  }
  const oldElements: readonly unknown[] = Array.isArray(before) ? before : [];
  if (difference.left > 0 || difference.length < oldElements.length) return [path];
  return difference.elements.flatMap(([index, elementDifference]) =>
    listPaths(elementDifference, oldElements[index], joinPath(index)),
  );
}

/** Applies a difference; unchanged objects of the result are those of `before`. */
export function applyDifference(before: unknown, difference: Difference): unknown {
  if ('value' in difference) return difference.value;
  if ('elements' in difference) {
    if (!Array.isArray(before)) throw new TypeError('the difference does not fit this state');
    const { elements, left, length } = difference;
    const after: unknown[] = before.slice(left, left + length);
    for (const [index, change] of elements) after[index] = applyDifference(after[index], change);
    return after;
  }
  if (!isPlainObject(before)) throw new TypeError('the difference does not fit this state');
  const after = { ...before };
  for (const key of difference.gone) delete after[key];
  for (const [key, change] of difference.inside) {
    // A key named __proto__ is a key like any other.
    const value = applyDifference(Object.hasOwn(after, key) ? after[key] : undefined, change);
    Object.defineProperty(after, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return after;
}

/** Whether a saved value is a difference. */
export function isDifference(value: unknown): value is Difference {
  if (!isPlainObject(value)) return false;
  if ('value' in value) return Object.keys(value).length === 1;
  const { inside, gone, elements, left, length } = value;
  if (elements === undefined) return isChanges(inside, 'string') && Array.isArray(gone);
  return isChanges(elements, 'number') && Number.isInteger(left) && Number.isInteger(length);
}

function isChanges(value: unknown, key: 'string' | 'number'): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((entry: unknown) => Array.isArray(entry) && typeof entry[0] === key && isDifference(entry[1]));
}

/** Whether a value is a plain object; anything else (a set, a date) is one value. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
