/** Location of a value in a document: keys and list positions, outermost first. */
export type Path = readonly PropertyKey[];

/** Formats a path with dots: `nodes.2.ip`. */
export function formatPath(path: Path): string {
  return path.map(String).join('.');
}

/** Parses a dotted path; numbers are list positions. */
export function parsePath(path: string): Path {
  return path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

/** Whether a value has keys to read: an object or a list. */
export function isObjectOrList(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A design document as typed so far: plain JSON, perhaps invalid. Invalid values stay in it. */
export type DesignDocument = unknown;

/** Returns the value at a path (`nodes.2.ip`), or undefined; inherited properties are ignored. */
export function getAt(document: DesignDocument, path: string | Path): unknown {
  let value = document;
  for (const key of typeof path === 'string' ? path.split('.') : path) {
    if (!isObjectOrList(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/**
 * Returns a copy with the value at a path replaced; undefined removes it. Parents that are missing are created, arrays
 * for numeric keys. The order of the keys stays: users read the document.
 */
export function setAt(document: DesignDocument, path: string | Path, value: unknown): DesignDocument {
  const keys = typeof path === 'string' ? parsePath(path) : path;
  const draft = createDocumentDraft(document);
  if (value === undefined) draft.remove(keys.slice(0, -1), keys.slice(-1));
  else draft.set(keys, value);
  return draft.getDocument();
}

/** A copy-on-write edit of a document; the original stays unchanged. */
export interface DocumentDraft {
  /** Returns the document with all changes so far. */
  readonly getDocument: () => unknown;
  /** Sets the value at a path. Any value along the path that is not a container is replaced by one. */
  readonly set: (path: Path, value: unknown) => void;
  /** Removes keys from the container at a path; the later elements of a list move up. */
  readonly remove: (path: Path, keys: readonly PropertyKey[]) => void;
}

/**
 * Creates a draft. It copies each container on a changed path once and no other, so that many changes cost no more than
 * the size of the document.
 */
export function createDocumentDraft(document: unknown): DocumentDraft {
  const copies = new Set<object>();
  let root = document;
  /**
   * Copies the container at a path and those above it, unless they are copies already.
   * @param nextKey the key to be set in it: a number makes a missing container a list
   */
  const copyContainerAt = (path: Path, nextKey: PropertyKey): object => {
    const keys = [...path, nextKey];
    let container = ensureCopy(root, keys[0] ?? nextKey);
    root = container;
    for (const [index, key] of path.entries()) {
      const innerContainer = ensureCopy(
        Object.hasOwn(container, key) ? Reflect.get(container, key) : undefined,
        keys[index + 1] ?? nextKey,
      );
      defineValue(container, key, innerContainer);
      container = innerContainer;
    }
    return container;
  };
  const ensureCopy = (value: unknown, key: PropertyKey): object => {
    if (isObjectOrList(value) && copies.has(value)) return value;
    const copy = copyContainer(value, key);
    copies.add(copy);
    return copy;
  };
  return {
    getDocument: () => root,
    set(path, value) {
      const lastKey = path.at(-1);
      if (lastKey === undefined) root = value;
      else defineValue(copyContainerAt(path.slice(0, -1), lastKey), lastKey, value);
    },
    remove(path, keys) {
      const container = copyContainerAt(path, keys[0] ?? '');
      for (const key of keys) {
        if (Array.isArray(container)) container.splice(Number(key), 1);
        else Reflect.deleteProperty(container, key);
      }
    },
  };
}

function copyContainer(value: unknown, key: PropertyKey): object {
  if (Array.isArray(value)) return [...value];
  if (!isObjectOrList(value)) return typeof key === 'number' ? [] : {};
  // Descriptors, not assignment: a key may be called __proto__.
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(value));
}

function defineValue(target: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
