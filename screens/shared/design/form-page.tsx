import type { Problem } from '../../../src/design/model.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import { sanitizeLine } from '../../../src/platform/sanitize.ts';
import { wrapLines } from '../../../src/platform/text.ts';
import { Form, type FormField, MAX_NOTE_ROWS, measureFormWidth } from '../../../src/ui/components/form.tsx';
import { countNoticeRows, Notice } from '../../../src/ui/components/notices.tsx';
import { Gap } from '../../../src/ui/components/select.tsx';
import type { Binding } from '../../../src/ui/keys.tsx';
import { AreaProvider, useArea, useTerminalStyle } from '../../../src/ui/terminal-style.tsx';
import {
  getActiveForm,
  getFocusedField,
  getValueInForce,
  isChoice,
  listActiveFieldProblems,
  listChoices,
} from '../../../src/wizard/design/active-form.ts';
import {
  type Field,
  formatProblem,
  getDisplayText,
  getFieldHelp,
  readFieldText,
} from '../../../src/wizard/design/fields.ts';
import type { FormId } from '../../../src/wizard/design/pages/index.ts';
import { hasMoreFields, isAnswerForReview } from '../../../src/wizard/design/update-form.ts';
import { canRevertField } from '../../../src/wizard/design/update-undo.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { WithAside } from '../aside.tsx';
import { BEYOND_ANY_LIST, commonBindings, type Screen } from '../bindings.ts';
import { countParagraphRows, Paragraph } from '../text.tsx';
import { createRecheckNotice, undoBindings } from './edit-bindings.ts';

const keys = () => catalogue().screens.keys;

/** Returns a page of the design form. Its fields come from the wizard, so the page consists only of its id. */
export function formPage(id: FormId): Screen {
  return {
    id,
    breadcrumb: () => catalogue().screens.places.design(catalogue().pages[id].title),
    bindings: (state) => formBindings(state),
    onText: (_state, event) => ({ type: 'field/edit', event }),
    help: getFormHelp,
    draw: (state) => <FormBody state={state} intro={(columns) => getIntro(id, columns)} />,
  };
}

function getIntro(id: FormId, columns: number): string {
  const page = catalogue().pages[id];
  return 'more' in page ? addHiddenFieldsHint(page.intro, page.more, columns) : page.intro;
}

/** Appends to the intro which fields are hidden or, without room for that, that some are. */
export function addHiddenFieldsHint(intro: string, hidden: string, columns: number): string {
  const { more, moreShort } = catalogue().pages;
  const whole = `${intro} ${more(hidden)}`;
  return wrapLines(whole, columns).length <= INTRO_ROWS ? whole : `${intro} ${moreShort}`;
}

const INTRO_ROWS = 2;

/**
 * The keys of a form page.
 * @param leave the intent of Esc when there is nothing to undo
 */
export function formBindings(state: WizardState, leave: Intent = { type: 'screen/back' }): Binding<Intent>[] {
  const field = getFocusedField(state);
  const choice: Binding<Intent>[] =
    field && isChoice(field)
      ? [
          { keys: ['right', ' '], label: keys().change, intent: { type: 'choice/move', by: 1 } },
          { keys: ['left'], label: keys().change, intent: { type: 'choice/move', by: -1 }, hidden: true },
          {
            keys: ['home'],
            label: keys().firstOption,
            intent: { type: 'choice/move', by: -BEYOND_ANY_LIST },
            hidden: true,
          },
          {
            keys: ['end'],
            label: keys().lastOption,
            intent: { type: 'choice/move', by: BEYOND_ANY_LIST },
            hidden: true,
          },
          {
            keys: [SHORTCUTS.help],
            label: keys().help,
            intent: { type: 'overlay/open', overlay: 'help' },
            hidden: true,
          },
        ]
      : [];
  const common = commonBindings({ isTyping: true }).filter(({ keys: names }) => !names.includes('escape'));
  const isFirst = ({ keys: names }: Binding<Intent>) => names.includes('ctrl-g') || names.includes('ctrl-s');
  return [
    {
      keys: ['enter'],
      label: isAnswerForReview(state) ? keys().toReview : keys().next,
      intent: { type: 'field/accept' },
    },
    { keys: ['tab', 'down'], label: keys().field, intent: { type: 'field/move', by: 1 } },
    { keys: ['shift-tab', 'up'], label: keys().field, intent: { type: 'field/move', by: -1 }, hidden: true },
    ...choice,
    canRevertField(state)
      ? { keys: ['escape'], label: keys().undoLast, intent: { type: 'document/take-back' } }
      : { keys: ['escape'], label: keys().back, intent: leave },
    ...common.filter(isFirst),
    ...(field && isChoice(field)
      ? []
      : [getActiveForm(state)?.form.editor.text === '' ? { ...clearBinding(), hidden: true } : clearBinding()]),
    ...common.filter((binding) => !isFirst(binding)),
    ...undoBindings(state, { isTyping: true }),
    // Last, because a narrow footer shows the general keys first, and the page mentions this key as well.
    ...(hasMoreFields(state) ? [moreBinding(state)] : []),
  ];
}

/** Typing does not replace an answer: Ctrl-U clears it first. */
const clearBinding = (): Binding<Intent> => ({
  keys: ['ctrl-u'],
  label: keys().clear,
  intent: { type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } },
});

const moreBinding = ({ isMoreShown }: WizardState): Binding<Intent> => ({
  keys: ['ctrl-o'],
  label: isMoreShown ? keys().fewer : keys().more,
  intent: { type: 'field/more' },
});

/** Only the label and the long explanation: the form itself shows the reason and the derived facts. */
function getLongHelp(state: WizardState): string[] {
  const field = getFocusedField(state);
  return field ? [field.words().label, getFieldHelp(field, state.document)] : [];
}

/** Help for the focused field: label, problems, reason, long explanation and derived facts. */
export function getFormHelp(state: WizardState): string[] {
  const field = getFocusedField(state);
  if (!field) return [catalogue().screens.help.none];
  const { label, why } = field.words();
  const fact = field.facts?.(state.document, getActiveForm(state)?.form.editor.text ?? '') ?? '';
  const problems = listActiveFieldProblems(state, field).map(
    (problem) =>
      `${catalogue().ui.notices[problem.severity === 'error' ? 'error' : 'warning']}: ${formatProblem(problem, state.document)}`,
  );
  return [
    label,
    ...problems,
    why,
    getFieldHelp(field, state.document),
    ...(fact === '' ? [] : [`${catalogue().ui.result}: ${fact}`]),
  ];
}

interface FormBodyProps {
  readonly state: WizardState;
  /** The intro for a width in columns. */
  readonly intro: (columns: number) => string;
}

export function FormBody({ state, intro: renderIntro }: FormBodyProps) {
  const area = useArea();
  const intro = renderIntro(area.columns);
  const style = useTerminalStyle();
  const editing = getActiveForm(state);
  if (!editing) return null;
  const { fields, form } = editing;
  const shown = fields.map((field, index) => createFormField(state, field, index === form.focus));
  // Leaves out a notice that repeats the error shown at the field.
  const fieldError = shown[form.focus]?.error ?? '';
  const shownNotice = state.notice ?? createRecheckNotice(state);
  const notice = shownNotice !== null && fieldError.startsWith(shownNotice.text) ? null : shownNotice;
  const hasNotice = notice !== null;
  const noticeHeight = hasNotice ? countNoticeRows({ ...notice, height: MAX_NOTICE_ROWS }, area.columns, style) : 0;
  const formRows = area.rows - 1 - countParagraphRows(intro, area.columns) - (hasNotice ? noticeHeight + 1 : 0);
  return (
    <>
      <Paragraph text={intro} tone="dim" />
      <Gap />
      <AreaProvider area={{ columns: area.columns, rows: formRows }}>
        <WithAside
          state={state}
          needed={measureFormWidth(shown, MIN_FORM_COLUMNS)}
          neededRows={shown.length + 1 + MAX_NOTE_ROWS}
          help={getLongHelp(state)}
        >
          <Form fields={shown} focus={form.focus} editor={form.editor} why={fields[form.focus]?.words().why ?? ''} />
        </WithAside>
      </AreaProvider>
      {notice && <Gap />}
      {notice && <Notice kind={notice.kind} text={notice.text} height={noticeHeight} />}
    </>
  );
}

/** Maximum rows of the notice. */
const MAX_NOTICE_ROWS = 5;

/** Columns that an 80-column terminal leaves beside the sidebar. */
const MIN_FORM_COLUMNS = 56;

function createFormField(state: WizardState, field: Field, isFocused: boolean): FormField {
  const editing = getActiveForm(state);
  const accepted = readFieldText(editing?.part, field);
  const text = isFocused ? (editing?.form.editor.text ?? accepted) : accepted;
  const problem = listActiveFieldProblems(state, field)[0];
  const inForce = problem?.severity === 'error' ? getValueInForce(state, field) : null;
  const isEdited = isFocused && text !== accepted;
  // A missing answer of a new node is not an error before Enter is pressed.
  const isBlank = accepted === '' && state.nodes.edit?.isNew === true && !(isFocused && state.notice);
  const fact = (field.isAdvanced && text === '' ? '' : field.facts?.(state.document, text)) ?? '';
  return {
    id: field.path,
    label: field.words().label,
    value: accepted,
    fact,
    // While the user types a new answer, the problem of the old one is not shown.
    ...(problem && !isEdited && !isBlank ? { [problem.severity]: formatProblemLine(problem, state, inForce) } : {}),
    ...getChoiceProps(field, isFocused ? (editing?.form.typeAhead?.letters ?? null) : null),
  };
}

function getChoiceProps(field: Field, letters: string | null): Pick<FormField, 'choices' | 'typeAhead'> {
  const choices = listChoices(field).map((value) => ({ value, label: getDisplayText(field, value) }));
  return choices.length === 0 ? {} : { choices, ...(letters === null ? {} : { typeAhead: letters }) };
}

function formatProblemLine(problem: Problem, { document }: WizardState, inForce: string | null): string {
  const text = formatProblem(problem, document);
  return inForce === null ? text : `${text} ${catalogue().pages.untilThen(sanitizeLine(inForce, 60))}`;
}
