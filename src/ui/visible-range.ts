/** The drawn part of a list: indices `first` (inclusive) to `end` (exclusive). */
export interface VisibleRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Selects `size` items of `total` around the selected one, as near to the middle as the ends allow. Only these are
 * drawn: Ink lays out everything that it gets, visible or not.
 */
export function getRangeAround(total: number, selected: number, size: number): VisibleRange {
  const count = Math.max(0, Math.min(size, total));
  const first = Math.min(Math.max(0, selected - Math.floor(count / 2)), total - count);
  return { first, end: first + count };
}

/** Selects `size` items of `total` from `top` on; null is the end of the list, for a log that is followed. */
export function getRangeFrom(total: number, top: number | null, size: number): VisibleRange {
  const count = Math.max(0, Math.min(size, total));
  const last = total - count;
  const first = top === null ? last : Math.min(Math.max(0, top), last);
  return { first, end: first + count };
}
