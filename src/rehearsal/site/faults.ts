import { rehearsal as words } from '../../text/en/rehearsal.ts';

/** What can be made to go wrong in a rehearsal. */
export type FaultId = keyof typeof words.faults;

/** Every fault with one sentence that says what it is. */
export const FAULTS: readonly { readonly id: FaultId; readonly sentence: string }[] = (
  Object.keys(words.faults) as FaultId[]
).map((id) => ({ id, sentence: words.faults[id] }));

export function isFaultId(text: string): text is FaultId {
  return Object.hasOwn(words.faults, text);
}
