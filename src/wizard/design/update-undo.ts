import { catalogue } from '../../text/catalogue.ts';
import { goTo } from '../navigate.ts';
import type { Notice, WizardState } from '../state.ts';
import { type Update, unchanged } from '../update-result.ts';
import { type ChangedAnswer, changedAnswers, describeAnswers } from './changed-answers.ts';
import { editingOf, enterForm, focusedField, focusOn } from './editing.ts';
import { fieldText } from './fields.ts';
import { travelled } from './undo.ts';
import { acceptAnswer } from './update-form.ts';

const words = () => catalogue().pages.undo;

/**
 * Takes back the last change of the answers, or does it again: on the page where it was made, with what it was. What
 * stands under the cursor was typed last, so it is a change like others.
 */
export function travel(state: WizardState, to: 'past' | 'future'): Update {
  const accepted = acceptAnswer(state).state;
  const there = travelled(accepted, to);
  if (there === null) {
    const text = to === 'past' ? words().nothingBack : words().nothingAgain;
    return unchanged({ ...accepted, notice: { kind: 'info', text } });
  }
  const answers = changedAnswers(accepted.document, there.document);
  const what = describeAnswers(answers);
  const notice: Notice = { kind: 'info', text: to === 'past' ? words().tookBack(what) : words().doneAgain(what) };
  return shown(there, answers[0], notice);
}

/** Where a person sees it: at the field, in the form over its node where that is open, or in the row of the node. */
function shown(state: WizardState, answer: ChangedAnswer | undefined, notice: Notice): Update {
  const page = answer?.page ?? state.screen;
  const path = answer?.path;
  const { edit } = state.nodes;
  const isOpenNode = edit !== null && state.screen === page && path?.startsWith(`nodes.${edit.index}.`);
  if (isOpenNode === true) return { state: { ...enterForm(state, path), notice }, effects: [{ type: 'save' }] };
  // The review is where a person comes from, and where Enter leads again.
  const fromReview = state.screen === 'review' ? (path ?? null) : state.screen === page ? state.fromReview : null;
  const gone = goTo({ ...state, nodes: { ...state.nodes, edit: null } }, page, path, notice);
  return { ...gone, state: { ...gone.state, fromReview } };
}

/** True where Esc has something to take back before it leaves: the field has another answer than on the way in. */
export function canTakeBack(state: WizardState): boolean {
  const editing = editingOf(state);
  const field = focusedField(state);
  if (!editing || !field) return false;
  const { editor, made, ahead } = editing.form;
  return (
    ahead !== null || editor.text !== fieldText(editing.part, field) || (made !== null && state.past.at(-1) === made)
  );
}

/** The field under the cursor as it was on the way in; what was typed can be done again. */
export function takeBack(state: WizardState): Update {
  const accepted = acceptAnswer(state).state;
  const form = editingOf(accepted)?.form;
  if (form === undefined) return unchanged(state);
  const isMade = form.made !== null && accepted.past.at(-1) === form.made;
  return isMade ? travel(accepted, 'past') : unchanged({ ...focusOn(accepted, form.focus), notice: null });
}
