import { catalogue } from '../../text/catalogue.ts';
import { graphemesOf } from '../../text/width.ts';
import type { Effect, InputOf } from '../intents.ts';
import { goBy, goTo } from '../navigate.ts';
import { errorsOf, type Notice, type WizardState } from '../state.ts';
import type { KeyEvent } from '../typing/key-event.ts';
import { fitPaste } from '../typing/paste.ts';
import { editText, textBefore, textFieldOf } from '../typing/text-field.ts';
import { optionFor } from '../typing/type-ahead.ts';
import { type Update, unchanged } from '../update-result.ts';
import { type Document, setAt } from './document.ts';
import { choicesOf, type Editing, editingOf, focusedField, focusOn, isChoice, problemsBeside } from './editing.ts';
import { acceptText, type Field, fieldText, problemText, shownText } from './fields.ts';
import { offeredAnew } from './new-node.ts';
import { followTopology, topologyNotice } from './topology.ts';
import { changedDocument } from './undo.ts';

type FormIntent = InputOf<'field' | 'choice'>;

/** What an input makes of the open form; without one, nothing. */
export function updateForm(state: WizardState, intent: FormIntent): Update {
  const editing = editingOf(state);
  const field = focusedField(state);
  if (!editing || !field) return unchanged(state);
  switch (intent.type) {
    case 'field/edit': {
      const { event } = intent;
      if (isChoice(field)) return unchanged(chosenByLetters(state, editing, field, event));
      const paste = event.kind === 'paste' ? fitPaste(field, event.text, textBefore(editing.form.editor)) : null;
      const editor = editText(editing.form.editor, paste ? { kind: 'paste', text: paste.text } : event);
      const notice: Notice | null = paste?.said ? { kind: 'warning', text: paste.said } : null;
      return unchanged({ ...editing.put(state, { ...editing.form, editor }), notice });
    }
    case 'choice/move': {
      const choices = choicesOf(field);
      const index = choices.indexOf(editing.form.editor.text);
      const text = choices[Math.min(Math.max(index + intent.by, 0), choices.length - 1)] ?? editing.form.editor.text;
      const form = { ...editing.form, editor: textFieldOf(text), ahead: null };
      return unchanged({ ...editing.put(state, form), notice: null });
    }
    case 'field/move':
      return moveFocus(state, acceptAnswer(state), intent.by);
    case 'field/more':
      return showMore(acceptAnswer(state));
    case 'field/accept':
      return acceptAndGoOn(state);
  }
}

/** Letters jump to the option that they begin, and Backspace takes them back one by one. */
function chosenByLetters(state: WizardState, editing: Editing, field: Field, event: KeyEvent): WizardState {
  const { form } = editing;
  const said = (text: string): WizardState => ({ ...state, notice: { kind: 'info', text } });
  if (event.kind === 'paste') return said(catalogue().pages.isChosen);
  if (event.kind === 'key' && event.name !== 'backspace') return state;
  const from = form.ahead?.from ?? form.editor.text;
  const before = form.ahead?.letters ?? '';
  const letters = event.kind === 'char' ? before + event.text : graphemesOf(before).slice(0, -1).join('');
  const choices = choicesOf(field);
  const found =
    choices[
      optionFor(
        choices.map((choice) => shownText(field, choice)),
        letters,
      )
    ];
  if (letters !== '' && found === undefined) return said(catalogue().pages.noOption(letters));
  const ahead = letters === '' ? null : { letters, from };
  const text = letters === '' ? from : (found ?? from);
  return { ...editing.put(state, { ...form, editor: textFieldOf(text), ahead }), notice: null };
}

/** The rarely needed questions, with the cursor on the first of them; or only the usual ones again. */
function showMore(accepted: Update): Update {
  const { state, effects } = accepted;
  const before = editingOf(state);
  const toggled: WizardState = { ...state, isMoreShown: !state.isMoreShown };
  const after = editingOf(toggled);
  if (!before || !after) return accepted;
  if (!hasMore(state))
    return { state: { ...state, notice: { kind: 'info', text: catalogue().pages.noMore } }, effects };
  const first = after.fields.findIndex(({ isAdvanced }) => isAdvanced);
  const kept = after.fields.findIndex(({ path }) => path === before.fields[before.form.focus]?.path);
  const focus = toggled.isMoreShown ? first : Math.max(kept, 0);
  const text = toggled.isMoreShown ? catalogue().pages.isMoreShown : catalogue().pages.isMoreHidden;
  return { state: { ...focusOn(toggled, focus), notice: { kind: 'info', text } }, effects };
}

/** The form under the cursor has rarely needed questions. */
export function hasMore(state: WizardState): boolean {
  const fields = editingOf({ ...state, isMoreShown: true })?.fields ?? [];
  return fields.some(({ isAdvanced }) => isAdvanced);
}

/** Takes the text under the cursor into the document; an unchanged text, and a screen without a form, change nothing. */
export function acceptAnswer(state: WizardState): Update {
  const editing = editingOf(state);
  const field = focusedField(state);
  if (!editing || !field) return unchanged(state);
  const { text } = editing.form.editor;
  if (text === fieldText(editing.part, field)) return unchanged(state);
  const part = acceptText(editing.part, field, text);
  const document = editing.prefix === '' ? part : setAt(state.document, editing.prefix.slice(0, -1), part);
  const effects: Effect[] = [{ type: 'save' }];
  if (state.screen === 'credentials') effects.push({ type: 'judge-credentials' });
  const isTopology = field.path === 'topology';
  const changed = changedDocument(
    state,
    isTopology ? followTopology(state.document, document) : followRole(state, document),
    editing.form.made,
  );
  const last = changed.past.at(-1);
  const made = last === undefined || state.past.includes(last) ? null : last;
  const next = editing.put(changed, { ...editing.form, made });
  // The screen does not show nodes that came or stayed with another topology: say so.
  const notice = isTopology ? topologyNotice(state.document, next.document) : null;
  return { state: { ...next, notice }, effects };
}

/** What a new node was offered follows its role. */
function followRole({ document, nodes: { edit } }: WizardState, after: Document): Document {
  return edit?.isNew ? offeredAnew(document, after, edit.index) : after;
}

function moveFocus(state: WizardState, accepted: Update, by: number): Update {
  const editing = editingOf(accepted.state);
  if (!editing) return accepted;
  const count = editing.fields.length;
  const path = focusedField(state)?.path;
  const at = editing.fields.findIndex((field) => field.path === path);
  // The answer may have removed its own question: then the next one takes its place.
  const from = at >= 0 ? at : editing.form.focus - (by > 0 ? 1 : 0);
  const focus = (from + by + count) % count;
  const notice = accepted.state === state ? null : accepted.state.notice;
  return { state: { ...focusOn(accepted.state, focus), notice }, effects: accepted.effects };
}

/** Enter takes the answer; a wrong one keeps the cursor, the last one of a page leads on. */
function acceptAndGoOn(state: WizardState): Update {
  const accepted = acceptAnswer(state);
  const editing = editingOf(accepted.state);
  const field = focusedField(accepted.state);
  if (!editing || !field) return accepted;
  const [wrong] = blockingErrors(accepted.state, field);
  if (wrong) {
    return {
      ...accepted,
      state: {
        ...accepted.state,
        notice: {
          kind: 'error',
          text: problemText(wrong, accepted.state.document),
          about: { what: 'held', path: `${editing.prefix}${field.path}` },
        },
      },
    };
  }
  if (isAnswerForReview(accepted.state)) return backToReview(accepted);
  if (editing.form.focus === editing.fields.length - 1) return leaveForm(accepted);
  // An unchanged answer is an answer too: the next start is at the one after it.
  return {
    ...moveFocus(state, accepted, 1),
    effects: accepted.effects.length > 0 ? accepted.effects : [{ type: 'save' }],
  };
}

/** The cursor is at the answer that the review led to. */
export function isAnswerForReview(state: WizardState): boolean {
  const path = focusedField(state)?.path;
  return path !== undefined && state.fromReview === `${editingOf(state)?.prefix ?? ''}${path}`;
}

/** The answer that the review had led to is now right. */
function backToReview({ state, effects }: Update): Update {
  const gone = goTo({ ...state, nodes: { ...state.nodes, edit: null } }, 'review');
  return { state: gone.state, effects: [...effects, ...gone.effects] };
}

/** The errors that keep the cursor at an answer. */
function blockingErrors(state: WizardState, field: Field) {
  return field.isSettledLater ? [] : errorsOf(problemsBeside(state, field));
}

function leaveForm(accepted: Update): Update {
  const { state } = accepted;
  const editing = editingOf(state);
  if (!editing) return accepted;
  const all = editingOf({ ...state, isMoreShown: true })?.fields ?? editing.fields;
  const wrong = all.filter((field) => blockingErrors(state, field).length > 0);
  const first = wrong[0];
  if (first) {
    const shown: WizardState = editing.fields.includes(first) ? state : { ...state, isMoreShown: true };
    const focused = focusOn(shown, editingOf(shown)?.fields.indexOf(first) ?? 0);
    return {
      ...accepted,
      state: { ...focused, notice: { kind: 'error', text: catalogue().pages.pageHasErrors(wrong.length) } },
    };
  }
  if (state.nodes.edit && state.screen === 'nodes') {
    return {
      ...accepted,
      state: { ...state, nodes: { ...state.nodes, row: state.nodes.edit.index, edit: null }, notice: null },
    };
  }
  const gone = goBy({ ...state, forms: { ...state.forms, [state.screen]: { ...editing.form, focus: 0 } } }, 1);
  return { state: gone.state, effects: [...accepted.effects, ...gone.effects] };
}
