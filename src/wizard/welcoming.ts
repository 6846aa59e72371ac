import type { InputOf } from './intents.ts';
import type { Leaving, WizardState } from './state.ts';
import { type Update, unchanged } from './update-result.ts';

/** What an input of the welcome makes of the state. */
export function updateWelcome(state: WizardState, input: InputOf<'welcome'>): Update {
  const { welcome } = state;
  switch (input.type) {
    case 'welcome/move': {
      const choice = Math.min(Math.max(welcome.choice + input.by, 0), input.count - 1);
      return unchanged({ ...state, welcome: { ...welcome, choice } });
    }
    case 'welcome/look':
      return { state, effects: [{ type: 'look-around' }] };
    case 'welcome/looked':
      return unchanged({ ...state, welcome: { ...welcome, around: input.around } });
    case 'welcome/rehearse':
      return elsewhere(state, 'rehearse');
    case 'welcome/new':
      return elsewhere(state, 'new');
    case 'welcome/open':
      return elsewhere({ ...state, welcome: { ...welcome, opens: input.dir } }, 'open');
  }
}

function elsewhere(state: WizardState, how: Leaving): Update {
  return { state: { ...state, isLeaving: how }, effects: [{ type: 'leave', how }] };
}
