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

/** A document that is changed place by place, while the one it began as stays as it is. */
export interface Draft {
  readonly current: () => unknown;
  /** Replaces the value at a path; what is in the way and not a container is replaced as well. */
  readonly put: (path: Path, value: unknown) => void;
  /** Takes keys out of the object at a path. */
  readonly remove: (path: Path, keys: readonly PropertyKey[]) => void;
}

/** Copies each container that a change passes once and no other, so that many changes cost no more than the document is large. */
export function draftOf(document: unknown): Draft {
  const own = new Set<object>();
  let root = document;
  /** The container at a path, as a copy of ours, and those above it. @param next the key that is wanted in it */
  const containerAt = (path: Path, next: PropertyKey): object => {
    const keys = [...path, next];
    let here = ownCopy(root, keys[0] ?? next);
    root = here;
    for (const [index, key] of path.entries()) {
      const inner = ownCopy(Object.hasOwn(here, key) ? Reflect.get(here, key) : undefined, keys[index + 1] ?? next);
      define(here, key, inner);
      here = inner;
    }
    return here;
  };
  const ownCopy = (value: unknown, key: PropertyKey): object => {
    if (isRecord(value) && own.has(value)) return value;
    const copy = copyOf(value, key);
    own.add(copy);
    return copy;
  };
  return {
    current: () => root,
    put(path, value) {
      const last = path.at(-1);
      if (last === undefined) root = value;
      else define(containerAt(path.slice(0, -1), last), last, value);
    },
    remove(path, keys) {
      if (!isRecord(valueAt(root, path))) return;
      const container = containerAt(path, '');
      for (const key of keys) Reflect.deleteProperty(container, key);
    },
  };
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

/** Asks of a path whether one of these is the same, leads to it, or comes after it. */
export function branchesOf(paths: readonly Path[]): (path: Path) => boolean {
  // The usual case: every rule of a design that could be read asks this.
  if (paths.length === 0) return () => false;
  const whole = new Set(paths.map(keyOf));
  const leading = new Set(paths.flatMap((path) => beginnings(path)));
  return (path) => leading.has(keyOf(path)) || beginnings(path).some((beginning) => whole.has(beginning));
}

/** A path and those that lead to it. */
function beginnings(path: Path): string[] {
  return Array.from({ length: path.length + 1 }, (_, length) => keyOf(path.slice(0, length)));
}

/** A path as a text that no other has: a key may hold dots. */
function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}
