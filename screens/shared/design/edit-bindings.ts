import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import type { Binding } from '../../../src/rows/bindings.ts';
import { canRevertField } from '../../../src/wizard/design/update-undo.ts';
import { getIntentRules, type Intent } from '../../../src/wizard/intents.ts';
import { listOutdatedSteps } from '../../../src/wizard/live/outdated-steps.ts';
import { isReadOnly, type Notice, type WizardState } from '../../../src/wizard/state.ts';
import type { Screen } from '../bindings.ts';

const keys = () => catalogue().screens.keys;

/** Wraps a page of the design: opened from a step, it is read-only until `e`, and Esc returns to that step. */
export function withEditLock(screen: Screen): Screen {
  return { ...screen, bindings: (state, viewport) => createEditLockBindings(state, screen.bindings(state, viewport)) };
}

function createEditLockBindings(state: WizardState, bindings: readonly Binding<Intent>[]): readonly Binding<Intent>[] {
  const { visit } = state;
  if (visit === null) return bindings;
  const labelledBindings = bindings.map((binding) =>
    returnsToStep(state, binding) ? { ...binding, label: getBackLabel(state) } : binding,
  );
  if (!isReadOnly(state)) return labelledBindings;
  const [firstBinding, ...otherBindings] = labelledBindings.map((binding): Binding<Intent> => {
    const isRefused = binding.intent !== null && getIntentRules(binding.intent).changes === 'answers';
    return isRefused ? { ...binding, disabledReason: catalogue().pages.editLock.readOnly } : withoutEditKey(binding);
  });
  const unlockBinding: Binding<Intent> = {
    keys: [SHORTCUTS.edit],
    label: keys().unlock,
    intent: { type: 'document/unlock' },
    staysVisible: true,
  };
  // A narrow footer drops the last keys, so Esc comes before the rest.
  const isEscape = ({ keys: names }: Binding<Intent>) => names.includes('escape');
  return firstBinding
    ? [
        firstBinding,
        unlockBinding,
        ...otherBindings.filter(isEscape),
        ...otherBindings.filter((binding) => !isEscape(binding)),
      ]
    : [unlockBinding];
}

/** `e` unlocks the page. A binding that also uses `e` keeps its other key, which opens a node read-only. */
function withoutEditKey(binding: Binding<Intent>): Binding<Intent> {
  if (!binding.keys.includes('e')) return binding;
  return { ...binding, keys: binding.keys.filter((name) => name !== 'e'), label: keys().details };
}

function returnsToStep({ visit, correctionPath, screen }: WizardState, { intent }: Binding<Intent>): boolean {
  return (
    intent?.type === 'screen/back' && visit?.returnTo != null && (screen === visit.entryPage || correctionPath === null)
  );
}

function getBackLabel({ visit }: WizardState): string {
  return visit?.returnTo ? keys().backTo(catalogue().screens.sidebar[visit.returnTo]) : keys().back;
}

/**
 * Creates a notice that names the finished steps that a changed answer affects, shown before the user leaves the page.
 * Null: there are none.
 */
export function createRecheckNotice(state: WizardState): Notice | null {
  const names = listOutdatedSteps(state).map((id) => catalogue().screens.sidebar[id]);
  return names.length === 0 ? null : { kind: 'info', text: catalogue().pages.affectedSteps(names.join(', ')) };
}

/**
 * Returns the undo and redo keys of every page of the design; letters only where no text is typed.
 * @param options.staysVisible the footer shows undo before other keys
 */
export function createUndoBindings(
  state: WizardState,
  options: { readonly isTyping: boolean; readonly staysVisible: boolean },
): Binding<Intent>[] {
  const { nothingToUndo, nothingToRedo } = catalogue().pages.undo;
  const canUndo = state.past.length > 0 || canRevertField(state);
  const canRedo = state.future.length > 0;
  return [
    {
      keys: options.isTyping ? ['ctrl-z'] : [SHORTCUTS.undo, 'ctrl-z'],
      label: keys().undoLast,
      shortLabel: keys().undoShort,
      intent: { type: 'document/undo' },
      ...(options.staysVisible ? { staysVisible: true } : {}),
      ...(canUndo ? {} : { disabledReason: nothingToUndo }),
    },
    {
      keys: options.isTyping ? ['ctrl-y'] : [SHORTCUTS.redo, 'ctrl-y'],
      label: keys().redo,
      intent: { type: 'document/redo' },
      ...(canRedo ? {} : { disabledReason: nothingToRedo }),
    },
  ];
}
