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
