import { isRecord, type JsonRecord } from './objects.ts';

// API objects are JSON: lists, records and plain values. The general functions of JavaScript cost several times as
// much, and a site copies and compares its objects all the time.

/** Returns a deep copy that shares nothing with the original and is not frozen. */
export function deepCopy<T>(value: T): T;
export function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepCopy);
  if (!isRecord(value)) return value;
  const copy: JsonRecord = {};
  for (const key of Object.keys(value)) setKey(copy, key, deepCopy(value[key]));
  return copy;
}

/** Sets a key. A plain assignment to `__proto__` would change the prototype of the record. */
function setKey(record: JsonRecord, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
  else record[key] = value;
}

/**
 * Whether two JSON values are equal. The order of keys does not matter; a key with the value undefined counts as a key.
 */
export function isDeepEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one))
    return (
      Array.isArray(other) && one.length === other.length && one.every((each, index) => isDeepEqual(each, other[index]))
    );
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isDeepEqual(one[key], other[key]))
  );
}
