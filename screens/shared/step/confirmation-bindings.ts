import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import type { Binding } from '../../../src/ui/keys.tsx';

import type { Intent } from '../../../src/wizard/intents.ts';
import type { ConfirmationPrompt } from '../../../src/wizard/live/step-run.ts';

/**
 * The key for yes, disabled while the preview loads or forbids it, and the keys of the wider questions offered instead.
 */
export function confirmationBindings({ action, confirmation }: ConfirmationPrompt): Binding<Intent>[] {
  const yes: Binding<Intent> = {
    keys: ['y'],
    label: catalogue().screens.keys.yes,
    intent: { type: 'step/answer', isYes: true },
  };
  if (confirmation === undefined) return [yes];
  if (confirmation === 'reading') return [{ ...yes, disabled: catalogue().screens.step.stillLooking }];
  return [
    confirmation.blockedReason === undefined ? yes : { ...yes, disabled: confirmation.blockedReason },
    ...confirmation.alternatives.map(
      ({ key, label, subject }): Binding<Intent> => ({
        keys: [SHORTCUTS[key]],
        label,
        intent: { type: 'step/ask', action, subject },
      }),
    ),
  ];
}
