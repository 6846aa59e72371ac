import { checkDocument } from '../../design/parse.ts';
import type { SessionState } from '../../session/state.ts';
import { STEP_IDS } from '../../steps/contract.ts';

// A separate module, so that read-only commands load little code.

/**
 * Returns the design that everything except the design pages uses: the current answers, or the last valid ones if those
 * have errors (`isLastValid`).
 */
export function getDesignInForce({ design, inForce }: Pick<SessionState, 'design' | 'inForce'>) {
  const currentResult = checkDocument(design, true);
  if (currentResult.design !== null || inForce === null) return { ...currentResult, isLastValid: false };
  const lastValidResult = checkDocument(inForce, true);
  return lastValidResult.design === null
    ? { ...currentResult, isLastValid: false }
    : { ...lastValidResult, isLastValid: true };
}

/** Whether the user has continued from the design to the steps. */
export function isPastReview({ place, reached, memory }: Pick<SessionState, 'place' | 'reached' | 'memory'>): boolean {
  const steps: readonly string[] = STEP_IDS;
  return steps.includes(place.screen) || steps.includes(reached ?? '') || memory.stage !== undefined;
}

/**
 * Returns the answers to save with a new document. The replaced document stays as the last valid one if it has no
 * errors.
 */
export function updateAnswers(
  { design, inForce }: SessionState,
  document: unknown,
): Pick<SessionState, 'design' | 'inForce'> {
  return { design: document, inForce: checkDocument(design, true).design === null ? inForce : design };
}
