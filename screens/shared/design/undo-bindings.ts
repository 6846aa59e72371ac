import { catalogue } from '../../../src/text/catalogue.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { canTakeBack } from '../../../src/wizard/design/update-undo.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';

const keys = () => catalogue().screens.keys;

/** Keys of every page of the design. Where text is typed, letters are text. */
export function undoBindings(state: WizardState, options: { readonly isTyping: boolean }): Binding<Intent>[] {
  const { nothingBack, nothingAgain } = catalogue().pages.undo;
  const canUndo = state.past.length > 0 || canTakeBack(state);
  const canRedo = state.future.length > 0;
  return [
    {
      keys: options.isTyping ? ['ctrl-z'] : [LETTERS.undo, 'ctrl-z'],
      label: keys().undoLast,
      intent: { type: 'document/undo' },
      ...(canUndo ? {} : { disabled: nothingBack }),
    },
    {
      keys: options.isTyping ? ['ctrl-y'] : [LETTERS.redo, 'ctrl-y'],
      label: keys().redo,
      intent: { type: 'document/redo' },
      ...(canRedo ? {} : { disabled: nothingAgain }),
    },
  ];
}
