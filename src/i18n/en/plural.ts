/**
 * Formats a number with its noun.
 * @param many the plural of `one`, if it does not just add an s
 */
export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
