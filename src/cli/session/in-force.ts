import { checkDocument } from '../../design/parse.ts';
import type { SessionState } from '../../session/state.ts';
import { STEP_IDS } from '../../steps/contract.ts';

// Apart from what only the wizard needs: a command that looks loads little.

/** The design that everything but the wizard's own pages works with, and whether it is not the one as typed last. */
export function designInForce({ design, inForce }: Pick<SessionState, 'design' | 'inForce'>) {
  const typed = checkDocument(design, true);
  if (typed.design !== null || inForce === null) return { ...typed, isLastGood: false };
  const good = checkDocument(inForce, true);
  return good.design === null ? { ...typed, isLastGood: false } : { ...good, isLastGood: true };
}

/** Whether a person has gone on from the design to the steps. */
export function isPastReview({ place, reached, memory }: Pick<SessionState, 'place' | 'reached' | 'memory'>): boolean {
  const steps: readonly string[] = STEP_IDS;
  return steps.includes(place.screen) || steps.includes(reached ?? '') || memory.stage !== undefined;
}

/** The saved answers after another document was typed. */
export function nextAnswers(
  { design, inForce }: SessionState,
  document: unknown,
): Pick<SessionState, 'design' | 'inForce'> {
  return { design: document, inForce: checkDocument(design, true).design === null ? inForce : design };
}
