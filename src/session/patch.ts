import { isDeepStrictEqual } from 'node:util';
import { applyPatch, createPatch } from 'rfc6902';
import type { SealedState, SessionState } from './state.ts';

/** One change of a JSON document (RFC 6902). */
export type PatchStep =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** Names that the library leaves out, or leads no patch through. */
const UNSAFE = /"__proto__"|\/(?:__proto__|constructor|prototype)["/]/;

/** What changed from one saved state to the next; null where a patch cannot say it. */
export function patchBetween(before: SealedState, after: SealedState): PatchStep[] | null {
  const patch = stepsBetween(unsealed(before), unsealed(after));
  return UNSAFE.test(JSON.stringify(patch)) ? null : patch;
}

/** The state after a patch, which may end where the patch does not fit: its checksum says so. Changes `state`. */
export function patched(state: Record<string, unknown>, patch: readonly PatchStep[]): Record<string, unknown> {
  applyPatch(state, [...patch]);
  return state;
}

function unsealed({ serial: _serial, checksum: _checksum, ...state }: SealedState): SessionState {
  return state;
}

function stepsBetween(before: unknown, after: unknown): PatchStep[] {
  // It makes no other operations.
  return createPatch(before, after, arrays).filter(({ op }) => op !== 'test') as PatchStep[];
}

interface Pointer {
  add(token: string): Pointer;
  toString(): string;
}

/** Rows one by one between equal beginnings and ends; the library compares every row with every other one. */
function arrays(before: unknown, after: unknown, at: Pointer) {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  const most = Math.min(before.length, after.length);
  let first = 0;
  while (first < most && isDeepStrictEqual(before[first], after[first])) first += 1;
  let same = 0;
  while (same < most - first && isDeepStrictEqual(before.at(-1 - same), after.at(-1 - same))) same += 1;
  const from: unknown[] = before.slice(first, before.length - same);
  const to: unknown[] = after.slice(first, after.length - same);
  const place = (index: number) => at.add(String(first + index)).toString();
  const both = Math.min(from.length, to.length);
  return [
    ...to
      .slice(0, both)
      .flatMap((row, index) =>
        stepsBetween(from[index], row).map((step) => ({ ...step, path: `${place(index)}${step.path}` })),
      ),
    ...from.slice(both).map(() => ({ op: 'remove' as const, path: place(both) })),
    ...to.slice(both).map((value, index) => ({ op: 'add' as const, path: place(both + index), value })),
  ];
}
