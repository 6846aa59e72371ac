import { catalogue } from '../../src/text/catalogue.ts';
import type { RailItem } from '../../src/ui/components/app-frame.tsx';
import { pageOfPath } from '../../src/wizard/design/review.ts';
import { toLookAgain } from '../../src/wizard/live/look-again.ts';
import { selectedInRail } from '../../src/wizard/overlays/palette.ts';
import { errorsOf, isStep, type ScreenId, screenIndex, type WizardState } from '../../src/wizard/state.ts';
import type { Screen } from './screen.ts';

type Width = Pick<Screen, 'isWide' | 'leastBesideRail'>;

/** On a narrow terminal, pages with a wide table have it to themselves. */
export function hasRail(state: WizardState, columns: number, { isWide = false, leastBesideRail = 0 }: Width): boolean {
  if (state.overlay?.kind === 'rail') return true;
  if (state.screen === 'welcome') return false;
  return columns >= (isWide ? WIDE_ENOUGH : leastBesideRail);
}

/** A terminal in which a wide table has room beside the list. */
const WIDE_ENOUGH = 100;

/** The screens at the left, each with how it is. */
export function railOf(state: WizardState): RailItem[] {
  return state.screens
    .filter((id) => id !== 'welcome')
    .map((id) => ({
      label: catalogue().screens.rail[id],
      state: railState(state, id),
      isSelected: id === selectedInRail(state),
    }));
}

function railState(state: WizardState, id: ScreenId): RailItem['state'] {
  if (id === state.screen) return 'current';
  if (isStep(id)) {
    const { phase } = state.runs[id];
    // Opening a step that was passed in an earlier session looks at it anew.
    if (toLookAgain(state).includes(id)) return phase === 'failed' ? 'problem' : 'open';
    const isPassed = phase === 'done' || (phase === 'unknown' && screenIndex(id) < state.reached);
    return phase === 'failed' ? 'problem' : isPassed ? 'done' : 'open';
  }
  if (screenIndex(id) >= state.reached) return 'open';
  const wrong = errorsOf([...state.problems, ...state.credentialProblems]);
  const isWrong = id === 'review' ? wrong.length > 0 : wrong.some(({ path }) => pageOfPath(path) === id);
  return isWrong ? 'problem' : 'done';
}
