import { isDeepStrictEqual } from 'node:util';
import { TOPOLOGIES } from '../../design/choices.ts';
import { setAt } from '../../design/document-draft.ts';
import type { Problem } from '../../design/model.ts';
import { type DesignDocument, getAt } from '../../design/paths.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { splitGraphemes } from '../../platform/text.ts';
import { type Effect, type Event, getIntentRules, type InputOf, type Intent } from '../intents.ts';
import { goBy, goTo } from '../navigation.ts';
import { filterErrors, getPageRules, type Notice, type WizardState } from '../state.ts';
import { createTextField, editText, findOption, fitPaste, getTextBeforeCursor, type KeyEvent } from '../typing.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import {
  type ActiveForm,
  focusField,
  getActiveForm,
  getFocusedField,
  isChoice,
  listActiveFieldProblems,
  listChoices,
} from './active-form.ts';
import { getExampleDocument } from './default-answer.ts';
import { acceptText, type Field, formatProblem, getDisplayText, readFieldText } from './fields.ts';
import { changeDocument } from './undo.ts';
import { updateSuggestion } from './update-nodes.ts';

type FormIntent = InputOf<'field' | 'choice'>;

/** Handles an input to the open form; without a form, nothing changes. */
export function updateForm(state: WizardState, intent: FormIntent): Update {
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
      return toggleMoreFields(acceptAnswer(state));
    case 'field/accept':
      return acceptAndContinue(state, intent.onError);
    case 'field/accept-page':
      return acceptPage(state);
  }
}

/**
 * Type-ahead: letters select the option that begins with them, and Backspace deletes letters one by one. A word that
 * begins no option is no answer: the field then has the option that it had before.
 */
function chooseByLetters(state: WizardState, activeForm: ActiveForm, field: Field, event: KeyEvent): WizardState {
  const { form } = activeForm;
  const notify = (text: string): WizardState => ({ ...state, notice: { kind: 'info', text } });
  if (event.kind === 'paste') return notify(catalogue().pages.choiceHint);
  if (event.kind === 'key' && event.name !== 'backspace') return state;
  const from = form.typeAhead?.from ?? form.editor.text;
  const before = form.typeAhead?.letters ?? '';
  const letters = event.kind === 'char' ? before + event.text : splitGraphemes(before).slice(0, -1).join('');
  const choices = listChoices(field);
  const option =
    choices[
      findOption(
        choices.map((choice) => getDisplayText(field, choice)),
        letters,
      )
    ];
  const typeAhead = letters === '' ? null : { letters, from };
  const text = letters === '' ? from : (option ?? from);
  const changed = activeForm.writeBack(state, { ...form, editor: createTextField(text), typeAhead });
  const message =
    typeAhead === null
      ? null
      : option === undefined
        ? catalogue().pages.noOption(letters, getDisplayText(field, from))
        : catalogue().pages.chosenByLetters(letters, getDisplayText(field, option));
  return { ...changed, notice: message === null ? null : { kind: 'info', text: message } };
}

/** Shows the rarely needed fields with the cursor on the first of them, or hides them. */
function toggleMoreFields(accepted: Update): Update {
  const { state, effects } = accepted;
  const before = getActiveForm(state);
  const toggled: WizardState = { ...state, areAdvancedFieldsShown: !state.areAdvancedFieldsShown };
  const after = getActiveForm(toggled);
  if (!before || !after) return accepted;
  if (!hasMoreFields(state))
    return { state: { ...state, notice: { kind: 'info', text: catalogue().pages.noMore } }, effects };
  const first = after.fields.findIndex(({ isAdvanced }) => isAdvanced);
  const oldFocus = after.fields.findIndex(({ path }) => path === before.fields[before.form.focus]?.path);
  const focus = toggled.areAdvancedFieldsShown ? first : Math.max(oldFocus, 0);
  const text = toggled.areAdvancedFieldsShown ? catalogue().pages.moreShown : catalogue().pages.moreHidden;
  return { state: { ...focusField(toggled, focus), notice: { kind: 'info', text } }, effects };
}

/** Whether the form under the cursor has rarely needed fields. */
export function hasMoreFields(state: WizardState): boolean {
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
  const part = acceptText(activeForm.part, field, text);
  const document = activeForm.prefix === '' ? part : setAt(state.document, activeForm.prefix.slice(0, -1), part);
  const effects: Effect[] = [{ type: 'save' }];
  if (getPageRules(state.screen).credentialFiles) effects.push({ type: 'review-credentials' });
  const isTopology = field.path === 'topology';
  const changed = changeDocument(
    state,
    isTopology ? applyTopologyExample(state.document, document) : updateSuggestedNode(state, document),
    activeForm.form.change,
  );
  const last = changed.past.at(-1);
  const change = last === undefined || state.past.includes(last) ? null : last;
  const next = activeForm.writeBack(changed, { ...activeForm.form, change });
  // This screen does not show the nodes that a new topology replaced or kept, so a notice does.
  const notice = isTopology ? createTopologyNotice(state.document, next.document) : null;
  return { state: { ...next, notice }, effects };
}

/** A changed role of a new node also changes its suggested values. */
function updateSuggestedNode({ document, nodes: { edit } }: WizardState, after: DesignDocument): DesignDocument {
  return edit?.isNew ? updateSuggestion(document, after, edit.index) : after;
}

function moveFocus(state: WizardState, accepted: Update, by: number): Update {
  const activeForm = getActiveForm(accepted.state);
  if (!activeForm) return accepted;
  const count = activeForm.fields.length;
  const path = getFocusedField(state)?.path;
  const index = activeForm.fields.findIndex((field) => field.path === path);
  // The answer may have hidden its own field: the next field then has its index.
  const from = index >= 0 ? index : activeForm.form.focus - (by > 0 ? 1 : 0);
  const focus = (from + by + count) % count;
  const notice = accepted.state === state ? null : accepted.state.notice;
  return { state: { ...focusField(accepted.state, focus), notice }, effects: accepted.effects };
}

/**
 * Enter accepts the answer. The cursor stays at a wrong answer; after the last field the next page follows.
 * @param onError `discard`: a wrong answer is not stored. A file is read later, so its problems discard nothing.
 */
function acceptAndContinue(state: WizardState, onError: 'keep' | 'discard' = 'keep'): Update {
  const accepted = acceptAnswer(state);
  const activeForm = getActiveForm(accepted.state);
  const field = getFocusedField(accepted.state);
  if (!activeForm || !field) return accepted;
  const [firstError] = listBlockingErrors(accepted.state, field);
  if (firstError) {
    const notice: Notice = {
      kind: 'error',
      text: formatProblem(firstError, accepted.state.document),
      about: { what: 'held', path: `${activeForm.prefix}${field.path}` },
    };
    const isWrong = listBlockingErrors({ ...accepted.state, credentialProblems: [] }, field).length > 0;
    return onError === 'discard' && isWrong
      ? withoutEffects({ ...focusField(state, activeForm.form.focus), notice })
      : { ...accepted, state: { ...accepted.state, notice } };
  }
  if (isAnswerForReview(accepted.state)) return returnToReview(accepted);
  if (activeForm.form.focus === activeForm.fields.length - 1) return leaveForm(accepted);
  // An unchanged answer counts as well: the place is saved, so that a resumed session starts at the next field.
  return {
    ...moveFocus(state, accepted, 1),
    effects: accepted.effects.length > 0 ? accepted.effects : [{ type: 'save' }],
  };
}

/** Whether the cursor is at the answer that the review led to. */
export function isAnswerForReview(state: WizardState): boolean {
  const path = getFocusedField(state)?.path;
  return path !== undefined && state.fromReview === `${getActiveForm(state)?.prefix ?? ''}${path}`;
}

/** Returns to the review after the answer that it led to was corrected. */
function returnToReview({ state, effects }: Update): Update {
  const next = goTo({ ...state, nodes: { ...state.nodes, edit: null } }, 'review');
  return { state: next.state, effects: [...effects, ...next.effects] };
}

/** Lists the errors that keep the cursor at an answer. */
function listBlockingErrors(state: WizardState, field: Field) {
  return field.isFixedOnLaterPage ? [] : filterErrors(listActiveFieldProblems(state, field));
}

/** Accepts the rest of the page; returns to the review if that led to the page. */
function acceptPage(state: WizardState): Update {
  const result = leaveForm(acceptAnswer(state));
  const isLeft = result.state.screen !== state.screen || result.state.nodes.edit !== state.nodes.edit;
  return isLeft && state.fromReview !== null ? returnToReview(result) : result;
}

/** Leaves the form if all of its answers allow that; otherwise puts the cursor on the first that does not. */
function leaveForm(accepted: Update): Update {
  const { state } = accepted;
  const activeForm = getActiveForm(state);
  if (!activeForm) return accepted;
  const allFields = getActiveForm({ ...state, areAdvancedFieldsShown: true })?.fields ?? activeForm.fields;
  const fieldsWithErrors = allFields.filter((field) => listBlockingErrors(state, field).length > 0);
  const first = fieldsWithErrors[0];
  if (first) {
    const visible: WizardState = activeForm.fields.includes(first) ? state : { ...state, areAdvancedFieldsShown: true };
    const focused = focusField(visible, getActiveForm(visible)?.fields.indexOf(first) ?? 0);
    return {
      ...accepted,
      state: { ...focused, notice: { kind: 'error', text: catalogue().pages.pageHasErrors(fieldsWithErrors.length) } },
    };
  }
  if (state.nodes.edit && state.screen === 'nodes') {
    return {
      ...accepted,
      state: { ...state, nodes: { ...state.nodes, row: state.nodes.edit.index, edit: null }, notice: null },
    };
  }
  const next = goBy({ ...state, forms: { ...state.forms, [state.screen]: { ...activeForm.form, focus: 0 } } }, 1);
  return { state: next.state, effects: [...accepted.effects, ...next.effects] };
}

/** The sections of the example design that differ by topology. */
const EXAMPLE_SECTIONS = ['nodes', 'endpoints', 'services', 'credentials', 'infra'];

/**
 * Applies a changed topology: sections that still equal the old topology's example become those of the new example;
 * sections that the user edited stay.
 */
export function applyTopologyExample(before: DesignDocument, after: DesignDocument): DesignDocument {
  const [oldTopology, next] = [before, after].map((document) =>
    TOPOLOGIES.find((topology) => topology === getAt(document, 'topology')),
  );
  if (!oldTopology || !next || oldTopology === next) return after;
  const [oldExample, newExample] = [oldTopology, next].map(getExampleDocument);
  return EXAMPLE_SECTIONS.reduce<DesignDocument>((document, section) => {
    const isUntouched = isDeepStrictEqual(getAt(document, section), getAt(oldExample, section));
    return isUntouched ? setAt(document, section, getAt(newExample, section)) : document;
  }, after);
}

/** Creates the notice about the nodes after a new topology; null if the topology is the same. */
function createTopologyNotice(before: DesignDocument, after: DesignDocument): Notice | null {
  const topology = getAt(after, 'topology');
  if (typeof topology !== 'string' || topology === getAt(before, 'topology')) return null;
  const nodes = getAt(after, 'nodes');
  const count = Array.isArray(nodes) ? nodes.length : 0;
  return isDeepStrictEqual(getAt(before, 'nodes'), nodes)
    ? { kind: 'warning', text: catalogue().pages.topology.nodesUnchanged(topology, count) }
    : { kind: 'info', text: catalogue().pages.topology.replaced(topology, count) };
}

/** The files may have changed since the last check, whatever their names are: Enter and Tab read them again. */
export function recheckCredentialFiles(before: WizardState, input: Intent | Event, update: Update): Update {
  const isOnPage = getPageRules(before.screen).credentialFiles === 'entered';
  const mustRecheck = isOnPage && before.overlay === null && getIntentRules(input).rereadsFiles;
  if (!mustRecheck || update.effects.some(({ type }) => type === 'review-credentials')) return update;
  return { ...update, effects: [...update.effects, { type: 'review-credentials' }] };
}

/**
 * Stores the current problems of the files. If they prevented Enter on a field that is valid now, continues with it.
 */
export function updateCredentialProblems(state: WizardState, problems: readonly Problem[]): Update {
  // A message about files that are valid by now is outdated.
  const isResolved = filterErrors(state.credentialProblems).length > 0 && filterErrors(problems).length === 0;
  const isOnPage = getPageRules(state.screen).credentialFiles === 'entered';
  const isOutdated = isOnPage && isResolved && state.notice?.kind === 'error';
  const next: WizardState = { ...state, credentialProblems: problems, notice: isOutdated ? null : state.notice };
  const field = getFocusedField(state);
  if (!isOnPage || state.overlay !== null || field === null) return withoutEffects(next);
  const about = state.notice?.about;
  const isEnterRefused = about?.what === 'held' && about.path === field.path;
  if (!isEnterRefused || filterErrors(listActiveFieldProblems(next, field)).length > 0) return withoutEffects(next);
  return updateForm({ ...next, notice: null }, { type: 'field/accept' });
}
