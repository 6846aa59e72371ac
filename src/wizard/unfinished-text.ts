import { detectPastedSecret } from '../design/credentials.ts';
import { importDesign, isImportFailure } from '../design/imports/index.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { containsSecret, redactPatterns } from '../platform/secrets.ts';
import { getActiveForm, getFocusedField } from './design/active-form.ts';
import { readFieldText } from './design/fields.ts';
import type { WizardState } from './state.ts';
import { createTextField, type TextFieldState, type UnfinishedText } from './text-input.ts';

/** Maximum number of characters. Longer lines of an import were pasted, so their source still has them. */
const MAX_LENGTH = 100_000;

/**
 * Finds the text that the user is typing and has not accepted, so that a signal or a lost connection does not lose it.
 * @returns null if there is none, or if it contains a secret, which a session never stores
 */
export function findUnfinishedText(state: WizardState): UnfinishedText | null {
  const unfinishedText = findTypedText(state);
  return unfinishedText === null ||
    unfinishedText.text === '' ||
    unfinishedText.text.length > MAX_LENGTH ||
    holdsSecret(unfinishedText)
    ? null
    : unfinishedText;
}

function findTypedText(state: WizardState): UnfinishedText | null {
  const { overlay } = state;
  if (overlay?.kind === 'install') return { where: 'install', ...overlay.editor };
  if (overlay?.kind === 'import') {
    const { importState } = overlay;
    if ('editor' in importState) return { where: 'import-file', ...importState.editor };
    return importState.lines === null ? null : { where: 'import-lines', text: importState.lines, cursor: 0 };
  }
  const activeForm = getActiveForm(state);
  const field = getFocusedField(state);
  if (!activeForm || !field || activeForm.form.editor.text === readFieldText(activeForm.part, field)) return null;
  return { where: 'field', ...activeForm.form.editor };
}

/** Whether a typed text is, or looks like, a secret. */
export function looksLikeSecret(text: string): boolean {
  const kind = detectPastedSecret(text);
  return kind === 'pull-secret' || kind === 'private-key' || containsSecret(text) || redactPatterns(text) !== text;
}

function holdsSecret({ where, text }: UnfinishedText): boolean {
  if (looksLikeSecret(text)) return true;
  const importResult = where === 'import-lines' ? importDesign(text) : null;
  return importResult !== null && !isImportFailure(importResult) && importResult.files.length > 0;
}

/** Puts an unfinished text of the last session back to where it was typed. The cursor is at its field already. */
export function restoreUnfinishedText(state: WizardState, { where, text, cursor }: UnfinishedText): WizardState {
  const editor: TextFieldState = { text, cursor };
  switch (where) {
    case 'field': {
      const label = getFocusedField(state)?.words().label;
      if (label === undefined) return state;
      const notice = { kind: 'info', text: catalogue().pages.unfinished(label) } as const;
      return { ...typeIntoField(state, text, cursor), notice };
    }
    case 'import-file':
      return { ...state, overlay: { kind: 'import', importState: { phase: 'file', editor, refusal: null } } };
    case 'import-lines':
      return { ...state, overlay: { kind: 'import', importState: { phase: 'lines', lines: text, refusal: null } } };
    case 'install':
      return { ...state, overlay: { kind: 'install', editor, refusal: null } };
  }
}

/** Puts a text into the field under the cursor as if it was typed: Enter accepts it, Esc undoes it. */
export function typeIntoField(state: WizardState, text: string, cursor?: number): WizardState {
  const activeForm = getActiveForm(state);
  const editor = cursor === undefined ? createTextField(text) : { text, cursor };
  return activeForm ? activeForm.writeBack(state, { ...activeForm.form, editor }) : state;
}
