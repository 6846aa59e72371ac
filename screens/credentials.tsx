import { catalogue } from '../src/i18n/catalogue.ts';
import { wrapProse } from '../src/i18n/prose.ts';
import { Label, Row } from '../src/ui/components/select.tsx';
import type { Binding } from '../src/ui/keys.tsx';
import { AreaProvider, getGlyphs, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import { getActiveForm, getFocusedField, listActiveFieldProblems } from '../src/wizard/design/active-form.ts';
import { formatProblem } from '../src/wizard/design/fields.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { WizardState } from '../src/wizard/state.ts';
import type { Screen } from './shared/bindings.ts';
import { formPage } from './shared/design/form-page.tsx';

const page = formPage('credentials');

/** Shows the credential files, and offers to create an SSH key if there is none. */
export const credentialsScreen: Screen = {
  ...page,
  bindings(state) {
    const [next, ...others] = page.bindings(state);
    return [...(next ? [next] : []), ...createKeyBindings(state), ...others];
  },
  draw: (state) => <CredentialsBody state={state} />,
};

function createKeyBindings({ credentialProblems }: WizardState): Binding<Intent>[] {
  const isMissing = credentialProblems.some(({ rule }) => rule === 'ssh-key-missing');
  return isMissing
    ? [{ keys: ['ctrl-n'], label: catalogue().screens.keys.makeKey, intent: { type: 'credentials/make-key' } }]
    : [];
}

/** Minimum rows of a usable form. */
const MIN_FORM_ROWS = 12;

/**
 * The form and, below it, the problems of the other files in full, so that all can be corrected at once.
 * Example: `SSH public key file: There is no SSH key yet. Make one with: ssh-keygen -t ed25519`
 */
function CredentialsBody({ state }: { readonly state: WizardState }) {
  const area = useArea();
  const glyphs = getGlyphs(useTerminalStyle());
  const focused = getFocusedField(state);
  const lines = (getActiveForm(state)?.fields ?? []).flatMap((field) => {
    const [problem] = field.path === focused?.path ? [] : listActiveFieldProblems(state, field);
    if (problem === undefined) return [];
    const glyph = problem.severity === 'error' ? glyphs.problem : glyphs.warning;
    const text = `${field.words().label}: ${formatProblem(problem, state.document)}`;
    const tone = problem.severity === 'error' ? ('error' as const) : ('warn' as const);
    return wrapProse(text, area.columns, `${glyph} `).map(({ text: line, isCommand }) => ({
      line,
      tone: isCommand ? ('accent' as const) : tone,
    }));
  });
  const visibleLines = lines.slice(0, Math.max(0, area.rows - MIN_FORM_ROWS));
  return (
    <>
      <AreaProvider area={{ columns: area.columns, rows: area.rows - visibleLines.length }}>
        {page.draw(state)}
      </AreaProvider>
      {visibleLines.map(({ line, tone }) => (
        <Row key={line}>
          <Label tone={tone}>{line}</Label>
        </Row>
      ))}
    </>
  );
}
