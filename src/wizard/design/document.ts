/** A design document as typed so far: plain JSON, perhaps invalid, never discarded. */
export type DesignDocument = unknown;

/** Returns the value at a dotted path (`nodes.2.ip`), or undefined. */
export function getAt(document: DesignDocument, path: string): unknown {
  let value: unknown = document;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/**
 * A copy with the value at a dotted path replaced (undefined removes it); missing parents are created, arrays for
 * numeric keys.
 */
export function setAt(document: DesignDocument, path: string, value: unknown): DesignDocument {
  const [key = '', ...rest] = path.split('.');
  const isIndex = /^\d+$/.test(key);
  const parent = typeof document === 'object' && document !== null ? document : isIndex ? [] : {};
  const old = (parent as Record<string, unknown>)[key];
  const next = rest.length === 0 ? value : setAt(old, rest.join('.'), value);
  if (Array.isArray(parent)) {
    const copy = [...parent];
    if (next === undefined) copy.splice(Number(key), 1);
    else copy[Number(key)] = next;
    return copy;
  }
  const { [key]: _replaced, ...others } = parent as Record<string, unknown>;
  // Keeps the order of the keys: people read the document.
  if (next === undefined) return others;
  return key in parent
    ? Object.fromEntries(Object.entries(parent).map(([name, value]) => [name, name === key ? next : value]))
    : { ...others, [key]: next };
}
