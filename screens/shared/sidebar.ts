import { catalogue } from '../../src/i18n/catalogue.ts';
import type { SidebarItem } from '../../src/ui/components/app-frame.tsx';
import { findPageForPath } from '../../src/wizard/design/review.ts';
import { listOutdatedSteps } from '../../src/wizard/live/progress.ts';
import { getSidebarSelection } from '../../src/wizard/overlays/palette.ts';
import { filterErrors, isStep, type ScreenId, screenIndex, type WizardState } from '../../src/wizard/state.ts';

import type { Screen } from './screen.ts';

type SidebarLimits = Pick<Screen, 'isWide' | 'minColumnsWithSidebar'>;

/** Whether the sidebar is shown. On a narrow terminal, a page with a wide table hides it. */
export function hasSidebar(
  state: WizardState,
  columns: number,
  { isWide = false, minColumnsWithSidebar = 0 }: SidebarLimits,
): boolean {
  if (state.overlay?.kind === 'rail') return true;
  if (state.screen === 'welcome') return false;
  return columns >= (isWide ? MIN_WIDE_COLUMNS : minColumnsWithSidebar);
}

/** Columns from which a wide table fits beside the sidebar. */
const MIN_WIDE_COLUMNS = 100;

/** Lists the screens listed in the sidebar, each with its state. */
export function listSidebarItems(state: WizardState): SidebarItem[] {
  return state.screens
    .filter((id) => id !== 'welcome')
    .map((id) => ({
      label: catalogue().screens.sidebar[id],
      state: deriveItemState(state, id),
      isSelected: id === getSidebarSelection(state),
    }));
}

function deriveItemState(state: WizardState, id: ScreenId): SidebarItem['state'] {
  if (id === state.screen) return 'current';
  if (isStep(id)) {
    const { phase } = state.runs[id];
    // A step that was finished in an earlier session is probed again when it is opened.
    if (listOutdatedSteps(state).includes(id)) return phase === 'failed' ? 'problem' : 'open';
    const isFinished = phase === 'done' || (phase === 'unknown' && screenIndex(id) < state.reached);
    return phase === 'failed' ? 'problem' : isFinished ? 'done' : 'open';
  }
  if (screenIndex(id) >= state.reached) return 'open';
  const errors = filterErrors([...state.problems, ...state.credentialProblems]);
  const hasErrors = id === 'review' ? errors.length > 0 : errors.some(({ path }) => findPageForPath(path) === id);
  return hasErrors ? 'problem' : 'done';
}
