import { isDifference } from '../../design/differences.ts';
import { checkDocument } from '../../design/parse.ts';
import { checksumOf } from '../../session/checksum.ts';
import type { SessionState } from '../../session/state.ts';
import { focusedField } from '../../wizard/design/editing.ts';
import { isReadOnly, isScreen, SCREEN_IDS, type ScreenId, screenIndex, type WizardState } from '../../wizard/state.ts';
import { isPastReview } from './in-force.ts';

type SavedAnswers = Pick<SessionState, 'design' | 'inForce' | 'changes'>;
type KeptAnswers = Pick<WizardState, 'inForce' | 'isDecided' | 'past' | 'future'>;

/** The answers of the wizard as a session keeps them: as typed, the last ones without errors, and what undo needs. */
export function savedAnswers({ document, design, inForce, past, future }: WizardState): SavedAnswers {
  return {
    design: document,
    inForce: design === null ? (inForce?.document ?? null) : null,
    changes: { of: checksumOf(document), past, future },
  };
}

/** Where a person goes on: at the step, while they only read what it works with. */
export function savedPlace(state: WizardState): Pick<SessionState, 'place' | 'reached'> {
  const reached = SCREEN_IDS[state.reached] ?? null;
  const from = isReadOnly(state) ? state.visit?.from : null;
  if (from) return { place: { screen: from, field: null }, reached };
  return { place: { screen: state.screen, field: focusedField(state)?.path ?? null }, reached };
}

/** Where whoever comes next goes on, after a program without screens came to this one. */
export function placeAt(screen: ScreenId, before: SessionState): Pick<SessionState, 'place' | 'reached'> {
  const place = { screen, field: null };
  return { place, reached: furthest({ place, reached: furthest(before) }) };
}

/** The furthest screen that a session knows of. */
export function furthest({ place, reached }: Pick<SessionState, 'place' | 'reached'>): ScreenId {
  const known = [place.screen, reached ?? ''].filter(isScreen);
  return known.reduce<ScreenId>((far, screen) => (screenIndex(screen) > screenIndex(far) ? screen : far), 'welcome');
}

/** What a session keeps of the answers besides them. Changes that do not begin at them are of no use, and left out. */
export function keptAnswers({ design, inForce, changes, place, reached, memory }: SessionState): KeptAnswers {
  const isSame = changes !== null && changes.of === checksumOf(design);
  const good = inForce === null ? null : checkDocument(inForce).design;
  return {
    inForce: good && { document: inForce, design: good },
    isDecided: good !== null || isPastReview({ place, reached, memory }),
    past: isSame ? changes.past.filter(isDifference) : [],
    future: isSame ? changes.future.filter(isDifference) : [],
  };
}
