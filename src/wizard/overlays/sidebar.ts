import type { InputOf } from '../intents.ts';
import { clampIndex } from '../list-filter.ts';
import type { ScreenId, WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { listReachableScreens } from './palette.ts';

/** Lists the screens of the sidebar: those that the user may go to, except Welcome. */
const listSidebarScreens = (state: WizardState): readonly ScreenId[] =>
  listReachableScreens(state).filter((id) => id !== 'welcome');

/** Handles an input to the sidebar: moves the focus there, or moves its selection. */
export function updateSidebar(state: WizardState, input: InputOf<'sidebar'>): Update {
  const screens = listSidebarScreens(state);
  const { overlay } = state;
  switch (input.type) {
    case 'sidebar/open':
      return withoutEffects({
        ...state,
        overlay: { kind: 'sidebar', row: Math.max(0, screens.indexOf(state.screen)) },
      });
    case 'sidebar/move': {
      if (overlay?.kind !== 'sidebar') return withoutEffects(state);
      const row = clampIndex(overlay.row + input.by, screens.length);
      return withoutEffects({ ...state, overlay: { kind: 'sidebar', row } });
    }
  }
}

/** Returns the screen that is selected in the sidebar; null while the sidebar does not have the focus. */
export function getSidebarSelection(state: WizardState): ScreenId | null {
  if (state.overlay?.kind !== 'sidebar') return null;
  return listSidebarScreens(state)[state.overlay.row] ?? null;
}
