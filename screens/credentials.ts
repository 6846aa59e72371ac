import { catalogue } from '../src/i18n/catalogue.ts';
import type { Binding } from '../src/rows/bindings.ts';
import { getFocusedField } from '../src/wizard/design/active-form.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { WizardState } from '../src/wizard/state.ts';
import type { Screen } from './shared/bindings.ts';
import { createFormPage } from './shared/design/form-page.ts';

const page = createFormPage('credentials');

/** Shows the credential files, and offers to create an SSH key if there is none. */
export const credentialsScreen: Screen = {
  ...page,
  bindings(state, viewport) {
    const [enterBinding, ...otherBindings] = page.bindings(state, viewport);
    return [...(enterBinding ? [enterBinding] : []), ...createSshKeyBindings(state), ...otherBindings];
  },
};

function createSshKeyBindings(state: WizardState): Binding<Intent>[] {
  const isSshKeyMissing = state.credentialProblems.some(({ rule }) => rule === 'ssh-key-missing');
  const isAtSshKey = getFocusedField(state)?.path === 'credentials.sshKeyFile';
  const binding: Binding<Intent> = {
    keys: ['ctrl-x'],
    label: catalogue().screens.keys.makeKey,
    intent: { type: 'credentials/make-key' },
    ...(isAtSshKey ? { staysVisible: true } : {}),
  };
  return isSshKeyMissing ? [binding] : [];
}
