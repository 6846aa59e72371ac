import { catalogue } from '../src/text/catalogue.ts';
import type { Binding } from '../src/ui/keys/keymap.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { WizardState } from '../src/wizard/state.ts';
import { formPage } from './shared/form-page.tsx';
import type { Screen } from './shared/screen.ts';

const page = formPage('credentials');

/** The credential files, and an offer to make an SSH key where there is none yet. */
export const credentialsScreen: Screen = {
  ...page,
  bindings(state) {
    const [next, ...others] = page.bindings(state);
    return [...(next ? [next] : []), ...keyBindings(state), ...others];
  },
};

function keyBindings({ credentialProblems }: WizardState): Binding<Intent>[] {
  const isMissing = credentialProblems.some(({ rule }) => rule === 'ssh-key-missing');
  return isMissing
    ? [{ keys: ['ctrl-n'], label: catalogue().screens.keys.makeKey, intent: { type: 'credentials/make-key' } }]
    : [];
}
