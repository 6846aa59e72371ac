import type { Problem } from '../../../src/design/model.ts';
import { type DesignDocument, getAt, setAt } from '../../../src/design/paths.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import { sanitizeLine } from '../../../src/platform/sanitize.ts';
import { wrapLines } from '../../../src/platform/text.ts';
import type { Binding } from '../../../src/rows/bindings.ts';
import { createFormRows, type FormField, measureFormHeight, measureFormWidth } from '../../../src/rows/form.ts';
import { EMPTY_ROW, type PageRow, type Viewport } from '../../../src/rows/page-rows.ts';
import { createNoticeRows, createParagraphRows } from '../../../src/rows/text.ts';
import {
  type ActiveForm,
  getActiveForm,
  getFocusedField,
  getFormPart,
  getLaidOutDocument,
  getMatchingExample,
  getValueInForce,
  isChoice,
  isExampleAnswer,
  isSiteAnswer,
  listActiveFieldProblems,
  listChoices,
} from '../../../src/wizard/design/active-form.ts';
import {
  type Field,
  formatProblem,
  getDisplayText,
  getFieldHelp,
  readFieldText,
  writeFieldText,
} from '../../../src/wizard/design/fields.ts';
import type { FormId } from '../../../src/wizard/design/pages/index.ts';
import { hasAdvancedFields, isAnswerForReview } from '../../../src/wizard/design/update-form.ts';
import { canRevertField } from '../../../src/wizard/design/update-undo.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import { filterErrors, isReadOnly, type WizardState } from '../../../src/wizard/state.ts';
import { withAside } from '../aside.ts';
import { createCommonBindings, createListBindings, createReviewBindings, type Screen } from '../bindings.ts';
import { createRecheckNotice, createUndoBindings } from './edit-bindings.ts';

const keys = () => catalogue().screens.keys;

/** Returns a page of the design form. The wizard knows the fields of each page, so an id is enough to create one. */
export function createFormPage(id: FormId): Screen {
  return {
    id,
    breadcrumb: () => catalogue().screens.breadcrumbs.design(catalogue().pages[id].title),
    bindings: (state) => createFormBindings(state),
    onText: (_state, event) => ({ type: 'field/edit', event }),
    help: getFormHelp,
    rows: (state, viewport) => formPageRows(state, getIntro(id, viewport.columns), viewport),
    intro: () => [catalogue().pages[id].intro],
  };
}

function getIntro(id: FormId, columns: number): string {
  const page = catalogue().pages[id];
  return 'more' in page ? addHiddenFieldsHint(page.intro, page.more, columns) : page.intro;
}

/** Appends the hidden fields to the intro or, if they do not fit, a note that some fields are hidden. */
export function addHiddenFieldsHint(intro: string, hiddenFields: string, columns: number): string {
  const { more, moreShort } = catalogue().pages;
  const fullIntro = `${intro} ${more(hiddenFields)}`;
  return wrapLines(fullIntro, columns).length <= INTRO_ROWS ? fullIntro : `${intro} ${moreShort}`;
}

const INTRO_ROWS = 2;

/**
 * Creates the keys of a form page.
 * @param leaveIntent the intent of Esc when there is nothing to undo
 */
export function createFormBindings(
  state: WizardState,
  leaveIntent: Intent = { type: 'screen/back' },
): Binding<Intent>[] {
  const field = getFocusedField(state);
  const choiceBindings: Binding<Intent>[] =
    field && isChoice(field)
      ? [
          { keys: ['right', ' '], label: keys().change, intent: { type: 'choice/move', by: 1 }, staysVisible: true },
          { keys: ['left'], label: keys().change, intent: { type: 'choice/move', by: -1 }, isHidden: true },
          {
            keys: [SHORTCUTS.help],
            label: keys().help,
            intent: { type: 'overlay/open', overlay: 'help' },
            isHidden: true,
          },
        ]
      : [];
  const generalBindings = createCommonBindings({ isTyping: true }).filter(
    ({ keys: names }) => !names.includes('escape'),
  );
  const isDefault = getActiveForm(state)?.form.editor.isDefault === true;
  const isHelpOrQuit = ({ keys: names }: Binding<Intent>) => names.includes('ctrl-g') || names.includes('ctrl-s');
  return [
    {
      keys: ['enter'],
      label: isAnswerForReview(state) ? keys().toReview : keys().next,
      intent: { type: 'field/accept' },
    },
    ...createKeepDefaultBindings(state),
    ...choiceBindings,
    ...createListBindings({
      label: keys().field,
      toIntent: (by): Intent => ({ type: 'field/move', by }),
      hasTab: true,
      isTyping: choiceBindings.length === 0,
    }).map((binding) => (isDefault ? { ...binding, isHidden: true } : binding)),
    // At a default, Enter moves on like Down: the keys that accept several answers take the place of the arrows.
    ...(isDefault ? createReviewBindings(state) : []),
    canRevertField(state)
      ? {
          keys: ['escape'],
          label: keys().revert,
          shortLabel: keys().undoShort,
          intent: { type: 'document/revert' },
        }
      : { keys: ['escape'], label: keys().back, intent: leaveIntent },
    ...generalBindings.filter(isHelpOrQuit),
    { keys: ['ctrl-n'], label: keys().acceptPage, intent: { type: 'field/accept-page' } },
    ...(isDefault ? [] : createReviewBindings(state)),
    ...(field && isChoice(field) ? [] : [{ ...createClearFieldBinding(), isHidden: isEmptyOrDefault(state) }]),
    ...generalBindings.filter((binding) => !isHelpOrQuit(binding)),
    ...createUndoBindings(state, { isTyping: !(field && isChoice(field)), staysVisible: false }),
    // Last, because a narrow footer shows the general keys first, and the page mentions this key as well.
    ...(hasAdvancedFields(state) ? [createMoreBinding(state)] : []),
  ];
}

/** Creates the key Right, which keeps a default, so that the user can edit it. Typing replaces an untouched default. */
function createKeepDefaultBindings(state: WizardState): Binding<Intent>[] {
  if (isReadOnly(state) || !getActiveForm(state)?.form.editor.isDefault) return [];
  const event = { kind: 'key', name: 'right' } as const;
  const intent = { type: 'field/edit', event } as const;
  return [{ keys: ['right'], label: keys().keepDefault, intent, staysVisible: true }];
}

const isEmptyOrDefault = (state: WizardState) => {
  const editor = getActiveForm(state)?.form.editor;
  return editor === undefined || editor.text === '' || editor.isDefault === true;
};

/** Creates the key that clears the field: typing replaces a default, but not an answer of the user. */
const createClearFieldBinding = (): Binding<Intent> => ({
  keys: ['ctrl-u'],
  label: keys().clear,
  intent: { type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } },
});

const createMoreBinding = ({ areAdvancedFieldsShown }: WizardState): Binding<Intent> => ({
  keys: ['ctrl-o'],
  label: areAdvancedFieldsShown ? keys().fewer : keys().more,
  intent: { type: 'field/more' },
});

/**
 * Returns the label and the long explanation of the focused field. The form itself shows the reason and the derived
 * facts.
 */
function getLongHelp(state: WizardState): string[] {
  const field = getFocusedField(state);
  return field ? [field.words().label, getFieldHelp(field, state.document)] : [];
}

/** Returns the help for the focused field: label, problems, reason, long explanation and derived facts. */
export function getFormHelp(state: WizardState): string[] {
  const field = getFocusedField(state);
  if (!field) return [catalogue().screens.help.none];
  const { label, reason } = field.words();
  const fieldProblems = listActiveFieldProblems(state, field);
  // No value is derived from a wrong answer.
  const formatFacts = filterErrors(fieldProblems).length > 0 ? undefined : field.formatFacts;
  const fact = formatFacts?.(state.document, getActiveForm(state)?.form.editor.text ?? '') ?? '';
  const problems = fieldProblems.map(
    (problem) =>
      `${catalogue().ui.notices[problem.severity === 'error' ? 'error' : 'warning']}: ${formatProblem(problem, state.document)}`,
  );
  return [
    label,
    ...problems,
    reason,
    getFieldHelp(field, state.document),
    ...(fact === '' ? [] : [`${catalogue().ui.derivedFacts}: ${fact}`]),
  ];
}

/** Returns the rows of a form: its intro, its fields, and a notice. */
export function formPageRows(state: WizardState, intro: string, viewport: Viewport): readonly PageRow[] {
  const activeForm = getActiveForm(state);
  if (!activeForm) return [];
  const { fields, form } = activeForm;
  const document = getLaidOutDocument(state);
  // Facts with names get at least the rows that the example's names need, so that a shorter name moves no field.
  const documents = [document, withExampleNames(state, document)] as const;
  const formFields = fields.map((field, index) => ({
    ...createFormField(state, field, index === form.focus),
    layoutTexts: getLaidOutAnswer(field, documents, activeForm),
  }));
  // Leaves out a notice that repeats the error shown at the field.
  const fieldError = formFields[form.focus]?.error ?? '';
  const shownNotice = state.notice ?? createRecheckNotice(state);
  const notice = shownNotice !== null && fieldError.startsWith(shownNotice.text) ? null : shownNotice;
  const rowsBelow = notice === null ? [] : createNoticeRows({ ...notice, height: MAX_NOTICE_ROWS }, viewport);
  const rowsAbove =
    viewport.rows < MIN_INTRO_ROWS ? [] : [...createParagraphRows(intro, viewport, { tone: 'muted' }), EMPTY_ROW];
  const content = {
    fields: formFields,
    focus: form.focus,
    editor: form.editor,
    reason: fields[form.focus]?.words().reason ?? '',
    reasonTexts: fields.map((field) => field.words().reason),
    besideColumn: fields.some(({ formatFacts }) => formatFacts !== undefined) ? ('facts' as const) : ('signs' as const),
  };
  const aside = {
    state,
    neededColumns: measureFormWidth(content, MIN_FORM_COLUMNS),
    neededRows: measureFormHeight(content, viewport),
    help: getLongHelp(state),
  };
  const rows = viewport.rows - rowsAbove.length - rowsBelow.length;
  // A notice moves no field: it takes its rows from the notes under the fields.
  const mainRows = withAside(aside, { ...viewport, rows }, (area) =>
    createFormRows(content, area, area.rows === rows ? rows + rowsBelow.length : area.rows),
  );
  return [...rowsAbove, ...mainRows, ...rowsBelow];
}

/** Maximum rows of the notice. */
const MAX_NOTICE_ROWS = 5;

/** With fewer rows, the intro is omitted in favour of the fields. */
const MIN_INTRO_ROWS = 14;

/** Minimum columns of a form with short answers. Help beside the form leaves it at least that many. */
const MIN_FORM_COLUMNS = 72;

function createFormField(state: WizardState, field: Field, isFocused: boolean): FormField {
  const activeForm = getActiveForm(state);
  const acceptedText = readFieldText(activeForm?.part, field);
  const text = isFocused ? (activeForm?.form.editor.text ?? acceptedText) : acceptedText;
  const problem = listActiveFieldProblems(state, field)[0];
  const valueInForce = problem?.severity === 'error' ? getValueInForce(state, field) : null;
  // The document may have the typed answer in another spelling: a list with commas.
  const typedText = readFieldText(writeFieldText(activeForm?.part ?? {}, field, text), field);
  const isEdited = isFocused && text !== acceptedText && typedText !== acceptedText;
  // A missing answer of a new node is not an error before Enter is pressed.
  const isBlank = acceptedText === '' && state.nodes.edit?.isNew === true && !(isFocused && state.notice);
  const fact = (field.isAdvanced && text === '' ? '' : field.formatFacts?.(state.document, text)) ?? '';
  const isExample = !isEdited && isExampleAnswer(state, `${activeForm?.prefix ?? ''}${field.path}`);
  return {
    id: field.path,
    label: field.words().label,
    value: acceptedText,
    // A field that still has the example's value says so.
    fact: isExample ? catalogue().pages.exampleFact(fact) : fact,
    ...(isExample ? { isExample } : {}),
    // While the user types a new answer, the problem of the old one is not shown.
    ...(problem && !isEdited && !isBlank
      ? { [problem.severity]: formatProblemLine(problem, state, valueInForce) }
      : {}),
    ...getChoiceProps(field, isFocused ? (activeForm?.form.typeAhead?.letters ?? null) : null),
  };
}

/**
 * Returns the answer and the fact that determine the layout of a field. A field that may hold an example reserves the
 * space of the example note, so that an answer that replaces the example moves nothing.
 */
function getLaidOutAnswer(
  field: Field,
  [document, ...otherDocuments]: readonly [DesignDocument, ...DesignDocument[]],
  activeForm: ActiveForm,
): FormField['layoutTexts'] {
  const readValue = (source: DesignDocument) => readFieldText(getFormPart(source, activeForm), field);
  const value = readValue(document);
  const facts = [document, ...otherDocuments].map((source) => field.formatFacts?.(source, readValue(source)) ?? '');
  const longestFact = facts.reduce((longest, fact) => (fact.length > longest.length ? fact : longest));
  const fact = field.isAdvanced && value === '' ? '' : longestFact;
  const isSite = isSiteAnswer(`${activeForm.prefix}${field.path}`);
  return { value, fact: isSite ? catalogue().pages.exampleFact(fact) : fact };
}

/** Returns the document with the names of the example's cluster. */
function withExampleNames(state: WizardState, document: DesignDocument): DesignDocument {
  const example = getMatchingExample(state);
  return ['cluster.name', 'cluster.baseDomain'].reduce((old, path) => setAt(old, path, getAt(example, path)), document);
}

function getChoiceProps(field: Field, letters: string | null): Pick<FormField, 'choices' | 'typeAhead'> {
  const choices = listChoices(field).map((value) => ({ value, label: getDisplayText(field, value) }));
  return choices.length === 0 ? {} : { choices, ...(letters === null ? {} : { typeAhead: letters }) };
}

function formatProblemLine(problem: Problem, { document }: WizardState, valueInForce: string | null): string {
  const text = formatProblem(problem, document);
  return valueInForce === null ? text : `${text} ${catalogue().pages.untilThen(sanitizeLine(valueInForce, 60))}`;
}
