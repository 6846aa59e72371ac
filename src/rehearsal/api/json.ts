import { isRecord, type JsonRecord } from './objects.ts';

// Objects of the API are JSON: lists, records of keys, and plain values. What the language has for all values costs several
// times as much, and a site copies and compares its objects all the time.

/** A copy of which nothing is shared, and nothing is frozen. */
export function copyOf<T>(value: T): T;
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isRecord(value)) return value;
  const copy: JsonRecord = {};
  for (const key of Object.keys(value)) put(copy, key, copyOf(value[key]));
  return copy;
}

/** A key of that name would change what the record is made of, when it is set as others are. */
function put(record: JsonRecord, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
  else record[key] = value;
}

/** Whether two values say the same; the order of keys says nothing, and a key without a value is a key. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one))
    return (
      Array.isArray(other) && one.length === other.length && one.every((each, index) => isSame(each, other[index]))
    );
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}
