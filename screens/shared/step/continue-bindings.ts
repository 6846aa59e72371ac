import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import type { Binding } from '../../../src/ui/keys.tsx';
import type { Intent } from '../../../src/wizard/intents.ts';
import { getContinueTarget } from '../../../src/wizard/navigation.ts';
import type { WizardState } from '../../../src/wizard/state.ts';

/** Returns a key to the screen where the user was before, if that is beyond the next step. */
export function continueBindings(state: WizardState): Binding<Intent>[] {
  const goal = getContinueTarget(state);
  return goal === null
    ? []
    : [
        {
          keys: [SHORTCUTS.resume],
          label: catalogue().screens.keys.continueTo(catalogue().screens.sidebar[goal]),
          intent: { type: 'screen/onward' },
        },
      ];
}
