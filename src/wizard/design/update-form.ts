import { isDeepStrictEqual } from 'node:util';
import { TOPOLOGIES } from '../../design/choices.ts';
import type { Problem } from '../../design/model.ts';
import { type DesignDocument, getAt, setAt } from '../../design/paths.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { splitGraphemes } from '../../platform/text.ts';
import { type Effect, type Event, getIntentRules, type InputOf, type Intent } from '../intents.ts';
import { clampIndex } from '../list-filter.ts';
import { goBy, goTo } from '../navigation.ts';
import { filterErrors, getPageRules, type Notice, type WizardState } from '../state.ts';
import { createTextField, editText, findOption, fitPaste, getTextBeforeCursor, type KeyEvent } from '../text-input.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import {
  type ActiveForm,
  focusField,
  getActiveForm,
  getExampleDocument,
  getFocusedField,
  isChoice,
  listActiveFieldProblems,
  listChoices,
} from './active-form.ts';
import { type Field, formatProblem, getDisplayText, readFieldText, writeFieldText } from './fields.ts';
import { changeDocument } from './undo.ts';
import { updateSuggestion } from './update-nodes.ts';

type FormIntent = InputOf<'field' | 'choice'>;

/** Handles an input to the open form; without a form, nothing changes. */
export function updateForm(state: WizardState, intent: FormIntent): Update {
  // A key typed while the file is read is meant for the next field.
  if (state.notice?.context?.kind === 'reading-file') {
    const acceptedUpdate = acceptAndContinue({ ...state, notice: null });
    const nextUpdate = updateForm(acceptedUpdate.state, intent);
    return { state: nextUpdate.state, effects: [...acceptedUpdate.effects, ...nextUpdate.effects] };
  }
  const activeForm = getActiveForm(state);
  const field = getFocusedField(state);
  if (!activeForm || !field) return withoutEffects(state);
  switch (intent.type) {
    case 'field/edit': {
      const { event } = intent;
      if (isChoice(field)) return withoutEffects(chooseByLetters(state, activeForm, field, event));
      const paste =
        event.kind === 'paste' ? fitPaste(field, event.text, getTextBeforeCursor(activeForm.form.editor)) : null;
      const editor = editText(activeForm.form.editor, paste ? { kind: 'paste', text: paste.text } : event);
      const notice: Notice | null = paste?.message ? { kind: 'warning', text: paste.message } : null;
      return withoutEffects({ ...activeForm.writeBack(state, { ...activeForm.form, editor }), notice });
    }
    case 'choice/move': {
      const choices = listChoices(field);
      const index = choices.indexOf(activeForm.form.editor.text);
      const text = choices[Math.min(Math.max(index + intent.by, 0), choices.length - 1)] ?? activeForm.form.editor.text;
      const form = { ...activeForm.form, editor: createTextField(text), typeAhead: null };
      return withoutEffects({ ...activeForm.writeBack(state, form), notice: null });
    }
    case 'field/move':
      return moveFocus(state, acceptAnswer(state), intent.by);
    case 'field/more':
      return toggleAdvancedFields(acceptAnswer(state));
    case 'field/accept':
      return acceptAndContinue(state, intent.onError);
    case 'field/accept-page':
      return acceptPage(state);
  }
}

/**
 * Handles type-ahead: letters select the option that begins with them, and Backspace deletes letters one by one. While
 * no option begins with the letters, the field has the option that it had before.
 */
function chooseByLetters(state: WizardState, activeForm: ActiveForm, field: Field, event: KeyEvent): WizardState {
  const { form } = activeForm;
  const notify = (text: string): WizardState => ({ ...state, notice: { kind: 'info', text } });
  if (event.kind === 'paste') return notify(catalogue().pages.choiceHint);
  if (event.kind === 'key' && event.name !== 'backspace') return state;
  const originalOption = form.typeAhead?.originalOption ?? form.editor.text;
  const previousLetters = form.typeAhead?.letters ?? '';
  const letters =
    event.kind === 'char' ? previousLetters + event.text : splitGraphemes(previousLetters).slice(0, -1).join('');
  const choices = listChoices(field);
  const option =
    choices[
      findOption(
        choices.map((choice) => getDisplayText(field, choice)),
        letters,
      )
    ];
  const typeAhead = letters === '' ? null : { letters, originalOption };
  const text = letters === '' ? originalOption : (option ?? originalOption);
  const changedState = activeForm.writeBack(state, { ...form, editor: createTextField(text), typeAhead });
  const message =
    typeAhead === null
      ? null
      : option === undefined
        ? catalogue().pages.noOption(letters, getDisplayText(field, originalOption))
        : catalogue().pages.chosenByLetters(letters, getDisplayText(field, option));
  return { ...changedState, notice: message === null ? null : { kind: 'info', text: message } };
}

/** Shows the rarely needed fields with the cursor on the first of them, or hides them. */
function toggleAdvancedFields(acceptedUpdate: Update): Update {
  const { state, effects } = acceptedUpdate;
  const oldForm = getActiveForm(state);
  const toggledState: WizardState = { ...state, areAdvancedFieldsShown: !state.areAdvancedFieldsShown };
  const newForm = getActiveForm(toggledState);
  if (!oldForm || !newForm) return acceptedUpdate;
  if (!hasAdvancedFields(state))
    return { state: { ...state, notice: { kind: 'info', text: catalogue().pages.noMore } }, effects };
  const firstAdvancedIndex = newForm.fields.findIndex(({ isAdvanced }) => isAdvanced);
  const oldFocus = newForm.fields.findIndex(({ path }) => path === oldForm.fields[oldForm.form.focus]?.path);
  const focus = toggledState.areAdvancedFieldsShown ? firstAdvancedIndex : Math.max(oldFocus, 0);
  const text = toggledState.areAdvancedFieldsShown ? catalogue().pages.moreShown : catalogue().pages.moreHidden;
  return { state: { ...focusField(toggledState, focus), notice: { kind: 'info', text } }, effects };
}

/** Whether the form under the cursor has rarely needed fields. */
export function hasAdvancedFields(state: WizardState): boolean {
  const fields = getActiveForm({ ...state, areAdvancedFieldsShown: true })?.fields ?? [];
  return fields.some(({ isAdvanced }) => isAdvanced);
}

/**
 * Writes the text under the cursor into the document. An unchanged text, or a screen without a form, changes nothing.
 */
export function acceptAnswer(state: WizardState): Update {
  const activeForm = getActiveForm(state);
  const field = getFocusedField(state);
  if (!activeForm || !field) return withoutEffects(state);
  const { text } = activeForm.form.editor;
  if (text === readFieldText(activeForm.part, field)) return withoutEffects(state);
  const part = writeFieldText(activeForm.part, field, text);
  const document = activeForm.prefix === '' ? part : setAt(state.document, activeForm.prefix.slice(0, -1), part);
  const effects: Effect[] = [{ type: 'save' }];
  if (getPageRules(state.screen).credentialFiles) effects.push({ type: 'review-credentials' });
  const isTopology = field.path === 'topology';
  const changedState = changeDocument(
    state,
    isTopology ? applyTopologyExample(state.document, document) : updateSuggestedNode(state, document),
    activeForm.form.change,
  );
  const lastChange = changedState.past.at(-1);
  const change = lastChange === undefined || state.past.includes(lastChange) ? null : lastChange;
  const nextState = activeForm.writeBack(changedState, { ...activeForm.form, change });
  // This screen does not show the nodes that a new topology replaced or kept, so a notice does.
  const notice = isTopology ? createTopologyNotice(state.document, nextState.document) : null;
  return { state: { ...nextState, notice }, effects };
}

/** Updates the suggested values of a new node, after a change of its role. */
function updateSuggestedNode({ document, nodes: { edit } }: WizardState, newDocument: DesignDocument): DesignDocument {
  return edit?.isNew ? updateSuggestion(document, newDocument, edit.index) : newDocument;
}

function moveFocus(state: WizardState, acceptedUpdate: Update, by: number): Update {
  const activeForm = getActiveForm(acceptedUpdate.state);
  if (!activeForm) return acceptedUpdate;
  const count = activeForm.fields.length;
  const path = getFocusedField(state)?.path;
  const index = activeForm.fields.findIndex((field) => field.path === path);
  // The answer may have hidden its own field: the next field then has its index.
  const startIndex = index >= 0 ? index : activeForm.form.focus - (by > 0 ? 1 : 0);
  const focus = clampIndex(startIndex + by, count);
  const notice = acceptedUpdate.state === state ? null : acceptedUpdate.state.notice;
  return { state: { ...focusField(acceptedUpdate.state, focus), notice }, effects: acceptedUpdate.effects };
}

/**
 * Accepts the answer, as Enter does. The cursor stays at a wrong answer; after the last field the next page follows.
 * @param onError `discard`: a wrong answer is not stored. Credential files are read later: their problems discard
 * nothing.
 */
function acceptAndContinue(state: WizardState, onError: 'keep' | 'discard' = 'keep'): Update {
  const acceptedUpdate = acceptAnswer(state);
  const activeForm = getActiveForm(acceptedUpdate.state);
  const field = getFocusedField(acceptedUpdate.state);
  if (!activeForm) return acceptedUpdate;
  // The answer may have hidden its own field, the last one.
  if (!field) return leaveForm(acceptedUpdate);
  const [firstError] = listBlockingErrors(acceptedUpdate.state, field);
  if (firstError) {
    const notice: Notice = {
      kind: 'error',
      text: formatProblem(firstError, acceptedUpdate.state.document),
      context: { kind: 'invalid-answer', path: `${activeForm.prefix}${field.path}` },
    };
    const isWrong = listBlockingErrors({ ...acceptedUpdate.state, credentialProblems: [] }, field).length > 0;
    return onError === 'discard' && isWrong
      ? withoutEffects({ ...focusField(state, activeForm.form.focus), notice })
      : { ...acceptedUpdate, state: { ...acceptedUpdate.state, notice } };
  }
  if (isNewFileName(state, onError)) {
    const context = { kind: 'reading-file', path: field.path } as const;
    const notice: Notice = { kind: 'info', text: catalogue().pages.credentials.reading, context };
    return { ...acceptedUpdate, state: { ...acceptedUpdate.state, notice } };
  }
  if (isAnswerForReview(acceptedUpdate.state)) return returnToReview(acceptedUpdate);
  if (activeForm.form.focus === activeForm.fields.length - 1) return leaveForm(acceptedUpdate);
  // An unchanged answer counts as well: the place is saved, so that a resumed session starts at the next field.
  return {
    ...moveFocus(state, acceptedUpdate, 1),
    effects: acceptedUpdate.effects.length > 0 ? acceptedUpdate.effects : [{ type: 'save' }],
  };
}

/** Whether the text under the cursor is a new name of a credential file, which is read before the cursor moves on. */
function isNewFileName(state: WizardState, onError: 'keep' | 'discard'): boolean {
  const activeForm = getActiveForm(state);
  const field = getFocusedField(state);
  if (!activeForm || !field || onError === 'discard') return false;
  const { text } = activeForm.form.editor;
  const isOnPage = getPageRules(state.screen).credentialFiles === 'entered';
  return isOnPage && text !== '' && text !== readFieldText(activeForm.part, field);
}

/** Whether the cursor is at the answer that the review or a step led to. */
export function isAnswerForReview(state: WizardState): boolean {
  const path = getFocusedField(state)?.path;
  return path !== undefined && state.correctionPath === `${getActiveForm(state)?.prefix ?? ''}${path}`;
}

/** Returns to the review after a correction. */
function returnToReview({ state, effects }: Update): Update {
  const nextUpdate = goTo({ ...state, nodes: { ...state.nodes, edit: null } }, 'review');
  return { state: nextUpdate.state, effects: [...effects, ...nextUpdate.effects] };
}

/** Lists the errors that keep the cursor at an answer. */
function listBlockingErrors(state: WizardState, field: Field) {
  return field.isFixedOnLaterPage ? [] : filterErrors(listActiveFieldProblems(state, field));
}

/** Accepts the rest of the page; returns to the review if the review or a step led to the page. */
function acceptPage(state: WizardState): Update {
  const result = leaveForm(acceptAnswer(state));
  const hasLeft = result.state.screen !== state.screen || result.state.nodes.edit !== state.nodes.edit;
  return hasLeft && state.correctionPath !== null ? returnToReview(result) : result;
}

/** Leaves the form if all of its answers allow that; otherwise puts the cursor on the first that does not. */
function leaveForm(acceptedUpdate: Update): Update {
  const { state } = acceptedUpdate;
  const activeForm = getActiveForm(state);
  if (!activeForm) return acceptedUpdate;
  const allFields = getActiveForm({ ...state, areAdvancedFieldsShown: true })?.fields ?? activeForm.fields;
  const fieldsWithErrors = allFields.filter((field) => listBlockingErrors(state, field).length > 0);
  const firstInvalidField = fieldsWithErrors[0];
  if (firstInvalidField) {
    const visibleState: WizardState = activeForm.fields.includes(firstInvalidField)
      ? state
      : { ...state, areAdvancedFieldsShown: true };
    const visibleForm = getActiveForm(visibleState);
    const focus = visibleForm?.fields.indexOf(firstInvalidField) ?? 0;
    // At the field under the cursor, Esc still reverts what was typed.
    const focusedState = visibleForm?.form.focus === focus ? visibleState : focusField(visibleState, focus);
    return {
      ...acceptedUpdate,
      state: {
        ...focusedState,
        notice: { kind: 'error', text: catalogue().pages.pageHasErrors(fieldsWithErrors.length) },
      },
    };
  }
  if (state.nodes.edit && state.screen === 'nodes') {
    return {
      ...acceptedUpdate,
      state: { ...state, nodes: { ...state.nodes, row: state.nodes.edit.index, edit: null }, notice: null },
    };
  }
  const nextUpdate = goBy({ ...state, forms: { ...state.forms, [state.screen]: { ...activeForm.form, focus: 0 } } }, 1);
  return { state: nextUpdate.state, effects: [...acceptedUpdate.effects, ...nextUpdate.effects] };
}

/** The sections of the example design that differ by topology. */
const EXAMPLE_SECTIONS = ['nodes', 'endpoints', 'services', 'credentials', 'infra'];

/**
 * Applies a changed topology: sections that still equal the old topology's example become those of the new example;
 * sections that the user edited stay.
 */
export function applyTopologyExample(oldDocument: DesignDocument, newDocument: DesignDocument): DesignDocument {
  const [oldTopology, newTopology] = [oldDocument, newDocument].map((document) =>
    TOPOLOGIES.find((topology) => topology === getAt(document, 'topology')),
  );
  if (!oldTopology || !newTopology || oldTopology === newTopology) return newDocument;
  const [oldExample, newExample] = [oldTopology, newTopology].map(getExampleDocument);
  return EXAMPLE_SECTIONS.reduce<DesignDocument>((document, section) => {
    const isUntouched = isDeepStrictEqual(getAt(document, section), getAt(oldExample, section));
    return isUntouched ? setAt(document, section, getAt(newExample, section)) : document;
  }, newDocument);
}

/** Creates the notice about the nodes after a new topology; null if the topology is the same. */
function createTopologyNotice(oldDocument: DesignDocument, newDocument: DesignDocument): Notice | null {
  const topology = getAt(newDocument, 'topology');
  if (typeof topology !== 'string' || topology === getAt(oldDocument, 'topology')) return null;
  const nodes = getAt(newDocument, 'nodes');
  const count = Array.isArray(nodes) ? nodes.length : 0;
  return isDeepStrictEqual(getAt(oldDocument, 'nodes'), nodes)
    ? { kind: 'warning', text: catalogue().pages.topology.nodesUnchanged(topology, count) }
    : { kind: 'info', text: catalogue().pages.topology.replaced(topology, count) };
}

/** Requests another check of the credential files after Enter and Tab: they may have changed, under the same names. */
export function recheckCredentialFiles(previousState: WizardState, input: Intent | Event, update: Update): Update {
  const isOnPage = getPageRules(previousState.screen).credentialFiles === 'entered';
  const mustRecheck = isOnPage && previousState.overlay === null && getIntentRules(input).rereadsFiles;
  if (!mustRecheck || update.effects.some(({ type }) => type === 'review-credentials')) return update;
  return { ...update, effects: [...update.effects, { type: 'review-credentials' }] };
}

/**
 * Stores the current problems of the credential files. If Enter waits at a field, continues as Enter does. A new name
 * of a missing file keeps the cursor until Enter is pressed again.
 */
export function updateCredentialProblems(state: WizardState, problems: readonly Problem[]): Update {
  // A message about files that are valid by now is outdated.
  const isResolved = filterErrors(state.credentialProblems).length > 0 && filterErrors(problems).length === 0;
  const isOnPage = getPageRules(state.screen).credentialFiles === 'entered';
  const isOutdated = isOnPage && isResolved && state.notice?.kind === 'error';
  const nextState: WizardState = { ...state, credentialProblems: problems, notice: isOutdated ? null : state.notice };
  const field = getFocusedField(state);
  if (!isOnPage || state.overlay !== null || field === null) return withoutEffects(nextState);
  const context = state.notice?.context;
  const isReading = context?.kind === 'reading-file';
  if (!(isReading || context?.kind === 'invalid-answer') || context.path !== field.path)
    return withoutEffects(nextState);
  const fieldProblems = listActiveFieldProblems(nextState, field);
  if (filterErrors(fieldProblems).length > 0 && !isReading) return withoutEffects(nextState);
  if (fieldProblems.some(({ rule }) => rule.endsWith('-missing')))
    return withoutEffects({
      ...nextState,
      notice: { kind: 'warning', text: catalogue().pages.credentials.fileMissing },
    });
  return updateForm({ ...nextState, notice: null }, { type: 'field/accept' });
}
