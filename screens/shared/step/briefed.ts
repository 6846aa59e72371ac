import { catalogue } from '../../../src/text/catalogue.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Question } from '../../../src/wizard/live/step-run.ts';

/** Yes, where it is an answer, and the questions in place of this one, which go further. */
export function answersTo({ action, brief }: Question): Binding<Intent>[] {
  const yes: Binding<Intent> = {
    keys: ['y'],
    label: catalogue().screens.keys.yes,
    intent: { type: 'step/answer', isYes: true },
  };
  if (brief === undefined) return [yes];
  if (brief === 'reading') return [{ ...yes, disabled: catalogue().screens.step.stillLooking }];
  return [
    brief.whyNot === undefined ? yes : { ...yes, disabled: brief.whyNot },
    ...brief.instead.map(
      ({ key, label, subject }): Binding<Intent> => ({
        keys: [LETTERS[key]],
        label,
        intent: { type: 'step/ask', action, subject },
      }),
    ),
  ];
}
