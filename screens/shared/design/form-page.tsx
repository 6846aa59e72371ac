import type { Problem } from '../../../src/design/model.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import { sanitizeLine } from '../../../src/text/sanitize.ts';
import { wrapLines } from '../../../src/text/width.ts';
import { Form, type FormField, formColumns, WHY_ROWS } from '../../../src/ui/components/form.tsx';
import { Gap } from '../../../src/ui/components/label.tsx';
import { Notice, noticeRows } from '../../../src/ui/components/notices.tsx';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { AreaProvider, useArea, useLook } from '../../../src/ui/look.tsx';
import {
  answerInForce,
  choicesOf,
  editingOf,
  focusedField,
  isChoice,
  problemsBeside,
} from '../../../src/wizard/design/editing.ts';
import { type Field, fieldHelp, fieldText, problemText, shownText } from '../../../src/wizard/design/fields.ts';
import type { FormId } from '../../../src/wizard/design/pages/index.ts';
import { hasMore, isAnswerForReview } from '../../../src/wizard/design/update-form.ts';
import { canTakeBack } from '../../../src/wizard/design/update-undo.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { WithAside } from '../aside.tsx';
import { commonBindings, FAR } from '../bindings.ts';
import type { Screen } from '../screen.ts';
import { Paragraph, paragraphRows } from '../text.tsx';
import { lookAgainNotice } from './look-again.ts';
import { undoBindings } from './undo-bindings.ts';

const keys = () => catalogue().screens.keys;

/** A page of questions: its fields come from the wizard, so each page is only a name. */
export function formPage(id: FormId): Screen {
  return {
    id,
    place: () => catalogue().screens.places.design(catalogue().pages[id].title),
    bindings: (state) => formBindings(state),
    onText: (_state, event) => ({ type: 'field/edit', event }),
    help: formHelp,
    draw: (state) => <FormBody state={state} intro={(columns) => introOf(id, columns)} />,
  };
}

function introOf(id: FormId, columns: number): string {
  const page = catalogue().pages[id];
  return 'more' in page ? introWithMore(page.intro, page.more, columns) : page.intro;
}

/** With what the questions that are hidden are about or, where that has no room, that there are some. */
export function introWithMore(intro: string, hidden: string, columns: number): string {
  const { more, moreShort } = catalogue().pages;
  const whole = `${intro} ${more(hidden)}`;
  return wrapLines(whole, columns).length <= INTRO_ROWS ? whole : `${intro} ${moreShort}`;
}

const INTRO_ROWS = 2;

/** @param leave what Esc does when it has nothing to take back */
export function formBindings(state: WizardState, leave: Intent = { type: 'screen/back' }): Binding<Intent>[] {
  const field = focusedField(state);
  const choice: Binding<Intent>[] =
    field && isChoice(field)
      ? [
          { keys: ['right', ' '], label: keys().change, intent: { type: 'choice/move', by: 1 } },
          { keys: ['left'], label: keys().change, intent: { type: 'choice/move', by: -1 }, hidden: true },
          { keys: ['home'], label: keys().firstOption, intent: { type: 'choice/move', by: -FAR }, hidden: true },
          { keys: ['end'], label: keys().lastOption, intent: { type: 'choice/move', by: FAR }, hidden: true },
          { keys: [LETTERS.help], label: keys().help, intent: { type: 'overlay/open', overlay: 'help' }, hidden: true },
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
    canTakeBack(state)
      ? { keys: ['escape'], label: keys().undoLast, intent: { type: 'document/take-back' } }
      : { keys: ['escape'], label: keys().back, intent: leave },
    ...common.filter(isFirst),
    ...(field && isChoice(field)
      ? []
      : [editingOf(state)?.form.editor.text === '' ? { ...CLEAR(), hidden: true } : CLEAR()]),
    ...common.filter((binding) => !isFirst(binding)),
    ...undoBindings(state, { isTyping: true }),
    // The page says it as well: in a narrow footer the keys that work everywhere come first.
    ...(hasMore(state) ? [MORE(state)] : []),
  ];
}

/** Nothing typed replaces an answer: whoever wants another one begins with this. */
const CLEAR = (): Binding<Intent> => ({
  keys: ['ctrl-u'],
  label: keys().clear,
  intent: { type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } },
});

const MORE = ({ isMoreShown }: WizardState): Binding<Intent> => ({
  keys: ['ctrl-o'],
  label: isMoreShown ? keys().fewer : keys().more,
  intent: { type: 'field/more' },
});

/** Its name and the long explanation alone: why, and what it gives, stand in the form. */
function longHelp(state: WizardState): string[] {
  const field = focusedField(state);
  return field ? [field.words().label, fieldHelp(field, state.document)] : [];
}

/** The long explanation of the field under the cursor. */
export function formHelp(state: WizardState): string[] {
  const field = focusedField(state);
  if (!field) return [catalogue().screens.help.none];
  const { label, why } = field.words();
  const fact = field.facts?.(state.document, editingOf(state)?.form.editor.text ?? '') ?? '';
  const wrong = problemsBeside(state, field).map(
    (problem) =>
      `${catalogue().ui.notices[problem.severity === 'error' ? 'error' : 'warning']}: ${problemText(problem, state.document)}`,
  );
  return [
    label,
    ...wrong,
    why,
    fieldHelp(field, state.document),
    ...(fact === '' ? [] : [`${catalogue().ui.gives}: ${fact}`]),
  ];
}

interface FormBodyProps {
  readonly state: WizardState;
  /** What it is about, in so many columns. */
  readonly intro: (columns: number) => string;
}

export function FormBody({ state, intro: introIn }: FormBodyProps) {
  const area = useArea();
  const intro = introIn(area.columns);
  const look = useLook();
  const editing = editingOf(state);
  if (!editing) return null;
  const { fields, form } = editing;
  const shown = fields.map((field, index) => formField(state, field, index === form.focus));
  // The notice does not repeat what stands at the field itself.
  const said = shown[form.focus]?.error ?? '';
  const shownNotice = state.notice ?? lookAgainNotice(state);
  const notice = shownNotice !== null && said.startsWith(shownNotice.text) ? null : shownNotice;
  const hasNotice = notice !== null;
  const shownRows = hasNotice ? noticeRows({ ...notice, height: MOST_NOTICE }, area.columns, look) : 0;
  const room = area.rows - 1 - paragraphRows(intro, area.columns) - (hasNotice ? shownRows + 1 : 0);
  return (
    <>
      <Paragraph text={intro} tone="dim" />
      <Gap />
      <AreaProvider area={{ columns: area.columns, rows: room }}>
        <WithAside
          state={state}
          needed={formColumns(shown, LEAST_FORM)}
          neededRows={shown.length + 1 + WHY_ROWS}
          help={longHelp(state)}
        >
          <Form fields={shown} focus={form.focus} editor={form.editor} why={fields[form.focus]?.words().why ?? ''} />
        </WithAside>
      </AreaProvider>
      {notice && <Gap />}
      {notice && <Notice kind={notice.kind} text={notice.text} height={shownRows} />}
    </>
  );
}

/** Lines of what a key did, or did not do. */
const MOST_NOTICE = 5;

/** What an 80 column terminal leaves beside the list of steps. */
const LEAST_FORM = 56;

function formField(state: WizardState, field: Field, isFocused: boolean): FormField {
  const editing = editingOf(state);
  const accepted = fieldText(editing?.part, field);
  const text = isFocused ? (editing?.form.editor.text ?? accepted) : accepted;
  const problem = problemsBeside(state, field)[0];
  const inForce = problem?.severity === 'error' ? answerInForce(state, field) : null;
  const isEdited = isFocused && text !== accepted;
  // A missing answer of a new node is no mistake until Enter asks for it.
  const isBlank = accepted === '' && state.nodes.edit?.isNew === true && !(isFocused && state.notice);
  const fact = (field.isAdvanced && text === '' ? '' : field.facts?.(state.document, text)) ?? '';
  return {
    id: field.path,
    label: field.words().label,
    value: accepted,
    fact,
    // While a person types a new answer, the problem of the old one is no news.
    ...(problem && !isEdited && !isBlank ? { [problem.severity]: problemLine(problem, state, inForce) } : {}),
    ...choosing(field, isFocused ? (editing?.form.ahead?.letters ?? null) : null),
  };
}

function choosing(field: Field, letters: string | null): Pick<FormField, 'choices' | 'typedAhead'> {
  const choices = choicesOf(field).map((value) => ({ value, label: shownText(field, value) }));
  return choices.length === 0 ? {} : { choices, ...(letters === null ? {} : { typedAhead: letters }) };
}

function problemLine(problem: Problem, { document }: WizardState, inForce: string | null): string {
  const text = problemText(problem, document);
  return inForce === null ? text : `${text} ${catalogue().pages.untilThen(sanitizeLine(inForce, 60))}`;
}
