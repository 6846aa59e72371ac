/**
 * What a table of words has for a code that comes from outside (a system's error, a condition of the API), where nobody knows all
 * there are; undefined for a code that it does not know. Our own codes index their words directly: there the compiler finds a gap.
 */
export function entryOf<T extends object>(table: T, code: string): T[keyof T] | undefined {
  return Object.hasOwn(table, code) ? table[code as keyof T] : undefined;
}
