import type { InputOf } from './intents.ts';
import type { LeaveReason, WizardState } from './state.ts';
import { type Update, withoutEffects } from './update-result.ts';

/** Handles an input to the welcome screen. */
export function updateWelcome(state: WizardState, input: InputOf<'welcome'>): Update {
  const { welcome } = state;
  switch (input.type) {
    case 'welcome/move': {
      const choice = Math.min(Math.max(welcome.choice + input.by, 0), input.count - 1);
      return withoutEffects({ ...state, welcome: { ...welcome, choice } });
    }
    case 'welcome/look':
      return { state, effects: [{ type: 'look-around' }] };
    case 'welcome/looked':
      return withoutEffects({ ...state, welcome: { ...welcome, overview: input.overview } });
    case 'welcome/rehearse':
      return leaveFor(state, 'rehearse');
    case 'welcome/new':
      return leaveFor(state, 'new');
    case 'welcome/open':
      return leaveFor({ ...state, welcome: { ...welcome, nextDir: input.dir } }, 'open');
  }
}

function leaveFor(state: WizardState, how: LeaveReason): Update {
  return { state: { ...state, leaveReason: how }, effects: [{ type: 'leave', how }] };
}
