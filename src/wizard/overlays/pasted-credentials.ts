import { detectPastedSecret } from '../../design/pasted-secrets.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { Secret } from '../../platform/secret.ts';
import { enterForm, getFocusedField } from '../design/active-form.ts';
import { setAt } from '../design/document.ts';
import { changeDocument } from '../design/undo.ts';
import type { Event, Intent } from '../intents.ts';
import type { NoticeContext, WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';

const words = () => catalogue().pages.credentials.pasted;

/** The fields that name a credential file. A credential may be pasted there in place of the path. */
const FILE_FIELDS = { 'pull-secret': 'credentials.pullSecretFile', 'ssh-key': 'credentials.sshKeyFile' } as const;

/**
 * Handles a paste of credentials: in the field that names their file they are written to a file, and elsewhere they are
 * rejected. Null for any other input. The pasted text is never in the state.
 */
export function updatePastedCredential(state: WizardState, input: Intent | Event): Update | null {
  const text = getInputText(input);
  if (text === null) return null;
  // JSON that arrives as single keys comes from a terminal that does not mark a paste: the remaining keys would be
  // shown as text.
  if (isBrace(input) || isMoreOfSecret(state, input))
    return refusePaste(state, words().sentAsKeys, { what: 'secret-as-keys' });
  const kind = detectPastedSecret(text);
  const path = input.type === 'field/edit' && state.overlay === null ? getFocusedField(state)?.path : undefined;
  // In this field, all input that begins like JSON is meant as a pull secret: the check then reports the error.
  if (path === FILE_FIELDS['pull-secret'] && (kind === 'pull-secret' || /^\s*\{/.test(text)))
    return saveCredential('pull-secret', text);
  if (path === FILE_FIELDS['ssh-key'] && kind === 'ssh-key') return saveCredential('ssh-key', text);
  if (kind === 'private-key') return refusePaste(state, words().privateKey);
  if (kind === 'pull-secret') return refusePaste(state, words().wrongPage);
  return null;

  function saveCredential(what: keyof typeof FILE_FIELDS, secret: string): Update {
    const effects = [{ type: 'keep-pasted', what, text: new Secret(secret) } as const];
    return { state: { ...state, notice: null }, effects };
  }
}

/** Returns the text that an input would bring into the state; null if it has none. */
function getInputText(input: Intent | Event): string | null {
  if (input.type === 'import/paste') return input.text;
  if (!('event' in input) || input.event.kind === 'key') return null;
  return input.event.text;
}

const isBrace = (input: Intent | Event) =>
  input.type === 'field/edit' && input.event.kind === 'char' && input.event.text === '{';

const isMoreOfSecret = ({ notice }: WizardState, input: Intent | Event) =>
  input.type === 'field/edit' && input.event.kind === 'char' && notice?.about?.what === 'secret-as-keys';

function refusePaste(state: WizardState, text: string, about?: NoticeContext): Update {
  const { overlay } = state;
  if (overlay?.kind === 'import' && 'refusal' in overlay.importState)
    return withoutEffects({
      ...state,
      overlay: { ...overlay, importState: { ...overlay.importState, refusal: text } },
    });
  return withoutEffects({ ...state, notice: { kind: 'error', text, ...(about && { about }) } });
}

/** After a pasted credential was saved: sets its file in the design, on any screen. */
export function setCredentialFile(state: WizardState, what: keyof typeof FILE_FIELDS, file: string): Update {
  const named = changeDocument(state, setAt(state.document, FILE_FIELDS[what], file));
  const focused = named.screen === 'credentials' ? enterForm(named) : named;
  return {
    state: { ...focused, notice: { kind: 'info', text: words().saved(file) } },
    effects: [{ type: 'save' }, { type: 'judge-credentials' }],
  };
}
