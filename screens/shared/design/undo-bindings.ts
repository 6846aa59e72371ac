import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import type { Binding } from '../../../src/ui/keys.tsx';
import { canRevertField } from '../../../src/wizard/design/update-undo.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';

const keys = () => catalogue().screens.keys;

/** Returns the undo and redo keys of every page of the design; letters only where no text is typed. */
export function undoBindings(state: WizardState, options: { readonly isTyping: boolean }): Binding<Intent>[] {
  const { nothingToUndo, nothingToRedo } = catalogue().pages.undo;
  const canUndo = state.past.length > 0 || canRevertField(state);
  const canRedo = state.future.length > 0;
  return [
    {
      keys: options.isTyping ? ['ctrl-z'] : [SHORTCUTS.undo, 'ctrl-z'],
      label: keys().undoLast,
      intent: { type: 'document/undo' },
      ...(canUndo ? {} : { disabled: nothingToUndo }),
    },
    {
      keys: options.isTyping ? ['ctrl-y'] : [SHORTCUTS.redo, 'ctrl-y'],
      label: keys().redo,
      intent: { type: 'document/redo' },
      ...(canRedo ? {} : { disabled: nothingToRedo }),
    },
  ];
}
