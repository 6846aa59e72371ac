/** Limits an index to the items of a list; 0 if it has none. */
export const clampIndex = (index: number, count: number): number => Math.max(0, Math.min(index, count - 1));
