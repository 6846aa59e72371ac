import { listChangedPaths } from '../../design/differences.ts';
import type { DesignDocument } from '../../design/paths.ts';
import type { StepId } from '../../steps/contract.ts';
import { listDependentSteps } from '../../steps/step-inputs.ts';
import type { ScreenId, WizardState } from '../state.ts';

type CompletionState = Pick<WizardState, 'doneDocuments' | 'inForce'>;

/**
 * Lists the finished steps that depend on answers which have changed since. Reverting an answer makes the earlier
 * result valid again.
 */
export function listOutdatedSteps({ doneDocuments, inForce }: CompletionState): StepId[] {
  if (inForce === null) return [];
  const dependentStepsByDocument = new Map<DesignDocument, readonly StepId[]>();
  const isOutdated = (id: StepId, doneDocument: DesignDocument) => {
    if (!dependentStepsByDocument.has(doneDocument))
      dependentStepsByDocument.set(doneDocument, listDependentSteps(listChangedPaths(doneDocument, inForce.document)));
    return dependentStepsByDocument.get(doneDocument)?.includes(id) ?? false;
  };
  return (Object.entries(doneDocuments) as [StepId, DesignDocument][])
    .filter(([id, doneDocument]) => doneDocument !== inForce.document && isOutdated(id, doneDocument))
    .map(([id]) => id);
}

/** Records, after a probe, the answers with which the step is done; removes them if it is not done. */
export function recordCompletion(state: WizardState, id: StepId, isDone: boolean): WizardState {
  const { [id]: previousDocument, ...otherDocuments } = state.doneDocuments;
  const newDocument = isDone ? state.inForce?.document : undefined;
  if (previousDocument === newDocument) return state;
  return {
    ...state,
    doneDocuments: newDocument === undefined ? otherDocuments : { ...state.doneDocuments, [id]: newDocument },
  };
}

/**
 * Returns the screen after the review if the user came from a step: the first outdated step, else that step. Null
 * otherwise.
 */
export function getScreenAfterReview(state: WizardState): ScreenId | null {
  return state.visit?.returnTo ? (listOutdatedSteps(state)[0] ?? state.visit.returnTo) : null;
}
