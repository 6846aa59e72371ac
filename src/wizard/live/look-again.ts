import { changedPaths } from '../../design/differences.ts';
import type { StepId } from '../../steps/contract.ts';
import { stepsThatRead } from '../../steps/reads.ts';
import type { Document } from '../design/document.ts';
import type { ScreenId, WizardState } from '../state.ts';

type Answers = Pick<WizardState, 'doneWith' | 'inForce'>;

/**
 * The finished steps that depend on answers which have changed since. An answer that is taken back restores what was
 * found with it: that is still true.
 */
export function toLookAgain({ doneWith, inForce }: Answers): StepId[] {
  if (inForce === null) return [];
  const touched = new Map<Document, readonly StepId[]>();
  const isTouched = (id: StepId, done: Document) => {
    if (!touched.has(done)) touched.set(done, stepsThatRead(changedPaths(done, inForce.document)));
    return touched.get(done)?.includes(id) ?? false;
  };
  return (Object.entries(doneWith) as [StepId, Document][])
    .filter(([id, done]) => done !== inForce.document && isTouched(id, done))
    .map(([id]) => id);
}

/** After a look: with which answers the step was done, or that it is not. */
export function withLook(state: WizardState, id: StepId, isDone: boolean): WizardState {
  const { [id]: before, ...others } = state.doneWith;
  const done = isDone ? state.inForce?.document : undefined;
  if (before === done) return state;
  return { ...state, doneWith: done === undefined ? others : { ...state.doneWith, [id]: done } };
}

/** Where Enter leads from the review of a person who came from a step: to what has to be looked at again, else back there. */
export function afterReview(state: WizardState): ScreenId | null {
  return state.visit?.from ? (toLookAgain(state)[0] ?? state.visit.from) : null;
}
