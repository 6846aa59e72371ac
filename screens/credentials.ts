import { catalogue } from '../src/i18n/catalogue.ts';
import { wrapProse } from '../src/i18n/prose.ts';
import type { Binding } from '../src/rows/bindings.ts';
import { createRow, getGlyphs, type PageRow, type Viewport } from '../src/rows/page-rows.ts';
import { getActiveForm, getFocusedField, listActiveFieldProblems } from '../src/wizard/design/active-form.ts';
import { formatProblem } from '../src/wizard/design/fields.ts';
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
  rows: credentialsRows,
};

function createKeyBindings({ credentialProblems }: WizardState): Binding<Intent>[] {
  const isMissing = credentialProblems.some(({ rule }) => rule === 'ssh-key-missing');
  return isMissing
    ? [{ keys: ['ctrl-x'], label: catalogue().screens.keys.makeKey, intent: { type: 'credentials/make-key' } }]
    : [];
}

/** Minimum rows of a usable form. */
const MIN_FORM_ROWS = 12;

/**
 * The form and, below it, the problems of the other files in full, so that all can be corrected at once.
 * Example: `SSH public key file: There is no SSH key yet. Make one with: ssh-keygen -t ed25519`
 */
function credentialsRows(state: WizardState, viewport: Viewport): readonly PageRow[] {
  const { warning } = getGlyphs(viewport);
  const focusedField = getFocusedField(state);
  const lines = (getActiveForm(state)?.fields ?? []).flatMap((field) => {
    const [problem] = field.path === focusedField?.path ? [] : listActiveFieldProblems(state, field);
    if (problem === undefined) return [];
    const isError = problem.severity === 'error';
    const text = `${field.words().label}: ${formatProblem(problem, state.document)}`;
    return wrapProse(text, viewport.columns, `${warning} `).map(({ text: line, isCommand }) =>
      createRow(line, isCommand ? 'accent' : isError ? 'error' : 'warn'),
    );
  });
  const visibleLines = lines.slice(0, Math.max(0, viewport.rows - MIN_FORM_ROWS));
  const form = page.rows(state, { ...viewport, rows: viewport.rows - visibleLines.length });
  return [...form, ...visibleLines];
}
