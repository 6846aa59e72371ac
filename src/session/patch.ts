import { isDeepStrictEqual } from 'node:util';
import { applyPatch, createPatch } from 'rfc6902';
import type { ChecksummedState, SessionState } from './state.ts';

/** One operation of a JSON patch (RFC 6902). */
type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** Property names that the library omits, or below which it applies no patch. */
const UNSAFE_KEY = /"__proto__"|\/(?:__proto__|constructor|prototype)["/]/;

/** Computes the patch between two saved states; null if a patch cannot express the change. */
export function diffStates(previousState: ChecksummedState, newState: ChecksummedState): PatchOperation[] | null {
  const patch = diffValues(stripChecksum(previousState), stripChecksum(newState));
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

function diffValues(previousValue: unknown, newValue: unknown): PatchOperation[] {
  // The library creates no other operations.
  return createPatch(previousValue, newValue, diffArrays).filter(({ op }) => op !== 'test') as PatchOperation[];
}

interface Pointer {
  add(token: string): Pointer;
  toString(): string;
}

/**
 * Compares arrays row by row between their common prefix and suffix; the library would compare every row with every
 * other one.
 */
function diffArrays(previousValue: unknown, newValue: unknown, pointer: Pointer) {
  if (!Array.isArray(previousValue) || !Array.isArray(newValue)) return undefined;
  const maxLength = Math.min(previousValue.length, newValue.length);
  let prefixLength = 0;
  while (prefixLength < maxLength && isDeepStrictEqual(previousValue[prefixLength], newValue[prefixLength]))
    prefixLength += 1;
  let suffixLength = 0;
  while (
    suffixLength < maxLength - prefixLength &&
    isDeepStrictEqual(previousValue.at(-1 - suffixLength), newValue.at(-1 - suffixLength))
  )
    suffixLength += 1;
  const previousRows: unknown[] = previousValue.slice(prefixLength, previousValue.length - suffixLength);
  const newRows: unknown[] = newValue.slice(prefixLength, newValue.length - suffixLength);
  const formatPointer = (index: number) => pointer.add(String(prefixLength + index)).toString();
  const overlap = Math.min(previousRows.length, newRows.length);
  return [
    ...newRows.slice(0, overlap).flatMap((row, index) =>
      diffValues(previousRows[index], row).map((operation) => ({
        ...operation,
        path: `${formatPointer(index)}${operation.path}`,
      })),
    ),
    ...previousRows.slice(overlap).map(() => ({ op: 'remove' as const, path: formatPointer(overlap) })),
    ...newRows
      .slice(overlap)
      .map((value, index) => ({ op: 'add' as const, path: formatPointer(overlap + index), value })),
  ];
}
