import { catalogue } from '../src/i18n/catalogue.ts';
import type { Binding } from '../src/rows/bindings.ts';
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

function createSshKeyBindings({ credentialProblems }: WizardState): Binding<Intent>[] {
  const isSshKeyMissing = credentialProblems.some(({ rule }) => rule === 'ssh-key-missing');
  return isSshKeyMissing
    ? [{ keys: ['ctrl-x'], label: catalogue().screens.keys.makeKey, intent: { type: 'credentials/make-key' } }]
    : [];
}
