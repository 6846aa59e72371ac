import { catalogue } from '../src/i18n/catalogue.ts';
import { wrapProse } from '../src/i18n/prose.ts';
import { Label, Row } from '../src/ui/components/label.tsx';
import type { Binding } from '../src/ui/keys/keymap.ts';
import { AreaProvider, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import { getGlyphs } from '../src/ui/theme.ts';
import { getActiveForm, getFocusedField, listActiveFieldProblems } from '../src/wizard/design/active-form.ts';
import { formatProblem } from '../src/wizard/design/fields.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { WizardState } from '../src/wizard/state.ts';
import { formPage } from './shared/design/form-page.tsx';
import type { Screen } from './shared/screen.ts';

const page = formPage('credentials');

/** The credential files, and an offer to make an SSH key where there is none yet. */
export const credentialsScreen: Screen = {
  ...page,
  bindings(state) {
    const [next, ...others] = page.bindings(state);
    return [...(next ? [next] : []), ...keyBindings(state), ...others];
  },
  draw: (state) => <CredentialsBody state={state} />,
};

function keyBindings({ credentialProblems }: WizardState): Binding<Intent>[] {
  const isMissing = credentialProblems.some(({ rule }) => rule === 'ssh-key-missing');
  return isMissing
    ? [{ keys: ['ctrl-n'], label: catalogue().screens.keys.makeKey, intent: { type: 'credentials/make-key' } }]
    : [];
}

/** Rows that the form itself needs to be of use. */
const FORM_ROWS = 12;

/**
 * The form, and under it in full what is wrong with the files at which the cursor is not: both can be put right at once.
 *
 *     SSH public key file: There is no SSH key yet. Make one with: ssh-keygen -t ed25519
 */
function CredentialsBody({ state }: { readonly state: WizardState }) {
  const area = useArea();
  const signs = getGlyphs(useTerminalStyle());
  const focused = getFocusedField(state);
  const lines = (getActiveForm(state)?.fields ?? []).flatMap((field) => {
    const [problem] = field.path === focused?.path ? [] : listActiveFieldProblems(state, field);
    if (problem === undefined) return [];
    const sign = problem.severity === 'error' ? signs.problem : signs.warning;
    const text = `${field.words().label}: ${formatProblem(problem, state.document)}`;
    const tone = problem.severity === 'error' ? ('error' as const) : ('warn' as const);
    return wrapProse(text, area.columns, `${sign} `).map(({ text: line, isCommand }) => ({
      line,
      tone: isCommand ? ('accent' as const) : tone,
    }));
  });
  const shown = lines.slice(0, Math.max(0, area.rows - FORM_ROWS));
  return (
    <>
      <AreaProvider area={{ columns: area.columns, rows: area.rows - shown.length }}>{page.draw(state)}</AreaProvider>
      {shown.map(({ line, tone }) => (
        <Row key={line}>
          <Label tone={tone}>{line}</Label>
        </Row>
      ))}
    </>
  );
}
