/** The part of a list that is drawn: indices `first` (in) to `end` (out). */
export interface Window {
  readonly first: number;
  readonly end: number;
}

/**
 * `size` items of `total` around the selected one, as near to the middle as the ends allow. Only these are drawn: Ink lays
 * out everything it is given, seen or not.
 */
export function windowAround(total: number, selected: number, size: number): Window {
  const room = Math.max(0, Math.min(size, total));
  const first = Math.min(Math.max(0, selected - Math.floor(room / 2)), total - room);
  return { first, end: first + room };
}

/** `size` items of `total` from `top`; null is the end of the list, where a log that is followed stands. */
export function windowFrom(total: number, top: number | null, size: number): Window {
  const room = Math.max(0, Math.min(size, total));
  const last = total - room;
  const first = top === null ? last : Math.min(Math.max(0, top), last);
  return { first, end: first + room };
}
