import { applyDifference, compareStates, type Difference, listChangedPaths } from '../../design/differences.ts';
import { checkDocument } from '../../design/parse.ts';
import { type DesignDocument, getAt } from '../../design/paths.ts';
import type { WizardState } from '../state.ts';

/**
 * The number of changes that undo keeps at least. The list is cut only at twice that length, because saving a changed
 * long list is expensive.
 */
const MIN_UNDO_STEPS = 100;

type CheckedAnswers = Pick<WizardState, 'document' | 'design' | 'problems' | 'inForce'>;

/**
 * Checks a document and returns the parts of the state derived from it.
 * @param inForce the last valid answers, which stay in force while the new ones have errors
 */
export function checkAnswers(document: DesignDocument, inForce: WizardState['inForce']): CheckedAnswers {
  const { design, problems } = checkDocument(document);
  return { document, design, problems, inForce: design === null ? inForce : { document, design } };
}

/**
 * Returns the answers in force; null until the user has reached a step: after an import, the example must not count.
 */
const getLastValidAnswers = ({ hasReachedStep, inForce }: WizardState) => (hasReachedStep ? inForce : null);

/**
 * Returns the state with another document. All changes of the answers use this function, so that undo covers each of
 * them.
 * @param previousChange an earlier change; the new one is merged into it if it is still the last one
 */
export function changeDocument(
  state: WizardState,
  document: DesignDocument,
  previousChange: Difference | null = null,
): WizardState {
  const isMerged = previousChange !== null && state.past.at(-1) === previousChange;
  const past = isMerged ? state.past.slice(0, -1) : state.past;
  const undoStep = compareStates(document, isMerged ? applyDifference(state.document, previousChange) : state.document);
  if (undoStep === null) return { ...state, ...checkAnswers(document, getLastValidAnswers(state)), past };
  return {
    ...state,
    ...checkAnswers(document, getLastValidAnswers(state)),
    past: limitHistory([...past, undoStep]),
    future: [],
  };
}

/** Returns the state with a document in which the wizard changed answers: typing replaces each changed value. */
export function changeAsWizard(state: WizardState, document: DesignDocument): WizardState {
  const changes = listChangedPaths(state.document, document).map((path) => [path, getAt(document, path)] as const);
  const wizardAnswers = { ...state.wizardAnswers, ...Object.fromEntries(changes) };
  return { ...changeDocument(state, document), wizardAnswers };
}

/**
 * Returns the state before the last change (`past`), or after the last undone one (`future`); null if there is none.
 */
export function moveInHistory(state: WizardState, direction: 'past' | 'future'): WizardState | null {
  const change = state[direction].at(-1);
  if (change === undefined) return null;
  const document = applyDifference(state.document, change);
  const [oppositeDirection, remainingChanges] = [
    direction === 'past' ? 'future' : 'past',
    state[direction].slice(0, -1),
  ] as const;
  const inverse = compareStates(document, state.document);
  return {
    ...state,
    ...checkAnswers(document, getLastValidAnswers(state)),
    [direction]: remainingChanges,
    [oppositeDirection]:
      inverse === null ? state[oppositeDirection] : limitHistory([...state[oppositeDirection], inverse]),
  };
}

function limitHistory(changes: readonly Difference[]): readonly Difference[] {
  return changes.length > 2 * MIN_UNDO_STEPS ? changes.slice(-MIN_UNDO_STEPS) : changes;
}
