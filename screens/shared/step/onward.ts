import { catalogue } from '../../../src/text/catalogue.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import { onwardGoal } from '../../../src/wizard/navigate.ts';
import type { WizardState } from '../../../src/wizard/state.ts';

/** Back to where the person was, when that is further than the next step. */
export function onwardBindings(state: WizardState): Binding<Intent>[] {
  const goal = onwardGoal(state);
  return goal === null
    ? []
    : [
        {
          keys: [LETTERS.onward],
          label: catalogue().screens.keys.onward(catalogue().screens.rail[goal]),
          intent: { type: 'screen/onward' },
        },
      ];
}
