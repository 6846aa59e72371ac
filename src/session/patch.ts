import { isDeepStrictEqual } from 'node:util';
import { applyPatch, createPatch } from 'rfc6902';
import type { ChecksummedState, SessionState } from './state.ts';

/** One operation of a JSON patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** Property names that the library omits, or does not patch below. */
const UNSAFE_KEY = /"__proto__"|\/(?:__proto__|constructor|prototype)["/]/;

/** Computes the patch between two saved states; null if a patch cannot express the change. */
export function diffStates(before: ChecksummedState, after: ChecksummedState): PatchOperation[] | null {
  const patch = diffValues(stripChecksum(before), stripChecksum(after));
  return UNSAFE_KEY.test(JSON.stringify(patch)) ? null : patch;
}

/**
 * Applies a patch to `state`, which it changes. A patch that does not fit is applied in part; the checksum reveals
 * that.
 */
export function applyStatePatch(
  state: Record<string, unknown>,
  patch: readonly PatchOperation[],
): Record<string, unknown> {
  applyPatch(state, [...patch]);
  return state;
}

function stripChecksum({ serial: _serial, checksum: _checksum, ...state }: ChecksummedState): SessionState {
  return state;
}

function diffValues(before: unknown, after: unknown): PatchOperation[] {
  // The library creates no other operations.
  return createPatch(before, after, diffArrays).filter(({ op }) => op !== 'test') as PatchOperation[];
}

interface Pointer {
  add(token: string): Pointer;
  toString(): string;
}

/**
 * Compares arrays row by row between their common prefix and suffix; the library would compare every row with every
 * other one.
 */
function diffArrays(before: unknown, after: unknown, at: Pointer) {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  const maxLength = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < maxLength && isDeepStrictEqual(before[prefix], after[prefix])) prefix += 1;
  let suffix = 0;
  while (suffix < maxLength - prefix && isDeepStrictEqual(before.at(-1 - suffix), after.at(-1 - suffix))) suffix += 1;
  const from: unknown[] = before.slice(prefix, before.length - suffix);
  const to: unknown[] = after.slice(prefix, after.length - suffix);
  const formatPath = (index: number) => at.add(String(prefix + index)).toString();
  const overlap = Math.min(from.length, to.length);
  return [
    ...to.slice(0, overlap).flatMap((row, index) =>
      diffValues(from[index], row).map((operation) => ({
        ...operation,
        path: `${formatPath(index)}${operation.path}`,
      })),
    ),
    ...from.slice(overlap).map(() => ({ op: 'remove' as const, path: formatPath(overlap) })),
    ...to.slice(overlap).map((value, index) => ({ op: 'add' as const, path: formatPath(overlap + index), value })),
  ];
}
