import { pastedSecretIn } from '../../design/pasted-secrets.ts';
import { catalogue } from '../../text/catalogue.ts';
import { Secret } from '../../text/secret.ts';
import { setAt } from '../design/document.ts';
import { enterForm, focusedField } from '../design/editing.ts';
import { changedDocument } from '../design/undo.ts';
import type { Event, Intent } from '../intents.ts';
import type { NoticeAbout, WizardState } from '../state.ts';
import { type Update, unchanged } from '../update-result.ts';

const words = () => catalogue().pages.credentials.pasted;

/** The answers that name a file of credentials, and what may be pasted in place of its name. */
const FILES = { 'pull-secret': 'credentials.pullSecretFile', 'ssh-key': 'credentials.sshKeyFile' } as const;

/**
 * What a paste of credentials does instead of becoming text: in the field that names their file they go into a file, and
 * nowhere else do they stay. Null for any other input. What was pasted is never in the state.
 */
export function updatePasted(state: WizardState, input: Intent | Event): Update | null {
  const text = textOf(input);
  if (text === null) return null;
  // Keys that spell out JSON come from a terminal that does not mark a paste: the rest of them would be shown as text.
  if (isBrace(input) || isMoreOfIt(state, input)) return refused(state, words().asKeys, { what: 'secret-as-keys' });
  const kind = pastedSecretIn(text);
  const path = input.type === 'field/edit' && state.overlay === null ? focusedField(state)?.path : undefined;
  // In this field everything that begins like JSON was meant as a pull secret: judging it says what is wrong.
  if (path === FILES['pull-secret'] && (kind === 'pull-secret' || /^\s*\{/.test(text)))
    return keep('pull-secret', text);
  if (path === FILES['ssh-key'] && kind === 'ssh-key') return keep('ssh-key', text);
  if (kind === 'private-key') return refused(state, words().privateKey);
  if (kind === 'pull-secret') return refused(state, words().elsewhere);
  return null;

  function keep(what: keyof typeof FILES, secret: string): Update {
    const effects = [{ type: 'keep-pasted', what, text: new Secret(secret) } as const];
    return { state: { ...state, notice: null }, effects };
  }
}

/** The text that an input would bring into the state. */
function textOf(input: Intent | Event): string | null {
  if (input.type === 'import/paste') return input.text;
  if (!('event' in input) || input.event.kind === 'key') return null;
  return input.event.text;
}

const isBrace = (input: Intent | Event) =>
  input.type === 'field/edit' && input.event.kind === 'char' && input.event.text === '{';

const isMoreOfIt = ({ notice }: WizardState, input: Intent | Event) =>
  input.type === 'field/edit' && input.event.kind === 'char' && notice?.about?.what === 'secret-as-keys';

function refused(state: WizardState, text: string, about?: NoticeAbout): Update {
  const { overlay } = state;
  if (overlay?.kind === 'import' && 'refusal' in overlay.importing)
    return unchanged({ ...state, overlay: { ...overlay, importing: { ...overlay.importing, refusal: text } } });
  return unchanged({ ...state, notice: { kind: 'error', text, ...(about && { about }) } });
}

/** A pasted credential is in its file: the design names it, wherever the cursor is. */
export function pastedKept(state: WizardState, what: keyof typeof FILES, file: string): Update {
  const named = changedDocument(state, setAt(state.document, FILES[what], file));
  const focused = named.screen === 'credentials' ? enterForm(named) : named;
  return {
    state: { ...focused, notice: { kind: 'info', text: words().kept(file) } },
    effects: [{ type: 'save' }, { type: 'judge-credentials' }],
  };
}
