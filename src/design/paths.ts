/** Where a value is in a document: keys and list positions, outermost first. */
export type Path = readonly PropertyKey[];

/** `nodes.2.ip`. */
export function pathText(path: Path): string {
  return path.map(String).join('.');
}

/** Whether there is something with keys to look into: an object or a list. */
export function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The value at a path, or undefined; inherited properties are not looked at. */
export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A copy with the value at a path replaced; what is in the way and not a container is replaced as well. */
export function withValueAt(document: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const copy = copyOf(document, key);
  define(copy, key, withValueAt(Object.hasOwn(copy, key) ? Reflect.get(copy, key) : undefined, rest, value));
  return copy;
}

/** A copy without the key at the end of the path. */
export function withoutAt(document: unknown, path: Path): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isRecord(document) || !Object.hasOwn(document, key)) return document;
  const copy = copyOf(document, key);
  if (rest.length === 0) Reflect.deleteProperty(copy, key);
  else define(copy, key, withoutAt(Reflect.get(copy, key), rest));
  return copy;
}

function copyOf(value: unknown, key: PropertyKey): object {
  if (Array.isArray(value)) return [...value];
  if (!isRecord(value)) return typeof key === 'number' ? [] : {};
  // Descriptors, not assignment: a key may be called __proto__.
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(value));
}

function define(target: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** True when one path is the other, or leads to it. */
export function isSameBranch(a: Path, b: Path): boolean {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) if (String(a[index]) !== String(b[index])) return false;
  return true;
}
