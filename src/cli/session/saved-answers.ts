import { isDifference } from '../../design/differences.ts';
import { checkDocument } from '../../design/parse.ts';
import { computeChecksum } from '../../session/safe-file.ts';
import type { SessionState } from '../../session/state.ts';
import { getFocusedField } from '../../wizard/design/active-form.ts';
import { isReadOnly, isScreen, SCREEN_IDS, type ScreenId, screenIndex, type WizardState } from '../../wizard/state.ts';

import { isPastReview } from './effective-design.ts';

type SavedAnswers = Pick<SessionState, 'design' | 'inForce' | 'changes'>;
type RestoredAnswers = Pick<WizardState, 'inForce' | 'isDecided' | 'past' | 'future'>;

/** The answers in saved form: as typed, the last valid ones, and the undo history. */
export function toSavedAnswers({ document, design, inForce, past, future }: WizardState): SavedAnswers {
  return {
    design: document,
    inForce: design === null ? (inForce?.document ?? null) : null,
    changes: { of: computeChecksum(document), past, future },
  };
}

/** Returns the screen to resume at: the step, if the user only views the answers that it works with. */
export function toSavedPlace(state: WizardState): Pick<SessionState, 'place' | 'reached'> {
  const reached = SCREEN_IDS[state.reached] ?? null;
  const from = isReadOnly(state) ? state.visit?.returnTo : null;
  if (from) return { place: { screen: from, field: null }, reached };
  return { place: { screen: state.screen, field: getFocusedField(state)?.path ?? null }, reached };
}

/** The place to resume at, after a program without screens has reached this screen. */
export function createPlace(screen: ScreenId, before: SessionState): Pick<SessionState, 'place' | 'reached'> {
  const place = { screen, field: null };
  return { place, reached: getFurthestScreen({ place, reached: getFurthestScreen(before) }) };
}

/** Returns the furthest screen that a session has reached. */
export function getFurthestScreen({ place, reached }: Pick<SessionState, 'place' | 'reached'>): ScreenId {
  const known = [place.screen, reached ?? ''].filter(isScreen);
  return known.reduce<ScreenId>((far, screen) => (screenIndex(screen) > screenIndex(far) ? screen : far), 'welcome');
}

/**
 * Restores what a session stores besides the answers. An undo history that does not start from these answers is
 * dropped.
 */
export function restoreAnswers({ design, inForce, changes, place, reached, memory }: SessionState): RestoredAnswers {
  const isSame = changes !== null && changes.of === computeChecksum(design);
  const valid = inForce === null ? null : checkDocument(inForce).design;
  return {
    inForce: valid && { document: inForce, design: valid },
    isDecided: valid !== null || isPastReview({ place, reached, memory }),
    past: isSame ? changes.past.filter(isDifference) : [],
    future: isSame ? changes.future.filter(isDifference) : [],
  };
}
