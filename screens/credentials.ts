import { catalogue } from '../src/i18n/catalogue.ts';
import type { Binding } from '../src/rows/bindings.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { WizardState } from '../src/wizard/state.ts';
import type { Screen } from './shared/bindings.ts';
import { formPage } from './shared/design/form-page.ts';

const page = formPage('credentials');

/** Shows the credential files, and offers to create an SSH key if there is none. */
export const credentialsScreen: Screen = {
  ...page,
  bindings(state, viewport) {
    const [next, ...others] = page.bindings(state, viewport);
    return [...(next ? [next] : []), ...createKeyBindings(state), ...others];
  },
};

function createKeyBindings({ credentialProblems }: WizardState): Binding<Intent>[] {
  const isMissing = credentialProblems.some(({ rule }) => rule === 'ssh-key-missing');
  return isMissing
    ? [{ keys: ['ctrl-x'], label: catalogue().screens.keys.makeKey, intent: { type: 'credentials/make-key' } }]
    : [];
}
