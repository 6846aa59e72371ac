import { catalogue } from '../../../src/text/catalogue.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import { isReadOnly, type WizardState } from '../../../src/wizard/state.ts';
import { isChanging } from '../../../src/wizard/update.ts';
import type { Screen } from '../screen.ts';

const keys = () => catalogue().screens.keys;

/** A page of the design: from a step it is read-only until `e`, and Esc leads back there. */
export function visitable(screen: Screen): Screen {
  return { ...screen, bindings: (state) => visitBindings(state, screen.bindings(state)) };
}

function visitBindings(state: WizardState, bindings: readonly Binding<Intent>[]): readonly Binding<Intent>[] {
  const { visit } = state;
  if (visit === null) return bindings;
  const named = bindings.map((binding) =>
    leadsBack(state, binding) ? { ...binding, label: backLabel(state) } : binding,
  );
  if (!isReadOnly(state)) return named;
  const [first, ...rest] = named.map((binding): Binding<Intent> => {
    const isRefused = binding.intent !== null && isChanging(binding.intent);
    return isRefused ? { ...binding, disabled: catalogue().pages.visit.readOnly } : withoutLetter(binding);
  });
  const unlock: Binding<Intent> = { keys: [LETTERS.edit], label: keys().unlock, intent: { type: 'document/unlock' } };
  // What a narrow footer has no room for is the rest.
  const isEscape = ({ keys: names }: Binding<Intent>) => names.includes('escape');
  return first ? [first, unlock, ...rest.filter(isEscape), ...rest.filter((each) => !isEscape(each))] : [unlock];
}

/** `e` lets the answers change; a node is opened by its other key, to be read. */
function withoutLetter(binding: Binding<Intent>): Binding<Intent> {
  if (!binding.keys.includes('e')) return binding;
  return { ...binding, keys: binding.keys.filter((name) => name !== 'e'), label: keys().details };
}

function leadsBack({ visit, fromReview, screen }: WizardState, { intent }: Binding<Intent>): boolean {
  return intent?.type === 'screen/back' && visit?.from != null && (screen === visit.entered || fromReview === null);
}

function backLabel({ visit }: WizardState): string {
  return visit?.from ? keys().backTo(catalogue().screens.rail[visit.from]) : keys().back;
}
