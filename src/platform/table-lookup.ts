/**
 * Looks up a code from outside (a system error, a condition of the API) in a table of text; the set of such codes is
 * open. Our own codes index their tables directly, where the compiler finds gaps.
 * @returns undefined for an unknown code
 */
export function findEntry<T extends object>(table: T, code: string): T[keyof T] | undefined {
  return Object.hasOwn(table, code) ? table[code as keyof T] : undefined;
}
